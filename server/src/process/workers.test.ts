import assert from "node:assert/strict";
import type { Cluster, Worker } from "node:cluster";
import { EventEmitter } from "node:events";
import { test } from "node:test";
import { createLog } from "../lib/telemetry/log.ts";
import type { SocketHandle } from "./shared-sockets.ts";
import { socketsWanted } from "./worker-messages.ts";
import { replacementDelayMs, startWorkers } from "./workers.ts";

class FakeWorker extends EventEmitter {
  readonly id: number;
  readonly signals: string[] = [];
  readonly sent: unknown[] = [];
  readonly handles: unknown[] = [];
  readonly process: { pid: number | undefined; kill: (signal: string) => number } = {
    pid: 1,
    kill: (signal) => this.signals.push(signal),
  };
  constructor(id: number) {
    super();
    this.id = id;
  }
  isConnected = (): boolean => true;
  send = (message: unknown, handle?: unknown): boolean => {
    this.sent.push(message);
    if (handle !== undefined) this.handles.push(handle);
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
  hear(worker: FakeWorker | undefined, message: unknown): void {
    this.emit("message", worker, message);
  }
  listen(worker: FakeWorker | undefined, ports = { endpoint: 8080, console: 8080 }): void {
    this.hear(worker, { plaza: "listening", ports });
  }
  end(worker: FakeWorker | undefined): void {
    this.emit("exit", worker, 1, null);
  }
}

/** Sockets that record whether they are open. */
function fakeSockets(count: number) {
  const handles = Array.from({ length: count }, () => ({ getsockname: () => 0, close() {} }) as SocketHandle);
  return {
    isOpen: true,
    opened: 0,
    handles,
    open() {
      this.isOpen = true;
      this.opened += 1;
      return this.handles;
    },
    close() {
      this.isOpen = false;
    },
  };
}

function setUp(count: number, { addresses = 1, retireMs = 60_000 } = {}) {
  const sockets = fakeSockets(addresses);
  const cluster = new FakeCluster();
  let nowMs = 0;
  const clock = { wallMs: () => nowMs, elapsedMs: () => nowMs };
  const lines: string[] = [];
  const log = createLog({ level: "info", clock, write: (line) => void lines.push(line) });
  const due: { ms: number; then: () => void }[] = [];
  const workers = startWorkers({
    cluster: cluster as unknown as Pick<Cluster, "fork" | "on">,
    count,
    sockets,
    clock,
    log,
    later: (ms, then) => void due.push({ ms, then }),
    retireMs,
  });
  const at = (ms: number): void => {
    nowMs = ms;
  };
  return { cluster, sockets, workers, due, lines, at, forked: cluster.forked };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("the pause before a replacement doubles up to ten seconds, less the time the worker ran", () => {
  const delays = [1, 2, 3, 6, 7, 1_000].map((deaths) => replacementDelayMs(deaths, 0));
  assert.deepEqual(delays, [200, 400, 800, 6_400, 10_000, 10_000]);
  assert.deepEqual(
    [4, 5, 1_000].map((deaths) => replacementDelayMs(deaths, 2_500)),
    [0, 700, 7_500],
  );
  assert.equal(replacementDelayMs(0, 0), 0);
});

test("ports are known when all listen", async () => {
  const { cluster, workers, forked } = setUp(2, { addresses: 2 });
  const ports = { endpoint: 8080, console: 9090 };
  cluster.listen(forked[0], ports);
  assert.equal(await Promise.race([workers.listening, "not yet"]), "not yet");
  cluster.listen(forked[1], ports);
  assert.deepEqual(await workers.listening, ports);
});

test("one that dies at once is replaced more and more slowly, each place by itself", () => {
  const { cluster, due, forked } = setUp(2);
  for (const wantedMs of [200, 400, 800]) {
    cluster.end(forked.at(-1));
    assert.equal(due.at(-1)?.ms, wantedMs);
    due.at(-1)?.then();
  }
  cluster.end(forked[0]);
  assert.equal(due.at(-1)?.ms, 200);
});

test("one that served is replaced at once, however long its start took and however many died before it", () => {
  const { cluster, due, forked, at, lines } = setUp(1);
  let nowMs = 0;
  for (let death = 0; death < 12; death += 1) {
    cluster.end(forked.at(-1));
    const { ms = 0, then } = due.at(-1) ?? {};
    assert.ok(ms <= 10_000);
    nowMs += ms;
    at(nowMs);
    then?.();
  }
  // A start slowed down by a busy machine.
  at(nowMs + 9_000);
  cluster.listen(forked.at(-1));
  at(nowMs + 9_000 + 1_999);
  cluster.end(forked.at(-1));
  assert.equal(due.at(-1)?.ms, 0, "ten seconds after it was started the pause is over");
  due.at(-1)?.then();
  at(nowMs + 20_000);
  cluster.listen(forked.at(-1));
  at(nowMs + 22_000);
  cluster.end(forked.at(-1));
  assert.equal(due.at(-1)?.ms, 0);
  due.at(-1)?.then();
  cluster.end(forked.at(-1));
  assert.equal(due.at(-1)?.ms, 200, "its service ended the row of deaths");
  assert.match(lines.at(-1) ?? "", /worker_died.*"againInMs":200/);
});

test("a worker gets copies of the sockets when it asks for them, the endpoint's last", () => {
  const { cluster, sockets, forked } = setUp(2, { addresses: 2 });
  cluster.hear(forked[0], socketsWanted);
  assert.deepEqual(forked[0]?.sent, [
    { plaza: "socket", place: "console", of: 2 },
    { plaza: "socket", place: "endpoint", of: 2 },
  ]);
  assert.deepEqual(forked[0]?.handles, sockets.handles);
  assert.deepEqual(forked[1]?.sent, []);
});

test("the primary's copies are closed before anybody is told to stop; whoever asks then gets none", () => {
  const { cluster, sockets, workers, forked } = setUp(2);
  cluster.hear(forked[0], socketsWanted);
  let wasOpen: boolean | undefined;
  for (const worker of forked) {
    worker.process.kill = (signal) => {
      wasOpen = sockets.isOpen;
      return worker.signals.push(signal);
    };
  }
  void workers.stop("SIGTERM");
  assert.equal(wasOpen, false);
  cluster.hear(forked[1], socketsWanted);
  assert.deepEqual(forked[1]?.sent, [{ plaza: "no socket" }]);
  assert.equal(sockets.isOpen, false);
});

test("with nobody left who has a socket the primary closes its own, and opens it for the next", () => {
  const { cluster, sockets, due, forked } = setUp(3);
  cluster.hear(forked[0], socketsWanted);
  cluster.hear(forked[1], socketsWanted);
  cluster.end(forked[0]);
  assert.equal(sockets.isOpen, true);
  // The third worker is still starting and cannot accept.
  cluster.end(forked[1]);
  assert.equal(sockets.isOpen, false);
  due[0]?.then();
  cluster.hear(forked.at(-1), socketsWanted);
  assert.equal(sockets.isOpen, true);
});

test("a worker is told why there is no socket", () => {
  const { cluster, sockets, forked } = setUp(1);
  sockets.open = () => {
    throw new Error("listen EADDRINUSE: 127.0.0.1:8080");
  };
  cluster.hear(forked[0], socketsWanted);
  assert.deepEqual(forked[0]?.sent, [{ plaza: "no socket", problem: "listen EADDRINUSE: 127.0.0.1:8080" }]);
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

test("a worker that was told to end and does not is killed, and the reload goes on", async () => {
  const { cluster, workers, forked } = setUp(1, { retireMs: 20 });
  cluster.listen(forked[0]);
  const reloading = workers.reload();
  await turn();
  const killed = new Promise<string>((resolve) => {
    if (forked[0] !== undefined)
      forked[0].process.kill = (signal) => {
        resolve(signal);
        return 0;
      };
  });
  cluster.listen(forked[1]);
  assert.equal(await killed, "SIGKILL");
  cluster.end(forked[0]);
  await reloading;
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
