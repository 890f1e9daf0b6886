/**
 * How a store behaves when its PostgreSQL server refuses, dies, hangs or is read-only, and after it is back.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { nanoUsd } from "@plaza/contract/money.ts";
import pg from "pg";
import { testCertificate, testCertificateKey } from "../../../../test/postgres/certificate.ts";
import { startPostgres } from "../../../../test/postgres/server.ts";
import { sharedPostgres } from "../../../../test/postgres/shared.ts";
import { mediaTestCertificate, mediaTestKey } from "../../lib/net/testing/certificate.ts";
import { type OpenStoreOptions, openStore, openStoreInProcess } from "../open.ts";
import type { Store } from "../store.ts";
import { requestRow, stored } from "../testing/behaviour/requests.ts";

const secretKey = randomBytes(32);
const opens = [
  ["in the process", openStoreInProcess],
  ["in a thread", openStore],
] as const;

type Limits = Pick<OpenStoreOptions, "busyTimeoutMs" | "statementTimeoutMs">;

async function newStore(
  context: TestContext,
  open: typeof openStore = openStoreInProcess,
  limits: Limits = {},
) {
  const server = await sharedPostgres();
  const url = await server.newDatabase();
  const store = await open({ database: { kind: "postgres", url }, secretKey, ...limits });
  context.after(async () => {
    await store.close();
    await server.freeDatabase(url);
  });
  await store.migrate();
  return { server, url, name: new URL(url).pathname.slice(1), store };
}

const openUrl = (url: string, open: typeof openStore = openStoreInProcess) =>
  open({ database: { kind: "postgres", url }, secretKey });

/** The error of a call that must fail. Checks that no text in it contains a secret of the URL. */
async function refusal(work: Promise<unknown>, url: string): Promise<Error & { code?: unknown }> {
  const error = await work.then(
    () => assert.fail("expected a refusal"),
    (thrown: Error) => thrown,
  );
  const { username, password } = new URL(url);
  const shown = `${error.message}\n${error.stack}`;
  assert.equal(error.name, "StoreError", shown);
  assert.ok(!shown.includes(password) && !shown.includes(`${username}:`), shown);
  return error;
}

async function newClient(context: TestContext, url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  // The database may be dropped before the client is closed.
  client.on("error", () => {});
  await client.connect();
  context.after(() => client.end());
  return client;
}

const newAccount = (store: Store, id: string) =>
  store.createAccount({ id, name: `Account ${id}`, balance: nanoUsd(1n) });

const ids = async (store: Store): Promise<string[]> => (await store.listAccounts()).map(({ id }) => id);

for (const [name, open] of opens) {
  test(`what the server refuses is told in a sentence without user and password (${name})`, async (context) => {
    const { server, url } = await newStore(context);
    const changed = (change: (parts: URL) => void): string => {
      const parts = new URL(url);
      change(parts);
      return parts.href;
    };
    await server.query(
      "create database ascii encoding 'SQL_ASCII' locale 'C' locale_provider 'libc' template template0",
    );
    context.after(() => server.query("drop database ascii with (force)"));
    for (const [bad, code, message] of [
      [
        changed((parts) => {
          parts.password = "wrong-secret";
        }),
        "cannot_open",
        /refuses the password of the URL: check/,
      ],
      [
        changed((parts) => {
          parts.username = "stranger";
        }),
        "cannot_open",
        /refuses the password of the URL: check/,
      ],
      [
        changed((parts) => {
          parts.pathname = "/absent";
        }),
        "cannot_open",
        /database absent at 127\.0\.0\.1:\d+ does not exist: create it/,
      ],
      [
        changed((parts) => {
          parts.port = "1";
        }),
        "unavailable",
        /at 127\.0\.0\.1:1 is not available \(nothing listens there\)/,
      ],
      [
        changed((parts) => {
          parts.search = "?uselibpqcompat=true&sslmode=require";
        }),
        "cannot_open",
        /does not support SSL/,
      ],
      [
        changed((parts) => {
          parts.pathname = "/ascii";
        }),
        "cannot_open",
        /has the encoding SQL_ASCII: create it with/,
      ],
    ] as const) {
      const error = await refusal(openUrl(bad, open), bad);
      assert.equal(error.code, code, error.message);
      assert.match(error.message, message);
    }
  });

  test(`a store outlives its server: killed, stopped and started again (${name})`, async (context) => {
    const { server, url, store } = await newStore(context, open);
    await newAccount(store, "a");
    for (const end of [server.kill, server.stop]) {
      await end();
      const calls = [
        store.listAccounts(),
        newAccount(store, "lost"),
        store.recordRequest(requestRow(1)),
        store.ping(),
      ];
      for (const error of await Promise.all(calls.map((call) => refusal(call, url)))) {
        assert.equal(error.code, "unavailable", error.message);
        assert.match(
          error.message,
          /^the PostgreSQL database test_\d+ at 127\.0\.0\.1:\d+ is not available \(/,
        );
      }
      await server.start();
      assert.deepEqual(await ids(store), ["a"]);
      await store.recordRequest(requestRow(2));
      await store.ping();
    }
    assert.deepEqual(await store.listRequests({ limit: 9 }), [stored(requestRow(2))]);
  });
}

test("a session ended under way fails its call alone", async (context) => {
  const { server, name, store } = await newStore(context);
  const client = await newClient(context, server.url(name));
  await client.query("begin; lock table accounts");
  const waiting = refusal(newAccount(store, "a"), server.url(name));
  await waiters(server, name, 1);
  await server.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and wait_event_type = 'Lock'`,
  );
  assert.equal((await waiting).code, "unavailable");
  await client.query("rollback");
  await newAccount(store, "a");
  assert.deepEqual(await ids(store), ["a"]);
});

/** Resolves when that many sessions of the database wait for a lock. */
async function waiters(server: Awaited<ReturnType<typeof sharedPostgres>>, name: string, count: number) {
  for (;;) {
    const rows = await server.query(
      `select 1 from pg_stat_activity where datname = '${name}' and wait_event_type = 'Lock'`,
    );
    if (rows.length === count) return;
  }
}

test("every request acknowledged before the server is killed is there afterwards", async (context) => {
  const { server, store } = await newStore(context, openStore);
  const acknowledged = new Set<string>();
  let next = 0;
  for (const rows of [1, 40, 200]) {
    const enough = Promise.withResolvers<void>();
    const before = acknowledged.size;
    const caller = async () => {
      for (;;) {
        const row = requestRow(next++);
        await store.recordRequest(row);
        acknowledged.add(row.id);
        if (acknowledged.size - before >= rows) enough.resolve();
      }
    };
    const callers = Array.from({ length: 8 }, () => assert.rejects(caller(), { code: "unavailable" }));
    await enough.promise;
    await server.kill();
    await Promise.all(callers);
    await server.start();
    const found = new Set((await store.listRequests({ limit: 10_000 })).map(({ id }) => id));
    assert.deepEqual(
      [...acknowledged].filter((id) => !found.has(id)),
      [],
    );
  }
});

test("a session that hangs is given up, and the next call gets another", {
  skip: process.platform === "win32",
}, async (context) => {
  const { server, url, name, store } = await newStore(context, openStoreInProcess, {
    statementTimeoutMs: 100,
  });
  await store.ping();
  const sessions = await server.query(
    `select pid from pg_stat_activity where datname = '${name}' and application_name = 'plaza'`,
  );
  const [{ pid } = {}] = sessions;
  assert.equal(sessions.length, 1);
  process.kill(Number(pid), "SIGSTOP");
  try {
    assert.equal((await refusal(store.ping(), url)).code, "unavailable");
    await store.ping();
  } finally {
    process.kill(Number(pid), "SIGCONT");
  }
});

test("a server that hangs fails calls in time, lets the store close, and is used again when it goes on", {
  skip: process.platform !== "linux",
}, async (context) => {
  const { server, url, store } = await newStore(context, openStoreInProcess, { statementTimeoutMs: 100 });
  const other = await openUrl(url);
  await newAccount(store, "a");
  await store.recordRequest(requestRow(2));
  await other.ping();
  server.pause();
  try {
    const calls = [store.ping(), store.recordRequest(requestRow(1))];
    for (const error of await Promise.all(calls.map((call) => refusal(call, url)))) {
      assert.equal(error.code, "unavailable");
      assert.match(error.message, /it does not answer in time/);
    }
    await other.close();
  } finally {
    server.resume();
  }
  // Calls are refused until a connection made in the background is answered (`reachability.ts`).
  const isRefused = () =>
    store.ping().then(
      () => false,
      () => true,
    );
  while (await isRefused()) await new Promise(setImmediate);
  assert.deepEqual(await ids(store), ["a"]);
  await store.recordRequest(requestRow(1));
});

test("a read-only server is named as such, nothing is written, and writing goes on afterwards", async (context) => {
  const { server, url, store } = await newStore(context);
  const empty = await server.newDatabase();
  await newAccount(store, "a");
  await server.setReadOnly(true);
  try {
    const fresh = await openUrl(empty);
    const started = await openUrl(url);
    context.after(() => Promise.all([fresh.close(), started.close()]));
    // Nothing is missing there, so nothing is written.
    await started.migrate();
    const calls = [fresh.migrate(), newAccount(started, "b"), started.recordRequest(requestRow(1))];
    for (const error of await Promise.all(calls.map((call) => refusal(call, url)))) {
      assert.equal(error.code, "read_only", error.message);
      assert.match(error.message, /is read-only: point Plaza at the primary server/);
    }
    assert.deepEqual(await ids(started), ["a"]);
  } finally {
    await server.setReadOnly(false);
  }
  const tables = await server.query(
    "select 1 from pg_tables where schemaname = 'public'",
    new URL(empty).pathname.slice(1),
  );
  assert.deepEqual(tables, []);
  await newAccount(store, "b");
  await server.freeDatabase(empty);
});

test("a user without the right to make tables is told so", async (context) => {
  const { server, url, name } = await newStore(context);
  await server.query("create role guest login password 'guest-secret' connection limit 1");
  context.after(() => server.query("drop role guest"));
  const parts = new URL(url);
  parts.username = "guest";
  parts.password = "guest-secret";
  const store = await openUrl(parts.href);
  const error = await refusal(store.listAccounts(), parts.href);
  assert.equal(error.code, "cannot_open");
  assert.match(
    error.message,
    /lacks a right for the user of the URL \(permission denied for table accounts\)/,
  );
  const crowded = await refusal(openUrl(parts.href), parts.href);
  assert.equal(crowded.code, "unavailable");
  assert.match(
    crowded.message,
    new RegExp(`database ${name} at .* has no connection left: raise max_connections`),
  );
  await store.close();
});

for (const [name, open] of opens) {
  test(`another session's lock is waited for, up to a bound (${name})`, async (context) => {
    const { server, url, store, name: database } = await newStore(context, open, { busyTimeoutMs: 100 });
    const client = await newClient(context, url);
    await client.query("begin; lock table requests, accounts");
    const locked = { name: "StoreError", code: "locked", message: /another session keeps .* locked/ };
    await assert.rejects(store.recordRequest(requestRow(1)), locked);
    await assert.rejects(newAccount(store, "a"), locked);
    await client.query("rollback");
    await store.recordRequest(requestRow(1));
    await newAccount(store, "a");
    // The writers' lock, held by a transaction of another store.
    await client.query("begin; insert into changes (kind, subject, at) values ('catalog', '', 0)");
    await assert.rejects(newAccount(store, "b"), locked);
    await client.query("rollback");
    await newAccount(store, "b");
    assert.deepEqual(await ids(store), ["a", "b"]);
    const open_ = await server.query(
      `select 1 from pg_stat_activity where datname = '${database}' and state like 'idle in%'`,
    );
    assert.deepEqual(open_, [], "no transaction is left open");
  });
}

/** Asks the server whether this store's sessions are encrypted. */
async function isEncrypted(
  server: Awaited<ReturnType<typeof sharedPostgres>>,
  url: string,
): Promise<boolean> {
  const name = new URL(url).pathname.slice(1);
  const rows = await server.query(
    `select ssl from pg_stat_ssl join pg_stat_activity using (pid) where datname = '${name}' and application_name = 'plaza'`,
  );
  assert.ok(rows.length > 0);
  return rows.every(({ ssl }) => ssl === true);
}

test("over TLS: with a certificate that is checked, and never without where the URL asks for it", async (context) => {
  const server = await startPostgres();
  context.after(() => server.close());
  const directory = mkdtempSync(join(tmpdir(), "plaza-tls-"));
  context.after(() => rmSync(directory, { recursive: true }));
  const authority = join(directory, "ca.pem");
  writeFileSync(authority, testCertificate);
  const plain = await server.newDatabase();
  const checked = `${plain}?sslmode=verify-full&sslrootcert=${encodeURIComponent(authority)}`;
  assert.equal(((await refusal(openUrl(checked), plain)) as { code?: unknown }).code, "cannot_open");

  await server.setTls({ certificate: testCertificate, key: testCertificateKey });
  for (const open of [openStoreInProcess, openStore]) {
    const store = await openUrl(checked, open);
    await store.migrate();
    await store.createAccount({ id: `acc_${open.name}`, name: "A", balance: nanoUsd(1n) });
    assert.ok(await isEncrypted(server, plain));
    await store.close();
  }
  const untrusted = await refusal(openUrl(`${plain}?sslmode=verify-full`), plain);
  assert.equal(untrusted.code, "cannot_open");
  assert.match(untrusted.message, /certificate.*sslrootcert/);

  await server.setTls({ certificate: mediaTestCertificate, key: mediaTestKey });
  writeFileSync(authority, mediaTestCertificate);
  const otherName = await refusal(openUrl(checked), plain);
  assert.equal(otherName.code, "cannot_open", otherName.message);
});
