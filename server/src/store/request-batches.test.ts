import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { requestRow } from "./behaviour-requests.ts";
import { createRequestBatches } from "./request-batches.ts";
import { requestColumns } from "./request-row.ts";
import type { RowFault } from "./store-core.ts";

/** A database that answers a batch when it is told to. */
function heldDatabase() {
  const sent: { ids: unknown[]; done: (faults?: RowFault[]) => void; fail: (error: Error) => void }[] = [];
  const batches = createRequestBatches((values) => {
    const ids = values.filter((_, index) => index % requestColumns.length === 0);
    return new Promise((resolve, reject) => sent.push({ ids, done: resolve, fail: reject }));
  });
  /** The batch of that number, once it has left; the event loop gets a few turns for that. */
  async function leaving(index: number) {
    for (let turn = 0; turn < 10 && sent.length <= index; turn++) await setImmediate();
    const batch = sent[index];
    assert.ok(batch !== undefined, `batch ${index} never left`);
    return batch;
  }
  return { sent, batches, leaving };
}

const idsOf = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => requestRow(from + index).id);

test("calls of one turn of the event loop leave together, later ones after the answer, in order", async () => {
  const { sent, batches } = heldDatabase();
  const first = [0, 1, 2].map((number) => batches.record(requestRow(number)));
  await setImmediate();
  const second = [3, 4].map((number) => batches.record(requestRow(number)));
  await setImmediate();
  assert.deepEqual(
    sent.map(({ ids }) => ids),
    [idsOf(0, 3)],
  );
  sent[0]?.done();
  await Promise.all(first);
  await setImmediate();
  assert.deepEqual(
    sent.map(({ ids }) => ids),
    [idsOf(0, 3), idsOf(3, 5)],
  );
  let isDrained = false;
  const drained = batches.drain().then(() => {
    isDrained = true;
  });
  await setImmediate();
  assert.equal(isDrained, false);
  sent[1]?.done();
  await Promise.all([...second, drained]);
});

test("a batch has at most 500 rows", async () => {
  const { sent, batches, leaving } = heldDatabase();
  const recorded = Array.from({ length: 1_101 }, (_, number) => batches.record(requestRow(number)));
  for (let index = 0; index < 3; index++) (await leaving(index)).done();
  await Promise.all(recorded);
  assert.deepEqual(
    sent.map(({ ids }) => ids.length),
    [500, 500, 101],
  );
  assert.deepEqual(
    sent.flatMap(({ ids }) => ids),
    idsOf(0, 1_101),
  );
});

test("a failed batch is refused to its callers, and the next goes on", async () => {
  const { sent, batches, leaving } = heldDatabase();
  const first = batches.record(requestRow(0));
  await setImmediate();
  const second = batches.record(requestRow(1));
  sent[0]?.fail(new Error("disk full"));
  await assert.rejects(first, /disk full/);
  (await leaving(1)).done();
  await second;
});

test("a refused row is refused to its caller alone", async () => {
  const { sent, batches } = heldDatabase();
  const recorded = [0, 1, 2].map((number) => batches.record(requestRow(number)));
  await setImmediate();
  sent[0]?.done([{ index: 1, message: "no such state" }]);
  const outcomes = await Promise.allSettled(recorded);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ["fulfilled", "rejected", "fulfilled"],
  );
  assert.match(
    String(outcomes[1]?.status === "rejected" && outcomes[1].reason),
    /cannot be recorded: no such state/,
  );
});

test("20,000 rows may wait, the next is refused at once, and there is room again afterwards", async () => {
  const { sent, batches, leaving } = heldDatabase();
  const underWay = batches.record(requestRow(0));
  await setImmediate();
  const waiting = Array.from({ length: 20_000 }, (_, number) => batches.record(requestRow(number + 1)));
  await assert.rejects(batches.record(requestRow(30_000)), { name: "StoreError", code: "queue_full" });
  sent[0]?.done();
  await underWay;
  await leaving(1);
  waiting.push(batches.record(requestRow(30_001)));
  const drained = batches.drain();
  for (let index = 1; index <= 41; index++) (await leaving(index)).done();
  await Promise.all([...waiting, drained]);
  assert.equal(
    sent.reduce((sum, { ids }) => sum + ids.length, 0),
    20_002,
  );
});
