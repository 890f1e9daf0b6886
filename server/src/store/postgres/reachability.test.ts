/** A host that vanishes is noticed and calls are refused at once; a slow one is waited for. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import type { Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { startRelay } from "../../../../test/postgres/relay.ts";
import { sharedPostgres } from "../../../../test/postgres/shared.ts";
import type { StoreError } from "../error.ts";
import { openStore, openStoreInProcess } from "../open.ts";
import { createPostgresPool, serverOf } from "./pool.ts";
import { createProbe, type Probe, Reachability } from "./reachability.ts";

const minute = 60_000;
const silence = /is not available \(it does not answer in time\)/;
/** A call that waits for its statement's time ends its test. */
const timeout = 20_000;

async function newRelay(context: TestContext) {
  const server = await sharedPostgres();
  const direct = await server.newDatabase();
  const relay = await startRelay(server.port);
  const url = new URL(direct);
  url.port = String(relay.port);
  context.after(async () => {
    await relay.close();
    await server.freeDatabase(direct);
  });
  return { server, relay, direct, url: url.href, name: url.pathname.slice(1) };
}

/** Resolves with the error of a call that is refused before the event loop turns twice. */
async function refusedAtOnce(call: Promise<unknown>): Promise<StoreError> {
  const refused = call.then(
    () => assert.fail("it was done"),
    (error: StoreError) => error,
  );
  const late = new Promise<undefined>((resolve) => setImmediate(() => resolve(undefined)));
  return (await Promise.race([refused, late])) ?? assert.fail("it waits");
}

async function eventually(work: () => Promise<unknown>): Promise<void> {
  for (;;) {
    const isDone = await work().then(
      () => true,
      () => false,
    );
    if (isDone) return;
    // What is refused at once leaves the event loop no other turn.
    await new Promise(setImmediate);
  }
}

for (const [name, open] of [
  ["in the process", openStoreInProcess],
  ["in a thread", openStore],
] as const) {
  test(`a host that vanished fails what is under way, whatever its timeouts, and is found again (${name})`, {
    timeout,
  }, async (context) => {
    const { relay, url } = await newRelay(context);
    const statementTimeoutMs = minute;
    const secretKey = randomBytes(32);
    const store = await open({ database: { kind: "postgres", url }, secretKey, statementTimeoutMs });
    await store.migrate();
    await store.listAccounts();
    relay.fallSilent();
    // More calls than connections: some ask, some wait for a connection.
    const calls = Array.from({ length: 20 }, () => store.listAccounts());
    for (const call of calls) await assert.rejects(call, { code: "unavailable", message: silence });
    if (open === openStoreInProcess) {
      const made = relay.connections();
      const error = await refusedAtOnce(store.ping());
      assert.deepEqual([error.code, relay.connections()], ["unavailable", made]);
    }
    relay.speak();
    await eventually(() => store.listAccounts());
    await store.close();
  });
}

test("a commit of the ledger that is under way keeps its connection: its outcome must be known", {
  timeout,
}, async (context) => {
  const { relay, url } = await newRelay(context);
  const secretKey = randomBytes(32);
  const store = await openStoreInProcess({
    database: { kind: "postgres", url },
    secretKey,
    statementTimeoutMs: minute,
  });
  await store.migrate();
  const subject = { kind: "account", id: "acc", ownerId: "acc" } as const;
  const take = () => store.takeLease("nobody", subject, { need: 1n, atLeast: 1n, unit: 1n, want: 1n });
  assert.equal((await take()).status, "fenced");
  relay.fallSilent();
  const taken = take();
  await assert.rejects(store.listAccounts(), { code: "unavailable", message: silence });
  relay.speak();
  assert.equal((await taken).status, "fenced");
  await store.close();
});

/** A pool whose own timeouts are too long for a test. Nothing is watched yet. */
function newPool(url: string, connectionsMax: number) {
  const reachability: Reachability = new Reachability({
    server: serverOf(url),
    newProbe: (newSocket) => createProbe(url, newSocket),
    onLost: (error) => pool.breakAll(error),
  });
  const timeouts = { connectTimeoutMs: minute, statementTimeoutMs: minute, lockTimeoutMs: minute };
  const pool = createPostgresPool({ ...timeouts, url, connectionsMax, reachability });
  return { pool, reachability };
}

test("calls that wait for a connection when the host vanishes are refused with those that have one", {
  timeout,
}, async (context) => {
  const { relay, url } = await newRelay(context);
  const { pool, reachability } = newPool(url, 1);
  const client = await pool.acquire();
  reachability.watch();
  relay.fallSilent();
  const waiting = [pool.acquire(), pool.acquire(), pool.acquire()];
  for (const call of waiting) call.catch(() => {});
  await assert.rejects(client.query("select 1"), { message: silence });
  client.release();
  for (const call of waiting) await assert.rejects(call, { message: silence });
  reachability.close();
  await pool.close();
});

test("a statement that waits for a lock is no loss while a new connection is answered", {
  timeout: 20_000,
}, async (context) => {
  const { server, url, name, relay } = await newRelay(context);
  const { pool, reachability } = newPool(url, 2);
  const [holder, waiter] = [await pool.acquire(), await pool.acquire()];
  await holder.query("select pg_advisory_lock(7)");
  reachability.watch();
  const waiting = waiter.query("select pg_advisory_lock(7)");
  const made = relay.connections();
  // Asked several times without a loss, on one session: longer than a silence may last.
  const asked = new Set<unknown>();
  while (asked.size < 5) {
    const [row] = await server.query(
      `select query_start from pg_stat_activity where datname = '${name}' and query = 'select 1' and state = 'idle'`,
    );
    if (row !== undefined) asked.add(String(Number(row["query_start"])));
  }
  assert.deepEqual([reachability.lost, relay.connections()], [undefined, made + 1]);
  await holder.query("select pg_advisory_unlock(7)");
  await waiting;
  for (const client of [holder, waiter]) client.release();
  reachability.close();
  await pool.close();
});

/** A watch over one socket, with a clock by hand. `answers`: what becomes of each question. */
function byHand(context: TestContext, answers: () => Promise<void>) {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const counts = { asked: 0, probes: 0, lost: 0 };
  const newProbe = (): Probe => {
    counts.probes += 1;
    return {
      ask() {
        counts.asked += 1;
        return answers();
      },
      close() {},
    };
  };
  const onLost = () => {
    counts.lost += 1;
  };
  const reachability = new Reachability({ server: "the database", newProbe, onLost });
  let bytes = 0;
  const socket: Socket = reachability.newSocket();
  Object.defineProperty(socket, "bytesRead", { get: () => bytes });
  return {
    reachability,
    counts,
    receive() {
      bytes += 1;
    },
    async pass(ms: number) {
      for (let passed = 0; passed < ms; passed += 100) {
        context.mock.timers.tick(100);
        await new Promise(setImmediate);
      }
    },
  };
}

const never = () => new Promise<void>(() => {});

test("silence for a second is a loss, half a second on the way is none", async (context) => {
  const { reachability, counts, receive, pass } = byHand(context, never);
  reachability.begin();
  await pass(5_000);
  assert.equal(reachability.lost, undefined, "before it is watched, nothing is lost");
  reachability.end();
  reachability.watch();
  for (let answer = 0; answer < 20; answer += 1) {
    reachability.begin();
    await pass(500);
    receive();
    reachability.end();
  }
  assert.equal(reachability.lost, undefined);
  await pass(5_000);
  assert.equal(reachability.lost, undefined, "nothing waits, so nothing is missing");
  reachability.begin();
  await pass(1_000);
  assert.equal(reachability.lost, undefined);
  await pass(300);
  assert.notEqual(reachability.lost, undefined);
  assert.deepEqual([counts.lost, counts.asked > 0], [1, true]);
  reachability.close();
});

test("a lost host is asked on a new connection each second until one is answered", async (context) => {
  let answer = never;
  const { reachability, counts, pass } = byHand(context, () => answer());
  reachability.watch();
  reachability.begin();
  await pass(1_300);
  reachability.end();
  const before = counts.probes;
  await pass(12_000);
  assert.ok(counts.probes - before >= 9 && counts.probes - before <= 11, `${counts.probes - before}`);
  answer = async () => {
    throw new Error("no route to host");
  };
  await pass(2_000);
  assert.notEqual(reachability.lost, undefined);
  answer = async () => {};
  await pass(400);
  assert.deepEqual([reachability.lost, counts.lost], [undefined, 1]);
  reachability.close();
});
