import assert from "node:assert/strict";
import { test } from "node:test";
import { type ConfigFlags, type Environment, environmentName, listSettings, readConfig } from "./config.ts";

function accepted(env: Environment, flags: ConfigFlags = {}) {
  const result = readConfig({ env, flags });
  assert.ok(result.ok, result.ok ? "" : result.faults.join("\n"));
  return result.config;
}

function refused(env: Environment, flags: ConfigFlags = {}): readonly string[] {
  const result = readConfig({ env, flags });
  assert.ok(!result.ok, "expected faults");
  return result.faults;
}

const key = Buffer.alloc(32, 7).toString("base64");

test("the defaults", () => {
  assert.deepEqual(accepted({ HOME: "/root", PLAZA_HOST: "" }), {
    given: {},
    host: "127.0.0.1",
    port: 8080,
    tlsCert: undefined,
    tlsKey: undefined,
    dataDir: "./data",
    database: { kind: "sqlite", file: "./data/plaza.sqlite" },
    databaseWaitMs: 60_000,
    databaseConnections: 8,
    migrate: "auto",
    catalog: undefined,
    workers: 1,
    secretKey: undefined,
    transport: "own",
    egressProxy: undefined,
    upstreamProxies: undefined,
    logLevel: "info",
    logRequests: "off",
    operatorToken: undefined,
    metricsToken: undefined,
    otlpEndpoint: undefined,
    otlpProtocol: "http/json",
    otlpHeaders: undefined,
    publicUrl: undefined,
    consoleListen: undefined,
    healthListen: undefined,
    healthStallMs: 10_000,
    trustedProxies: [],
    oidcIssuer: undefined,
    oidcClientId: undefined,
    oidcClientSecret: undefined,
    oidcName: "single sign-on",
    oidcSignUp: "off",
    corsOrigins: "*",
    refusedCallsPerMinute: 6_000,
    apiWritesPerMinute: 300,
    bodyBytesMax: 33_554_432,
    requestCompression: "on",
    jsonDepthMax: 64,
    jsonValuesMax: 200_000,
    headersTimeoutMs: 5_000,
    bodyStallMs: 5_000,
    bodyRateMin: 1_024,
    keepAliveTimeoutMs: 75_000,
    connectionsMax: 20_000,
    inFlightMax: 10_000,
    bodiesBytesMax: 256 * 1024 ** 2,
    loopLagMaxMs: 10,
    heapPercentMax: 80,
    successPercentMin: 90,
    keepAliveCommentMs: 10_000,
    eventBytesMax: 8_388_608,
    answerBytesMax: 67_108_864,
    stalledReaderMs: 60_000,
    idempotencyKeptMs: 86_400_000,
    idempotencyBytesMax: 8_388_608,
    shareReasoning: "on",
    fetchMedia: "off",
    fetchMediaAllow: [],
    auditKeptMs: 34_560_000_000,
    refusalsKeptMs: 7_776_000_000,
    requestsKeptMs: undefined,
    requestsArchive: undefined,
    archiveFormat: "csv",
    responsesKeptMs: 86_400_000,
    lameDuckMs: 5_000,
    drainMs: 30_000,
  });
});

test("an identity provider is believed over https, or http on this machine only", () => {
  for (const url of [
    "https://login.test/realms/a",
    "http://127.0.0.1:8080",
    "http://[::1]:9",
    "http://localhost",
  ])
    assert.equal(accepted({ PLAZA_OIDC_ISSUER: url }).oidcIssuer, url);
  for (const url of [
    "http://login.test",
    "http://localhost.evil.test",
    "https://a@b.test",
    "https://a.test/?b",
    "x",
  ])
    assert.match(refused({ PLAZA_OIDC_ISSUER: url })[0] ?? "", /^oidcIssuer/);
  const { trustedProxies } = accepted({ PLAZA_TRUSTED_PROXIES: "10.0.0.0/8, ::1" });
  assert.deepEqual(
    trustedProxies.map(({ bits }) => bits),
    [8, 128],
  );
  assert.match(refused({ PLAZA_TRUSTED_PROXIES: "10.0.0.1/8" })[0] ?? "", /^trustedProxies/);
});

test("a proxy is an address with a port, and its user and password are never shown", () => {
  for (const [text, expected] of [
    ["http://proxy.test:3128", { isTls: false, host: "proxy.test", port: 3128, userinfo: undefined }],
    ["https://me:p%40ss@10.1.2.3/", { isTls: true, host: "10.1.2.3", port: 443, userinfo: "me:p@ss" }],
    ["http://me@[fd00::5]:8080", { isTls: false, host: "fd00::5", port: 8080, userinfo: "me:" }],
  ] as const) {
    assert.deepEqual(accepted({ PLAZA_EGRESS_PROXY: text }).egressProxy, expected);
  }
  for (const text of [
    "socks5://proxy.test:1080",
    "proxy.test:3128",
    "http://hunter2:x@proxy.test/path",
    "http://hunter2:%zz@proxy.test",
    "http://hunter2%0d%0a:x@proxy.test",
    "http://hunter2%3a:x@proxy.test",
    "http://hunter2@proxy.test?x",
  ]) {
    const [fault = ""] = refused({ PLAZA_EGRESS_PROXY: text });
    assert.match(fault, /^egressProxy/);
    assert.ok(!fault.includes("hunter2"), fault);
  }
});

test("upstreams may have proxies of their own, which are as secret", () => {
  const told = accepted({
    PLAZA_UPSTREAM_PROXIES: " vllm=direct  eu-openai=http://me:p%3Dq@proxy.test:3128 ",
  }).upstreamProxies;
  assert.deepEqual(
    told,
    new Map<string, unknown>([
      ["vllm", "direct"],
      ["eu-openai", { isTls: false, host: "proxy.test", port: 3128, userinfo: "me:p=q" }],
    ]),
  );
  for (const text of [
    "hunter2",
    "=http://hunter2@proxy.test",
    "a=socks5://hunter2@proxy.test",
    "a=http://hunter2@proxy.test b",
    "a=direct a=http://hunter2@proxy.test",
  ]) {
    const [fault = ""] = refused({ PLAZA_UPSTREAM_PROXIES: text });
    assert.match(fault, /^upstreamProxies/);
    assert.ok(!fault.includes("hunter2"), fault);
  }
});

test("every default is a value its own setting allows", () => {
  for (const [name, { initial, initially, kind }] of listSettings()) {
    assert.ok((initial === undefined) !== (initially === undefined), name);
    if (initial !== undefined) assert.notEqual(kind.parse(initial), undefined, name);
  }
});

test("a flag beats the environment, which beats the default", () => {
  const config = accepted({ PLAZA_PORT: "1", PLAZA_WORKERS: "3" }, { port: "0" });
  assert.equal(config.port, 0);
  assert.equal(config.workers, 3);
  assert.equal(config.host, "127.0.0.1");
});

test("bounds are allowed, what lies beyond them is not", () => {
  assert.equal(accepted({ PLAZA_PORT: "65535" }).port, 65_535);
  assert.equal(accepted({ PLAZA_WORKERS: "64" }).workers, 64);
  assert.equal(accepted({ PLAZA_DRAIN_MS: "1d" }).drainMs, 86_400_000);
  for (const [name, text] of [
    ["PLAZA_PORT", "65536"],
    ["PLAZA_PORT", "-1"],
    ["PLAZA_WORKERS", "65"],
    ["PLAZA_DRAIN_MS", "86400001"],
    ["PLAZA_BODY_BYTES_MAX", "1023"],
  ] as const) {
    assert.equal(refused({ [name]: text }).length, 1, `${name}=${text}`);
  }
});

test("environment names follow the setting's name", () => {
  assert.equal(environmentName("host"), "PLAZA_HOST");
  assert.equal(environmentName("keepAliveCommentMs"), "PLAZA_KEEP_ALIVE_COMMENT_MS");
});

test("the database file follows the data directory", () => {
  assert.deepEqual(accepted({}, { dataDir: "/var/lib/plaza" }).database, {
    kind: "sqlite",
    file: "/var/lib/plaza/plaza.sqlite",
  });
  assert.deepEqual(accepted({ PLAZA_DATABASE: "sqlite:/x.db" }, { dataDir: "/y" }).database, {
    kind: "sqlite",
    file: "/x.db",
  });
});

test("durations and bytes take units or a bare number", () => {
  const config = accepted({
    PLAZA_DRAIN_MS: "2m",
    PLAZA_HEADERS_TIMEOUT_MS: "750",
    PLAZA_BODY_BYTES_MAX: "1MiB",
    PLAZA_BODY_RATE_MIN: "0",
  });
  assert.equal(config.drainMs, 120_000);
  assert.equal(config.headersTimeoutMs, 750);
  assert.equal(config.bodyBytesMax, 1_048_576);
  assert.equal(config.bodyRateMin, 0);
});

test("origins, base_url and the sealing key", () => {
  assert.equal(accepted({ PLAZA_CORS_ORIGINS: "none" }).corsOrigins, "");
  assert.equal(
    accepted({ PLAZA_CORS_ORIGINS: "https://a.example, http://localhost:3000" }).corsOrigins,
    "https://a.example,http://localhost:3000",
  );
  assert.equal(accepted({ PLAZA_PUBLIC_URL: "https://p.example/v1/" }).publicUrl, "https://p.example/v1");
  assert.deepEqual(accepted({ PLAZA_SECRET_KEY: key }).secretKey, Buffer.alloc(32, 7));
});

test("all faults are told at once, each with name, value and what is allowed", () => {
  assert.deepEqual(
    refused(
      {
        PLAZA_WORKERS: "0",
        PLAZA_LOG_LEVEL: "loud",
        PLAZA_DRAIN_MS: "soon",
        PLAZA_BODY_BYTES_MAX: "32MB",
        PLAZA_CORS_ORIGINS: "https://a.example/path",
        PLAZA_PUBLIC_URL: "https://p.example",
        PLAZA_PROT: "1",
        PLAZA_WEATHER_IN_SPAIN: "1",
      },
      { port: "abc", host: "a b" },
    ),
    [
      'host (--host): "a b" is not allowed; enter an IP address or a host name of this machine',
      'port (--port): "abc" is not allowed; enter a whole number from 0 to 65535',
      'workers (PLAZA_WORKERS): "0" is not allowed; enter a whole number from 1 to 64',
      'logLevel (PLAZA_LOG_LEVEL): "loud" is not allowed; enter one of debug, info, warn, error, silent',
      'publicUrl (PLAZA_PUBLIC_URL): "https://p.example" is not allowed; enter an http or https address that ends in /v1, like https://plaza.example.com/v1',
      'corsOrigins (PLAZA_CORS_ORIGINS): "https://a.example/path" is not allowed; enter "*", "none", or origins like https://app.example.com separated by commas',
      'bodyBytesMax (PLAZA_BODY_BYTES_MAX): "32MB" is not allowed; enter a number of bytes from 1KiB to 1GiB, like "64KiB" or "32MiB"',
      'drainMs (PLAZA_DRAIN_MS): "soon" is not allowed; enter a duration from 0ms to 1d, like "500ms", "5s" or "15m"',
      "PLAZA_PROT: unknown setting; did you mean PLAZA_PORT?",
      "PLAZA_WEATHER_IN_SPAIN: unknown setting; see docs/operate/config.md for all settings",
    ],
  );
});

test("a PostgreSQL database is a URL with host and database", () => {
  for (const url of [
    "postgres://plaza:hunter2@db/plaza",
    "postgresql://plaza@[::1]:6432/plaza?sslmode=verify-full",
    "postgres://plaza:p%40ss%25@db.example:5432/plaza",
    "postgres:///plaza?host=/run/postgresql",
    "postgres://plaza:a,b@db/plaza?application_name=a,b",
  ]) {
    assert.deepEqual(accepted({ PLAZA_DATABASE: url }).database, { kind: "postgres", url });
    assert.deepEqual(accepted({}, { database: url }).database, { kind: "postgres", url });
  }
});

test("a URL that is not one is refused with the reason, and its password is not repeated", () => {
  const password = "hunter2";
  for (const [url, reason] of [
    [`postgres://plaza:${password}@db`, "the name of the database is missing"],
    [`postgres://plaza:${password}@db/`, "the name of the database is missing"],
    [`postgres://plaza:${password}@db/a/b`, "the name of the database is missing"],
    [`postgres:///plaza?password=${password}`, "the host is missing"],
    [`postgres://plaza:${password}@db1,db2/plaza`, "one host only"],
    [`postgres://plaza:${password}@db1:5432,db2:5432/plaza`, "one host only"],
    [`postgres:///plaza?password=${password}&host=db1,db2`, "one host only"],
    [`postgres://plaza:${password}%zz@db/plaza`, "write a % in a password as %25"],
    [`postgres://plaza:${password}/x@db/plaza`, "that is not a URL"],
    [`postgres://plaza:${password}#@db/plaza`, "that is not a URL"],
    [`postgres://plaza:${password} @db/plaza`, "that is not a URL"],
    [`postgres:plaza:${password}`, "is not allowed; enter"],
    [`mysql://plaza:${password}@db/plaza`, "is not allowed; enter"],
  ] as const) {
    const [fault = ""] = refused({ PLAZA_DATABASE: url });
    assert.ok(fault.includes(reason), `${url}: ${fault}`);
    assert.ok(
      fault.startsWith("database (PLAZA_DATABASE): the value given (not shown) is not allowed"),
      fault,
    );
    assert.ok(!fault.includes(password), fault);
  }
});

test("in-memory databases are refused with the reason, and passwords are not repeated", () => {
  assert.deepEqual(refused({}, { database: "sqlite::memory:" }), [
    'database (--database): "sqlite::memory:" is not allowed (the database must outlive the process); enter sqlite:FILE or postgres://USER:PASSWORD@HOST:PORT/DATABASE',
  ]);
  assert.equal(refused({}, { database: "sqlite:" }).length, 1);
  assert.equal(
    refused({ PLAZA_PUBLIC_URL: "https://u:hunter2@p.example/v1" }).join().includes("hunter2"),
    false,
  );
});

test("a refused sealing key is never repeated", () => {
  for (const text of ["c2VjcmV0", `${key}A`, "x".repeat(44), `${key.slice(0, -2)}!=`]) {
    const faults = refused({ PLAZA_SECRET_KEY: text });
    assert.deepEqual(faults, [
      "secretKey (PLAZA_SECRET_KEY): the value given (not shown) is not allowed; enter 32 bytes in base64 (make one with: openssl rand -base64 32)",
    ]);
  }
});

test("variables of callers and of Kubernetes are not settings of ours", () => {
  accepted({ PLAZA_KEY: "sk-plaza-x", PLAZA_API_KEY: "y", PLAZA_BASE_URL: "z" });
  accepted({ PLAZA_SERVICE_HOST: "10.0.0.1", PLAZA_PORT_8080_TCP: "tcp://10.0.0.1:8080" });
  assert.match(refused({ PLAZA_PORT: "tcp://10.0.0.1:8080" }).join(), /enableServiceLinks: false/);
});

test("the config cannot be changed", () => {
  assert.throws(() => Object.assign(accepted({}), { port: 1 }), TypeError);
});

test("the collector: OpenTelemetry's own variables are read where ours are not set", () => {
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318",
    OTEL_EXPORTER_OTLP_PROTOCOL: "grpc",
    OTEL_EXPORTER_OTLP_HEADERS: "Authorization=Basic%20abc,x-team=ops",
  };
  const read = readConfig({ env, flags: {} });
  assert.ok(read.ok);
  assert.equal(read.config.otlpEndpoint, "http://127.0.0.1:4318");
  assert.equal(read.config.otlpProtocol, "grpc");
  assert.deepEqual(read.config.otlpHeaders, ["authorization", "Basic abc", "x-team", "ops"]);
  const ours = readConfig({ env: { ...env, PLAZA_OTLP_ENDPOINT: "https://c.example/x" }, flags: {} });
  assert.equal(ours.ok && ours.config.otlpEndpoint, "https://c.example/x");
});

test("the collector: what is no address or no header is refused by name, and headers are never shown", () => {
  for (const endpoint of ["c.example:4318", "ftp://c.example", "https://user:pw@c.example", "http://c/#x"]) {
    const read = readConfig({ env: { PLAZA_OTLP_ENDPOINT: endpoint }, flags: {} });
    assert.match(read.ok ? "" : read.faults.join(), /^otlpEndpoint \(PLAZA_OTLP_ENDPOINT\)/, endpoint);
  }
  for (const text of ["hidden-value", "a b=hidden-value", "a=%zz-hidden-value", "a=%0Ahidden-value", "a="]) {
    const read = readConfig({ env: { OTEL_EXPORTER_OTLP_HEADERS: text }, flags: {} });
    const faults = read.ok ? "" : read.faults.join();
    assert.match(faults, /^otlpHeaders \(OTEL_EXPORTER_OTLP_HEADERS\)/, text);
    assert.ok(!faults.includes("hidden-value"));
  }
});
