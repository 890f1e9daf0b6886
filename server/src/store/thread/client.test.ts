import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { Worker } from "node:worker_threads";
import { nanoUsd } from "@plaza/contract/money.ts";
import { createStore } from "../create-store.ts";
import { openStore } from "../open.ts";
import { requestRow } from "../testing/behaviour/requests.ts";
import { openInThread } from "./client.ts";
import type { CoreSettings } from "./messages.ts";
import { newThreads, type StorageThreads, startThread, threadAhead } from "./start.ts";

function newFile(context: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), "store-"));
  context.after(() => rmSync(directory, { recursive: true }));
  return join(directory, "plaza.db");
}

const settingsFor = (file: string): CoreSettings => ({
  database: { kind: "sqlite", file },
  secretKey: randomBytes(32),
  busyTimeoutMs: 5_000,
  statementTimeoutMs: 5_000,
  connectionsMax: 8,
});

/** New threads, told to the test. */
const watched = (onWorker: (worker: Worker) => void): StorageThreads => ({
  ...newThreads,
  take() {
    const worker = newThreads.take();
    onWorker(worker);
    return worker;
  },
});

test("a dead thread rejects everything pending and everything later, and closing is still possible", async (context) => {
  let worker: Worker | undefined;
  const settings = settingsFor(newFile(context));
  const threads = watched((started) => {
    worker = started;
  });
  const store = createStore(await openInThread(settings, threads));
  await store.migrate();
  const gone = {
    name: "StoreError",
    code: "thread_stopped",
    message: /storage thread stopped .*restart Plaza/,
  };
  const pending = [store.ping(), store.recordRequest(requestRow(1)), store.loadCatalog()];
  const outcomes = Promise.allSettled(pending);
  await worker?.terminate();
  for (const outcome of await outcomes) {
    if (outcome.status === "rejected") assert.equal(outcome.reason.code, "thread_stopped");
  }
  await assert.rejects(store.ping(), gone);
  await assert.rejects(store.recordRequest(requestRow(2)), gone);
  await store.close();
});

test("what is pending when the thread dies is rejected", async (context) => {
  let worker: Worker | undefined;
  const settings = settingsFor(newFile(context));
  const threads = watched((started) => {
    worker = started;
  });
  const core = await openInThread(settings, threads);
  // Messages this thread posts after that are not answered.
  const ended = worker?.terminate();
  await assert.rejects(core.ping(), { code: "thread_stopped" });
  await ended;
});

test("an error keeps its name, code and message on its way out of the thread", async (context) => {
  const store = await openStore({
    database: { kind: "sqlite", file: newFile(context) },
    secretKey: randomBytes(32),
  });
  context.after(() => store.close());
  await store.migrate();
  await assert.rejects(store.createAccount({ id: "a", name: "A", balance: nanoUsd(-1n) }), {
    name: "StoreError",
    code: "invalid",
    message: "the initial balance cannot be negative",
  });
  await assert.rejects(store.findAccount(Symbol("a") as unknown as string), { name: "DataCloneError" });
});

test("a database that cannot be opened rejects openStore and leaves no thread behind", async (context) => {
  const file = join(newFile(context), "in", "no", "directory.db");
  await assert.rejects(openStore({ database: { kind: "sqlite", file }, secretKey: randomBytes(32) }), {
    name: "StoreError",
    code: "cannot_open",
    message: /directory\.db cannot be opened: directory .* does not exist: create it/,
  });
});

test("a thread that goes on after it was told to end is ended", async (context) => {
  const worker = new Worker("setInterval(() => {}, 1_000)", { eval: true });
  await once(worker, "online");
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const given = newThreads.give(worker);
  context.mock.timers.tick(1_000);
  await given;
  assert.equal(worker.threadId, -1);
});

test("a thread that was started ahead opens the first store; a later one gets a thread of its own", async (context) => {
  const threads = threadAhead("sqlite");
  const taken: Worker[] = [];
  const noted: StorageThreads = {
    ...threads,
    take() {
      const worker = threads.take();
      taken.push(worker);
      return worker;
    },
  };
  const settings = settingsFor(newFile(context));
  const first = createStore(await openInThread(settings, noted));
  await first.migrate();
  const second = createStore(await openInThread(settings, noted));
  await second.ping();
  assert.equal(new Set(taken).size, 2);
  await first.close();
  await second.close();
});

test("a thread that ended before it was needed is replaced", async (context) => {
  const started: Worker[] = [];
  const threads = threadAhead("sqlite", (kind) => {
    const worker = startThread(kind);
    started.push(worker);
    return worker;
  });
  await started[0]?.terminate();
  const store = createStore(await openInThread(settingsFor(newFile(context)), threads));
  await store.migrate();
  await store.close();
  assert.equal(started.length, 2);
});

test("a thread has a small young generation, whatever the flag of the serving thread", async () => {
  const limitOf = async (worker: Worker): Promise<number> => {
    await once(worker, "online");
    const { heap_size_limit: bytes } = await worker.getHeapStatistics();
    await worker.terminate();
    return bytes;
  };
  // Three halves count.
  setFlagsFromString("--max-semi-space-size=64");
  const large = await limitOf(new Worker("setInterval(() => {}, 1_000)", { eval: true }));
  const own = await limitOf(startThread());
  assert.ok(large - own >= 180 * 1024 * 1024, `${large - own} bytes less`);
});
