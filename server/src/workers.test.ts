import assert from "node:assert/strict";
import type { Cluster, Worker } from "node:cluster";
import { EventEmitter } from "node:events";
import { test } from "node:test";
import { createLog } from "./lib/log.ts";
import { replacementDelayMs, startWorkers } from "./workers.ts";

class FakeWorker extends EventEmitter {
  readonly id: number;
  readonly signals: string[] = [];
  readonly sent: unknown[] = [];
  readonly process: { pid: number | undefined; kill: (signal: string) => number } = {
    pid: 1,
    kill: (signal) => this.signals.push(signal),
  };
  constructor(id: number) {
    super();
    this.id = id;
  }
  isConnected = (): boolean => true;
  send = (message: unknown): boolean => {
    this.sent.push(message);
    return true;
  };
}

class FakeCluster extends EventEmitter {
  readonly forked: FakeWorker[] = [];
  fork = (): Worker => {
    const worker = new FakeWorker(this.forked.length + 1);
    this.forked.push(worker);
    return worker as unknown as Worker;
  };
  listen(worker: FakeWorker | undefined, port = 8080): void {
    this.emit("listening", worker, { port });
  }
  end(worker: FakeWorker | undefined): void {
    this.emit("exit", worker, 1, null);
  }
}

function setUp(count: number, addresses = 1) {
  const cluster = new FakeCluster();
  let nowMs = 0;
  const clock = { wallMs: () => nowMs, elapsedMs: () => nowMs };
  const lines: string[] = [];
  const log = createLog({ level: "info", clock, write: (line) => void lines.push(line) });
  const due: { ms: number; then: () => void }[] = [];
  const workers = startWorkers({
    cluster: cluster as unknown as Pick<Cluster, "fork" | "on">,
    count,
    addresses,
    clock,
    log,
    later: (ms, then) => void due.push({ ms, then }),
    retireMs: 60_000,
  });
  const at = (ms: number): void => {
    nowMs = ms;
  };
  return { cluster, workers, due, lines, at, forked: cluster.forked };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("the pause before a replacement doubles up to half a minute", () => {
  assert.deepEqual([0, 1, 2, 8, 9, 1_000].map(replacementDelayMs), [100, 200, 400, 25_600, 30_000, 30_000]);
});

test("ports are known when all listen on all their addresses", async () => {
  const { cluster, workers, forked } = setUp(2, 2);
  cluster.listen(forked[0], 9090);
  cluster.listen(forked[1], 9090);
  cluster.listen(forked[0], 8080);
  assert.equal(await Promise.race([workers.listening, "not yet"]), "not yet");
  cluster.listen(forked[1], 8080);
  assert.deepEqual(await workers.listening, { console: 9090, endpoint: 8080 });
});

test("one that dies at once is replaced more and more slowly, each place by itself; one that lived starts anew", () => {
  const { cluster, due, forked, at } = setUp(2);
  for (const wantedMs of [200, 400, 800]) {
    cluster.end(forked.at(-1));
    assert.equal(due.at(-1)?.ms, wantedMs);
    due.at(-1)?.then();
  }
  cluster.listen(forked.at(-1));
  at(1_000);
  cluster.end(forked.at(-1));
  assert.equal(due.at(-1)?.ms, 1_600);
  due.at(-1)?.then();
  cluster.listen(forked.at(-1));
  at(3_000);
  cluster.end(forked.at(-1));
  assert.equal(due.at(-1)?.ms, 100);
  cluster.end(forked[0]);
  assert.equal(due.at(-1)?.ms, 200);
});

test("a reload replaces one after the other: the old one is told when the new one listens", async () => {
  const { cluster, workers, forked } = setUp(2);
  cluster.listen(forked[0]);
  cluster.listen(forked[1]);
  const reloading = workers.reload();
  assert.equal(workers.reload(), reloading, "one at a time");
  await turn();
  assert.equal(forked.length, 3);
  assert.deepEqual(forked[0]?.sent, []);
  cluster.listen(forked[2]);
  await turn();
  assert.equal(forked[0]?.sent.length, 1);
  assert.equal(forked.length, 3, "the second waits for the first to end");
  cluster.end(forked[0]);
  await turn();
  assert.equal(forked.length, 4);
  cluster.listen(forked[3]);
  await turn();
  cluster.end(forked[1]);
  await reloading;
  assert.deepEqual([forked[2]?.sent, forked[3]?.sent], [[], []]);
});

test("a new process that does not come up ends the reload; the old ones stay, and are replaced when they die", async () => {
  const { cluster, workers, forked, due, lines } = setUp(2);
  cluster.listen(forked[0]);
  cluster.listen(forked[1]);
  const reloading = workers.reload();
  await turn();
  cluster.end(forked[2]);
  await reloading;
  assert.match(lines.at(-1) ?? "", /reload_failed/);
  assert.deepEqual([forked.length, due.length], [3, 0]);
  assert.deepEqual([forked[0]?.sent, forked[1]?.sent], [[], []]);
  cluster.end(forked[0]);
  assert.equal(due.length, 1);
});

test("a message that could not be sent is nothing; a process that could not be started is tried again", () => {
  const { cluster, forked, due } = setUp(1);
  const [first] = forked;
  cluster.listen(first);
  first?.emit("error", new Error("write EPIPE"));
  assert.equal(due.length, 0);
  cluster.end(first);
  assert.equal(due.length, 1);
  due[0]?.then();
  const second = forked.at(-1);
  assert.ok(second !== undefined && second !== first);
  second.process.pid = undefined;
  second.emit("error", new Error("spawn EAGAIN"));
  assert.equal(due.length, 2);
});

test("a stop passes the signal on, waits for all, and replaces nobody any more", async () => {
  const { cluster, workers, forked, due } = setUp(2);
  cluster.end(forked[0]);
  due[0]?.then();
  const stopped = workers.stop("SIGINT");
  assert.deepEqual([forked[1]?.signals, forked[2]?.signals], [["SIGINT"], ["SIGINT"]]);
  cluster.end(forked[1]);
  assert.equal(await Promise.race([stopped, turn().then(() => "waiting")]), "waiting");
  cluster.end(forked[2]);
  await stopped;
  assert.equal(due.length, 1);
  assert.equal(forked.length, 3);
});

test("a reload that is under way when the stop comes starts no other process", async () => {
  const { cluster, workers, forked } = setUp(2);
  cluster.listen(forked[0]);
  cluster.listen(forked[1]);
  const reloading = workers.reload();
  await turn();
  cluster.listen(forked[2]);
  await turn();
  const stopped = workers.stop("SIGTERM");
  cluster.end(forked[0]);
  await reloading;
  assert.equal(forked.length, 3, "the second is about to end, not to be replaced");
  cluster.end(forked[1]);
  cluster.end(forked[2]);
  await stopped;
});
