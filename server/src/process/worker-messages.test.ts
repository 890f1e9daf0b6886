import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { test } from "node:test";
import { askForSockets, reportListening, socketsWanted } from "./worker-messages.ts";

/** A worker process that records what it sends to the primary. */
class FakeProcess extends EventEmitter {
  readonly sent: unknown[] = [];
  send = (message: unknown): boolean => {
    this.sent.push(message);
    return true;
  };
}

function ask() {
  const worker = new FakeProcess();
  return { worker, asked: askForSockets(worker as unknown as NodeJS.Process) };
}

test("a worker asks once and has its sockets when all have come", async () => {
  const { worker, asked } = ask();
  assert.deepEqual(worker.sent, [socketsWanted]);
  worker.emit("message", { plaza: "metrics ask" });
  worker.emit("message", { plaza: "socket", place: "console", of: 2 }, "one");
  worker.emit("message", { plaza: "socket", place: "endpoint", of: 2 }, "other");
  assert.deepEqual(await asked, { console: "one", endpoint: "other" });
  assert.equal(worker.listenerCount("message"), 0);
});

test("a primary that stops has none; one that cannot bind says why", async () => {
  const stopping = ask();
  stopping.worker.emit("message", { plaza: "no socket" });
  assert.equal(await stopping.asked, undefined);
  const failing = ask();
  failing.worker.emit("message", { plaza: "no socket", problem: "listen EACCES: 127.0.0.1:80" });
  await assert.rejects(failing.asked, /EACCES/);
});

test("a worker tells its ports", () => {
  const worker = new FakeProcess();
  reportListening({ endpoint: 8080, console: 9090 }, worker as unknown as NodeJS.Process);
  assert.deepEqual(worker.sent, [{ plaza: "listening", ports: { endpoint: 8080, console: 9090 } }]);
});
