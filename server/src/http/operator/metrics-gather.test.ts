/** Metrics of several processes in one answer, with event emitters in place of processes. */
import assert from "node:assert/strict";
import type { Cluster } from "node:cluster";
import { EventEmitter } from "node:events";
import { test } from "node:test";
import { createRegistry } from "../../lib/telemetry/metrics.ts";
import { answerWorkers, gatherAlone, gatherThroughPrimary, type PrimaryLink } from "./metrics-gather.ts";

const familiesOf = (value: number) => {
  const registry = createRegistry();
  registry.counter({ name: "calls_total", help: "Calls." }).with().add(value);
  return registry.families;
};

/** A cluster whose messages arrive one turn later, as between real processes. */
function playCluster(waitMs?: number) {
  const cluster = new EventEmitter();
  answerWorkers(cluster as unknown as Cluster, waitMs);
  const fork = (value: number, isDeaf = false) => {
    const toWorker = new EventEmitter();
    const worker = {
      isConnected: () => true,
      send: (message: object) => void (isDeaf || setImmediate(() => toWorker.emit("message", message))),
    };
    cluster.emit("fork", worker);
    const link: PrimaryLink = {
      send: (message) => void setImmediate(() => cluster.emit("message", worker, message)),
      onMessage: (listener) => void toWorker.on("message", listener),
    };
    return {
      gather: gatherThroughPrimary(familiesOf(value), link, 200),
      exit: () => void cluster.emit("exit", worker),
    };
  };
  return fork;
}

const samples = (text: string): string[] =>
  text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));

test("alone: one process, called 1", async () => {
  assert.deepEqual(samples(await gatherAlone(familiesOf(3))()), ['calls_total{process="1"} 3']);
});

test("whoever is asked tells of all, and of each once", async () => {
  const fork = playCluster();
  const workers = [fork(1), fork(2), fork(3)];
  const expected = [
    "plaza_worker_deaths_total 0",
    'plaza_process_up{process="1"} 1',
    'plaza_process_up{process="2"} 1',
    'plaza_process_up{process="3"} 1',
    'calls_total{process="1"} 1',
    'calls_total{process="2"} 2',
    'calls_total{process="3"} 3',
  ];
  const texts = await Promise.all([...workers, ...workers].map(({ gather }) => gather()));
  for (const text of texts) assert.deepEqual(samples(text), expected);
});

test("a replacement takes the place of the dead one", async () => {
  const fork = playCluster();
  const first = fork(1);
  const second = fork(2);
  first.exit();
  fork(9);
  assert.deepEqual(
    samples(await second.gather())
      .slice(-2)
      .sort(),
    ['calls_total{process="1"} 9', 'calls_total{process="2"} 2'],
  );
  assert.match(await second.gather(), /plaza_worker_deaths_total 1/);
});

test("one that does not answer is missing, and said to be", async () => {
  const fork = playCluster(20);
  const worker = fork(1);
  fork(2, true);
  assert.deepEqual(samples(await worker.gather()), [
    "plaza_worker_deaths_total 0",
    'plaza_process_up{process="1"} 1',
    'plaza_process_up{process="2"} 0',
    'calls_total{process="1"} 1',
  ]);
});

test("a process that dies while it is waited for does not hold the others up", async () => {
  const fork = playCluster(60_000);
  const worker = fork(1);
  const deaf = fork(2, true);
  const asked = worker.gather();
  setImmediate(() => setImmediate(() => setImmediate(() => deaf.exit())));
  assert.match(await asked, /calls_total\{process="1"\} 1/);
});

test("without a primary a process tells of itself", async () => {
  const silent: PrimaryLink = { send: () => {}, onMessage: () => {} };
  const text = await gatherThroughPrimary(familiesOf(4), silent, 5)();
  assert.deepEqual(samples(text), ['calls_total{process="0"} 4']);
});
