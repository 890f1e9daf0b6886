/** The threads as such: how many there are, who waits, and what becomes of calls when one ends. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { type TestContext, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { defaultTimeouts } from "@plaza/contract/catalog.ts";
import { CallRefused } from "../fault-error.ts";
import type { ToThread, TranslationTask } from "./messages.ts";
import {
  TranslationFailed,
  TranslationStopped,
  TranslationThreads,
  type TranslationThreadsOptions,
  type TranslationWorker,
} from "./translation-threads.ts";

const upstream = {
  id: "up",
  provider: "anthropic",
  baseUrl: "https://up.test/v1",
  credentials: ["k"],
  timeouts: defaultTimeouts,
};
const task: TranslationTask = {
  caller: "openai-chat",
  upstream,
  deployment: { model: "m", formats: undefined },
  answerId: "chatcmpl-1",
  request: { spans: {}, isStream: false } as TranslationTask["request"],
  seal: undefined,
};
const body = Buffer.from('{"model":"m","messages":[{"role":"user","content":"hi"}]}');
const encode = { credential: "k", remembered: [], media: undefined };

/** A thread whose answers are given by the test. */
class FakeWorker implements TranslationWorker {
  readonly sent: ToThread[] = [];
  isTerminated = false;
  readonly #listeners = new Map<string, (what?: unknown) => void>();

  postMessage(message: ToThread): void {
    this.sent.push(message);
  }

  on(event: string, listener: (...what: never[]) => void): void {
    this.#listeners.set(event, listener as (what?: unknown) => void);
  }

  unref(): void {}

  terminate(): void {
    this.isTerminated = true;
  }

  die(): void {
    this.#listeners.get("exit")?.();
  }

  /** Kinds of the messages, in order. */
  get kinds(): string[] {
    return this.sent.map(({ kind }) => kind);
  }

  /** Answers the oldest job that has no answer. */
  answer(message: { gives?: unknown; fault?: unknown; error?: string } = { gives: "done" }): void {
    const at = this.sent.findIndex((one) => "job" in one);
    const [job] = this.sent.splice(at, 1) as [ToThread & { job: number }];
    this.#listeners.get("message")?.({ job: job.job, ...message });
  }
}

function fakes(options: Omit<TranslationThreadsOptions, "start"> = {}) {
  const workers: FakeWorker[] = [];
  const start = (): FakeWorker => {
    const worker = new FakeWorker();
    workers.push(worker);
    return worker;
  };
  return { workers, threads: new TranslationThreads({ start, ...options }) };
}

const stopped = (text: RegExp) => (error: Error) => {
  assert.ok(error instanceof TranslationStopped, String(error));
  assert.match(error.message, text);
  return true;
};

test("no thread runs before the first call; one call needs one", async () => {
  const { threads, workers } = fakes();
  assert.equal(threads.count, 0);
  const session = threads.open(task, body);
  assert.equal(threads.count, 1);
  const encoding = session.run("encode", encode);
  await turn();
  assert.deepEqual(workers[0]?.kinds, ["open", "encode"]);
  workers[0]?.answer();
  assert.equal(await encoding, "done");
  session.close();
  assert.deepEqual(workers[0]?.kinds, ["open", "close"]);
});

test("the body is copied: the caller's stays for another attempt", async () => {
  const { threads, workers } = fakes();
  const own = Buffer.alloc(9 * 1024 * 1024, "x");
  const session = threads.open(task, own);
  const encoding = session.run("encode", encode);
  while ((workers[0]?.sent.length ?? 0) < 2) await turn();
  const opened = workers[0]?.sent[0];
  assert.ok(opened?.kind === "open" && own.equals(opened.body));
  assert.notEqual(opened.body.buffer, own.buffer);
  workers[0]?.answer();
  await encoding;
});

test("a second thread starts when the first has work, and no third", async () => {
  const { threads, workers } = fakes({ threadsMax: 2 });
  const sessions = Array.from({ length: 5 }, () => {
    const session = threads.open(task, body);
    return { session, done: session.run("encode", encode) };
  });
  assert.equal(threads.count, 2);
  // In each thread one call at a time; the others wait without a copy of their bodies.
  await turn();
  assert.deepEqual(
    workers.map(({ kinds }) => kinds),
    [
      ["open", "encode"],
      ["open", "encode"],
    ],
  );
  for (let left = sessions.length; left > 0; ) {
    for (const worker of workers) {
      if (!worker.kinds.includes("encode")) continue;
      worker.answer();
      left -= 1;
    }
    await turn();
  }
  await Promise.all(sessions.map(({ done }) => done));
});

test("beyond the bound calls are refused, and those that wait are served", async () => {
  const { threads, workers } = fakes({ threadsMax: 1, waitingMax: 2 });
  const runs = Array.from({ length: 4 }, () => threads.open(task, body).run("encode", encode));
  await assert.rejects(runs[3] as Promise<unknown>, stopped(/too many calls wait/));
  for (let index = 0; index < 3; index += 1) {
    await turn();
    workers[0]?.answer();
    assert.equal(await runs[index], "done");
  }
});

test("a call whose caller leaves while it waits is never sent", async () => {
  const { threads, workers } = fakes({ threadsMax: 1 });
  const first = threads.open(task, body).run("encode", encode);
  const left = threads.open(task, body);
  const leaving = left.run("encode", encode);
  left.close();
  left.close();
  await assert.rejects(leaving, stopped(/the call is over/));
  await turn();
  workers[0]?.answer();
  await first;
  await turn();
  assert.deepEqual(workers[0]?.kinds, ["open"]);
});

test("a caller that leaves while its call is translated frees the thread for the next", async () => {
  const { threads, workers } = fakes({ threadsMax: 1 });
  const left = threads.open(task, body);
  const leaving = left.run("encode", encode);
  await turn();
  left.close();
  const next = threads.open(task, body).run("encode", encode);
  workers[0]?.answer();
  await leaving;
  await turn();
  assert.deepEqual(workers[0]?.kinds, ["open", "close", "open", "encode"]);
  workers[0]?.answer();
  await next;
  await assert.rejects(left.run("encode", encode), stopped(/the call is over/));
});

test("a caller that leaves while its body is copied frees the thread, too", async () => {
  const { threads, workers } = fakes({ threadsMax: 1 });
  const left = threads.open(task, Buffer.alloc(9 * 1024 * 1024));
  const leaving = left.run("encode", encode);
  left.close();
  const next = threads.open(task, body).run("encode", encode);
  await assert.rejects(leaving, stopped(/the call is over/));
  while (!workers[0]?.kinds.includes("encode")) await turn();
  assert.deepEqual(workers[0]?.kinds, ["open", "encode"]);
  workers[0]?.answer();
  await next;
});

test("a thread that dies fails its own calls; the next call gets a new one", async () => {
  const { threads, workers } = fakes({ threadsMax: 2 });
  const one = threads.open(task, body);
  const doomed = one.run("encode", encode);
  const other = threads.open(task, body).run("encode", encode);
  const waiting = threads.open(task, body).run("encode", encode);
  await turn();
  workers[0]?.die();
  await assert.rejects(doomed, stopped(/ended/));
  await assert.rejects(waiting, stopped(/ended/));
  await assert.rejects(one.run("encode", encode), stopped(/ended/));
  await assert.rejects(one.push(body), stopped(/ended/));
  one.close();
  workers[1]?.answer();
  assert.equal(await other, "done");
  assert.equal(threads.count, 1);
  void threads.open(task, body).run("encode", encode);
  void threads.open(task, body).run("encode", encode);
  assert.equal(threads.count, 2);
});

test("a thread that is at one job for too long is ended", async (t: TestContext) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { threads, workers } = fakes({ jobMs: 1_000 });
  const stuck = threads.open(task, body).run("encode", encode);
  await turn();
  t.mock.timers.tick(999);
  assert.equal(workers[0]?.isTerminated, false);
  t.mock.timers.tick(1);
  await assert.rejects(stuck, stopped(/stuck/));
  assert.equal(workers[0]?.isTerminated, true);
  assert.equal(threads.count, 0);
});

test("a thread without calls ends after a while, and not while it has one", async (t: TestContext) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { threads, workers } = fakes({ idleMs: 1_000, threadsMax: 1 });
  const first = threads.open(task, body);
  const second = threads.open(task, body);
  first.close();
  t.mock.timers.tick(1_000);
  assert.equal(threads.count, 1);
  second.close();
  t.mock.timers.tick(999);
  const third = threads.open(task, body);
  t.mock.timers.tick(1_000);
  assert.equal(threads.count, 1);
  third.close();
  t.mock.timers.tick(1_000);
  assert.equal(threads.count, 0);
  assert.equal(workers[0]?.isTerminated, true);
});

test("refusals and bugs come back as what they are", async () => {
  const { threads, workers } = fakes({ threadsMax: 1 });
  const session = threads.open(task, body);
  const fault = { kind: "unsupported", message: "no", param: "messages[0]" } as const;
  const refused = session.run("encode", encode);
  await turn();
  workers[0]?.answer({ fault });
  await assert.rejects(refused, (error: CallRefused) => {
    assert.ok(error instanceof CallRefused);
    assert.deepEqual(error.fault, fault);
    return true;
  });
  const bug = session.run("encode", encode);
  await turn();
  workers[0]?.answer({ error: "TypeError" });
  await assert.rejects(
    bug,
    (error: Error) => error instanceof TranslationFailed && error.name === "TypeError",
  );
});

test("closing ends all threads and rejects what they have", async () => {
  const { threads, workers } = fakes({ threadsMax: 1 });
  const runs = [threads.open(task, body), threads.open(task, body)].map((one) => one.run("encode", encode));
  await turn();
  threads.stop();
  for (const run of runs) await assert.rejects(run, stopped(/the process stops/));
  await assert.rejects(threads.open(task, body).run("encode", encode), stopped(/ended|stops/));
  assert.ok(workers.every(({ isTerminated }) => isTerminated));
});

test("a real thread that runs out of memory fails its call and nothing else", async () => {
  const threads = new TranslationThreads({
    threadsMax: 1,
    start: () =>
      new Worker(
        `require("node:worker_threads").parentPort.on("message", ({ kind }) => {
        const all = [];
        while (kind === "encode") all.push(new Array(1e6).fill({}));
      })`,
        { eval: true, resourceLimits: { maxOldGenerationSizeMb: 32 } },
      ),
  });
  const session = threads.open(task, body);
  await assert.rejects(session.run("encode", encode), TranslationStopped);
  assert.equal(threads.count, 0);
});

test("a real thread translates, and holds no process up", async () => {
  const file = fileURLToPath(new URL("../testing/thread-child.ts", import.meta.url));
  const child = spawn(process.execPath, [file, JSON.stringify(task), body.toString()], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let out = "";
  child.stdout.on("data", (chunk) => {
    out += chunk;
  });
  const [status] = await once(child, "close");
  assert.equal(status, 0);
  const { messages } = JSON.parse(out) as { messages: unknown };
  assert.deepEqual(messages, [{ role: "user", content: [{ type: "text", text: "hi" }] }]);
});
