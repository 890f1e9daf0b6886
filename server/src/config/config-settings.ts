/**
 * The table of boot settings: what each may be, what it is when nobody says, what it means. How they are read is `config.ts`'s.
 */
import {
  baseUrl,
  bearerToken,
  bytes,
  collectorUrl,
  database,
  duration,
  headers,
  hostName,
  issuerUrl,
  key32,
  line,
  listenPlace,
  networks,
  oneOf,
  openings,
  origins,
  path,
  type ValueKind,
  whole,
} from "./config-values.ts";

/** One boot setting. */
export interface Setting<T = unknown> {
  readonly kind: ValueKind<T>;
  /** Text used when nobody says otherwise; `{name}` stands for another setting's value. Absent: the setting stays unset. */
  readonly initial?: string;
  /** How the documentation puts the default where `initial` is absent. */
  readonly initially?: string;
  /** Command-line flag with its value's name. */
  readonly flag?: string;
  /** Another variable, of a standard, that is read where ours is not set. */
  readonly alias?: string;
  /** Never shown, not even when refused. */
  readonly isSecret?: boolean;
  readonly text: string;
}

const kib = 1024;
const gib = 1024 ** 3;
const dayMs = 86_400_000;

function setting<T>(
  entry: Setting<T> & { readonly initial: string },
): Setting<T> & { readonly initial: string } {
  return entry;
}

function optional<T>(entry: Setting<T> & { readonly initially: string }): Setting<T | undefined> {
  return entry;
}

export const settings = {
  host: setting({
    kind: hostName,
    initial: "127.0.0.1",
    flag: "--host <address>",
    text: "Address to listen on; 0.0.0.0 or :: for every address of this machine.",
  }),
  port: setting({
    kind: whole(0, 65_535),
    initial: "8080",
    flag: "--port <number>",
    text: "Port to listen on; 0 lets the system choose one.",
  }),
  dataDir: setting({
    kind: path,
    initial: "./data",
    flag: "--data <dir>",
    text: "Directory of the database and the key file; made when it is missing.",
  }),
  database: setting({
    kind: database,
    initial: "sqlite:{dataDir}/plaza.sqlite",
    flag: "--database <where>",
    text: "Where accounts, keys, the catalog and the requests are kept. The variable rather than the flag keeps a password out of the list of processes.",
  }),
  databaseWaitMs: setting({
    kind: duration(0, 3_600_000),
    initial: "60s",
    text: "How long a start waits for a PostgreSQL server that does not answer yet.",
  }),
  databaseConnections: setting({
    kind: whole(3, 200),
    initial: "8",
    text: "Most connections of one process to PostgreSQL, but for two more of the console's sums and one while the schema is changed (docs/operate/operations.md has the arithmetic).",
  }),
  catalog: optional({
    kind: path,
    initially: "none: what was applied before, or the demo model",
    flag: "--catalog <file>",
    text: "Catalog file (plaza.yaml) that is applied at the start and again whenever it changes.",
  }),
  workers: setting({
    kind: whole(1, 64),
    initial: "1",
    flag: "--workers <number>",
    text: "Processes that serve requests on the one port.",
  }),
  secretKey: optional({
    kind: key32,
    initially: "the key file `secret.key` in the data directory, made when it is missing",
    isSecret: true,
    text: "Key that seals upstream credentials in the database. Lose it and they must be entered again.",
  }),
  operatorToken: optional({
    kind: bearerToken,
    initially:
      "none: the operator's paths answer programs on this machine only, and nothing that came through a proxy",
    isSecret: true,
    text: "Bearer token with every right of an operator: the operator's paths, `/api/upstreams` and `/metrics`, and the whole console API. Never give it to a monitor; that is what `metricsToken` is for.",
  }),
  metricsToken: optional({
    kind: bearerToken,
    initially:
      "none: `/metrics` takes the operator's token, or without one answers programs on this machine only",
    isSecret: true,
    text: "Bearer token of `/metrics` that opens nothing else, for Prometheus.",
  }),
  logLevel: setting({
    kind: oneOf(["debug", "info", "warn", "error", "silent"]),
    initial: "info",
    text: "Least important log lines to write (on standard error).",
  }),
  logRequests: setting({
    kind: oneOf(["off", "on"]),
    initial: "off",
    flag: "--log-requests <off|on>",
    text: "A log line for every request that has a row: ids, model, status, tokens, charge and times; never prompts or answers.",
  }),
  otlpEndpoint: optional({
    kind: collectorUrl,
    initially: "none: no traces",
    alias: "OTEL_EXPORTER_OTLP_ENDPOINT",
    text: "OpenTelemetry collector that gets a trace of every request that has a row, as OTLP over HTTP in JSON, at `/v1/traces` below this address (also read from `OTEL_EXPORTER_OTLP_ENDPOINT`).",
  }),
  otlpHeaders: optional({
    kind: headers,
    initially: "none",
    alias: "OTEL_EXPORTER_OTLP_HEADERS",
    isSecret: true,
    text: "Headers sent to the collector (also read from `OTEL_EXPORTER_OTLP_HEADERS`).",
  }),
  publicUrl: optional({
    kind: baseUrl,
    initially: "`http://HOST:PORT/v1`",
    text: "The base_url shown to callers, where it is not the address listened on (behind a proxy, for example).",
  }),
  consoleListen: optional({
    kind: listenPlace,
    initially: "the console and its API are on the same address as `/v1`",
    flag: "--console-listen <address:port>",
    text: "Another address for the console and its API, `/api`; then the address of `/v1` has neither, but for `/api/upstreams`, which both answer.",
  }),
  healthListen: optional({
    kind: listenPlace,
    initially: "only on the address of `/v1`, where an overloaded process answers late",
    flag: "--health-listen <address:port>",
    text: "Another address for `/healthz`, `/readyz` and `/metrics`, answered by a thread of its own however busy the process is; for probes (docs/operate/operations.md).",
  }),
  healthStallMs: setting({
    kind: duration(1_000, 3_600_000),
    initial: "10s",
    text: "How long the event loop of a serving process may stand still before `/healthz` on `healthListen` is 503, so that an orchestrator restarts it.",
  }),
  trustedProxies: setting({
    kind: networks,
    initial: "none",
    text: "Networks of proxies before Plaza whose `X-Forwarded-For` is believed, and by the console `X-Forwarded-Proto` and `-Host`.",
  }),
  oidcIssuer: optional({
    kind: issuerUrl,
    initially: "none: people sign in with a password",
    text: "OpenID Connect provider that people may sign in with; needs `oidcClientId` (docs/operate/console.md).",
  }),
  oidcClientId: optional({
    kind: line,
    initially: "none",
    text: "Client id of this installation at the provider; its redirect URI there is `https://CONSOLE/api/oidc/callback`.",
  }),
  oidcClientSecret: optional({
    kind: line,
    initially: "none: a public client",
    isSecret: true,
    text: "Client secret of this installation at the provider.",
  }),
  oidcName: setting({
    kind: line,
    initial: "single sign-on",
    text: 'What people call the provider: the button says "Sign in with …".',
  }),
  oidcSignUp: setting({
    kind: oneOf(["off", "on"]),
    initial: "off",
    text: "Whether somebody the provider knows and nobody invited gets a user with an empty account.",
  }),
  corsOrigins: setting({
    kind: origins,
    initial: "*",
    text: "Web pages that may call `/v1` from a browser; keys are sent by hand, so `*` gives nothing away.",
  }),
  refusedCallsPerMinute: setting({
    kind: whole(60, 10_000_000),
    initial: "6000",
    text: "Refused calls per minute of one API key, and of one address without a good key, that are looked at; more are answered 429 at once, without a row.",
  }),
  apiWritesPerMinute: setting({
    kind: whole(1, 1_000_000),
    initial: "300",
    text: "Changes a session of the console may make per minute, and calls of those not signed in from one address; an operator token ten times as many.",
  }),
  bodyBytesMax: setting({
    kind: bytes(kib, gib),
    initial: "32MiB",
    text: "Largest request body; of a compressed one also what it unpacks to.",
  }),
  requestCompression: setting({
    kind: oneOf(["off", "on"]),
    initial: "on",
    text: "Whether request bodies of `/v1` may be compressed, with gzip or zstd. Off: they are refused with 415.",
  }),
  jsonDepthMax: setting({
    kind: whole(8, 1_000),
    initial: "64",
    text: "Deepest nesting of objects and arrays in a request.",
  }),
  jsonValuesMax: setting({
    kind: whole(1_000, 10_000_000),
    initial: "200000",
    text: "Most JSON values in a request.",
  }),
  headersTimeoutMs: setting({
    kind: duration(100, 300_000),
    initial: "5s",
    text: "Time in which the headers of a request must arrive.",
  }),
  bodyStallMs: setting({
    kind: duration(100, 300_000),
    initial: "5s",
    text: "Longest pause within an arriving request body.",
  }),
  bodyRateMin: setting({
    kind: bytes(0, gib, "bytes per second"),
    initial: "1KiB",
    text: "Least average speed of an arriving request body, in bytes per second, after the first pause allowed.",
  }),
  keepAliveTimeoutMs: setting({
    kind: duration(1_000, 3_600_000),
    initial: "75s",
    text: "How long an idle connection of a caller is kept; more than the proxy in front of Plaza keeps it.",
  }),
  connectionsMax: setting({
    kind: whole(1, 1_000_000),
    initial: "20000",
    text: "Most connections of callers per process; more are closed at once.",
  }),
  inFlightMax: setting({
    kind: whole(1, 1_000_000),
    initial: "10000",
    flag: "--max-in-flight <number>",
    text: "Most requests served at a time per process; more are refused with 503 `overloaded` (those with large bodies from three quarters of it on).",
  }),
  bodiesBytesMax: setting({
    kind: bytes(kib, 64 * gib),
    initial: "256MiB",
    text: "Most bytes of the bodies of all requests in flight together, per process; a body that is alone is taken whatever this says.",
  }),
  loopLagMaxMs: setting({
    kind: duration(1, 60_000),
    initial: "10ms",
    text: "How long the process's event loop may be late, not for a moment but for good, before new requests are refused with 503 `overloaded`.",
  }),
  heapPercentMax: setting({
    kind: whole(10, 95, "percent"),
    initial: "80",
    text: "Share of the heap that may be in use after a full collection before new requests are refused with 503 `overloaded`.",
  }),
  successPercentMin: setting({
    kind: whole(0, 100, "percent"),
    initial: "90",
    text: "Share of a model's calls of about the last half minute that have to go well, or its status is `degraded`; callers' own faults do not count.",
  }),
  keepAliveCommentMs: setting({
    kind: duration(1_000, 300_000),
    initial: "10s",
    text: "How long a stream is silent before a comment line is sent to keep the connection alive.",
  }),
  eventBytesMax: setting({
    kind: bytes(64 * kib, gib),
    initial: "8MiB",
    text: "Largest single event of an upstream's stream.",
  }),
  answerBytesMax: setting({
    kind: bytes(64 * kib, gib),
    initial: "64MiB",
    text: "Largest whole (not streamed) answer of an upstream.",
  }),
  stalledReaderMs: setting({
    kind: duration(1_000, 3_600_000),
    initial: "60s",
    text: "A caller that takes none of its answer for this long is dropped. What the system's buffers hold counts as taken; of an answer larger than they are, a caller must take up to 1 MB in this time.",
  }),
  idempotencyKeptMs: setting({
    kind: duration(60_000, 30 * dayMs),
    initial: "1d",
    text: "How long the answer of a call with an `Idempotency-Key` is kept and given again.",
  }),
  idempotencyBytesMax: setting({
    kind: bytes(kib, gib),
    initial: "8MiB",
    text: "Largest answer that is kept for its `Idempotency-Key`; repeating a call with a larger one is refused, and not charged again.",
  }),
  shareReasoning: setting({
    kind: oneOf(["off", "on"]),
    initial: "on",
    text: "Whether the reasoning an upstream wants back in a tool loop is stored for a day, sealed, for turns that reach another process (docs/operate/credentials.md). Off: each process remembers its own, in memory.",
  }),
  fetchMedia: setting({
    kind: oneOf(["off", "on"]),
    initial: "off",
    flag: "--fetch-media <off|on>",
    text: "Whether files that a request names by address are fetched for providers that need them inlined (google, vertex-anthropic, bedrock); over https, from public addresses (docs/operate/security.md).",
  }),
  fetchMediaAllow: setting({
    kind: openings,
    initial: "none",
    text: "Networks beside the public ones from which files are fetched, also over http; on ports 80 and 443, or on the one port given.",
  }),
  auditKeptMs: setting({
    kind: duration(dayMs, 36_500 * dayMs),
    initial: "400d",
    text: "How long a line of the audit log is kept; after that it is deleted for good.",
  }),
  refusalsKeptMs: setting({
    kind: duration(dayMs, 36_500 * dayMs),
    initial: "90d",
    text: "How long the counts of refused calls without a row are kept, by key, reason and minute; after that they are deleted for good.",
  }),
  lameDuckMs: setting({
    kind: duration(0, 3_600_000),
    initial: "5s",
    text: "How long a process told to stop (SIGTERM) goes on as ever, while `/readyz` is red already and answers carry `Connection: close`; more than a load balancer takes to notice.",
  }),
  drainMs: setting({
    kind: duration(0, dayMs),
    initial: "30s",
    text: "How long a stopping process then lets running requests finish.",
  }),
} as const satisfies Record<string, Setting>;
