import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { nanoUsd } from "@plaza/contract/money.ts";
import type { LeaseReply } from "../journal/journal.ts";
import { valuesPerRequest } from "../requests/row.ts";
import { requestRow } from "../testing/behaviour/requests.ts";
import type { LedgerBatch, LedgerReply, RowFault } from "./batch.ts";
import { createLedgerBatches } from "./batches.ts";
import type { LeaseGrant } from "./lease-shapes.ts";

/** A database that answers batches on command, with a given reply or by granting every take and return. */
function heldDatabase(gapMs = 0) {
  const sent: {
    ids: unknown[];
    batch: LedgerBatch;
    done: (faults?: RowFault[]) => void;
    fail: (error: Error) => void;
  }[] = [];
  const batches = createLedgerBatches((batch) => {
    const ids = batch.values.filter((_, index) => index % valuesPerRequest === 0);
    const reply = new Promise<LedgerReply>((resolve, reject) =>
      sent.push({
        ids,
        batch,
        done: (faults = []) => resolve({ faults, ...granted(batch) }),
        fail: reject,
      }),
    );
    return { rows: reply.then(({ faults }) => faults), leases: reply };
  }, gapMs);
  /** Resolves with the batch of that number once it was sent. */
  async function leaving(index: number) {
    for (let turn = 0; turn < 10 && sent.length <= index; turn++) await setImmediate();
    const batch = sent[index];
    assert.ok(batch !== undefined, `batch ${index} never left`);
    return batch;
  }
  return { sent, batches, leaving };
}

/** Every amount differs, so that replies can be matched to requests. */
const granted = ({ takes, returns }: LedgerBatch) => ({
  grants: takes.map(({ requested }): LeaseGrant => {
    const amount = nanoUsd(requested.need);
    return { status: "granted", amount, available: nanoUsd(0n), lentToOthers: nanoUsd(0n) };
  }),
  returned: returns.map(({ amount }) => (amount === "all" ? nanoUsd(99n) : amount)),
});

const subject = { kind: "account", id: "acc_1", ownerId: "acc_1" } as const;
const take = (need: bigint) => ({
  holderId: "h",
  subject,
  requested: { atLeast: 0n, need, want: need, unit: 1n },
});

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
    /cannot record the request: no such state/,
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

test("takes, returns and rows of one turn share a batch, and each caller gets its own answer", async () => {
  const { sent, batches } = heldDatabase();
  const answers = Promise.all([
    batches.take(take(5n)),
    batches.record(requestRow(1)),
    batches.giveBack({ holderId: "h", subject, amount: nanoUsd(3n) }),
    batches.take(take(6n)),
    batches.giveBack({ holderId: "h", subject, amount: "all" }),
  ]);
  await setImmediate();
  assert.equal(sent.length, 1);
  assert.deepEqual(sent[0]?.ids, idsOf(1, 2));
  sent[0]?.done();
  const [first, none, part, second, all] = await answers;
  assert.deepEqual([first.amount, none, part, second.amount, all], [5n, undefined, 3n, 6n, 99n]);
});

test("a batch has at most 500 takes and 500 returns, and the order of calls is kept", async () => {
  const { sent, batches, leaving } = heldDatabase();
  const needs = Array.from({ length: 700 }, (_, number) => BigInt(number));
  const takes = needs.map((need) => batches.take(take(need)));
  const returns = needs.map((amount) =>
    batches.giveBack({ holderId: "h", subject, amount: nanoUsd(amount) }),
  );
  for (let index = 0; index < 3; index++) (await leaving(index)).done();
  assert.deepEqual(
    (await Promise.all(takes)).map(({ amount }) => amount),
    needs,
  );
  assert.deepEqual(await Promise.all(returns), needs);
  assert.deepEqual(
    sent.map(({ batch }) => [batch.takes.length, batch.returns.length]),
    [
      [500, 0],
      [200, 500],
      [0, 200],
    ],
  );
});

test("a lease goes back after all requests that were recorded before, however many wait", async () => {
  const { sent, batches, leaving } = heldDatabase();
  const recorded = Array.from({ length: 1_200 }, (_, number) => batches.record(requestRow(number)));
  const returned = batches.giveBack({ holderId: "h", subject, amount: "all" });
  const later = Array.from({ length: 700 }, (_, number) => batches.record(requestRow(2_000 + number)));
  const taken = batches.take(take(5n));
  for (let index = 0; index < 4; index++) (await leaving(index)).done();
  await Promise.all([...recorded, returned, ...later, taken]);
  assert.deepEqual(
    sent.map(({ ids, batch }) => [ids.length, batch.returns.length, batch.takes.length]),
    [
      [500, 0, 0],
      [500, 0, 0],
      [500, 1, 0],
      [400, 0, 1],
    ],
  );
});

test("a failed batch refuses its takes and returns too", async () => {
  const { sent, batches } = heldDatabase();
  const outcomes = Promise.allSettled([
    batches.take(take(1n)),
    batches.giveBack({ holderId: "h", subject, amount: "all" }),
    batches.record(requestRow(1)),
  ]);
  await setImmediate();
  sent[0]?.fail(new Error("disk full"));
  assert.deepEqual(
    (await outcomes).map(({ status }) => status),
    ["rejected", "rejected", "rejected"],
  );
});

test("while leases wait for their answer, requests that are durable already let the next ones go", async () => {
  const sent: { batch: LedgerBatch; answer: (reply: LeaseReply) => void }[] = [];
  const batches = createLedgerBatches((batch) => {
    const leases = new Promise<LeaseReply>((resolve) => sent.push({ batch, answer: resolve }));
    return { rows: Promise.resolve([]), leases };
  });
  const giveBack = () => batches.giveBack({ holderId: "h", subject, amount: "all" });
  const returned = giveBack();
  await batches.record(requestRow(1));
  // The take must follow the return, however many requests are sent in between.
  const taken = batches.take(take(5n));
  for (let number = 2; number < 5; number++) await batches.record(requestRow(number));
  assert.deepEqual(
    sent.map(({ batch }) => [
      batch.values.length / valuesPerRequest,
      batch.returns.length,
      batch.takes.length,
    ]),
    [
      [1, 1, 0],
      [1, 0, 0],
      [1, 0, 0],
      [1, 0, 0],
    ],
  );
  let isDrained = false;
  const drained = batches.drain().then(() => {
    isDrained = true;
  });
  sent[0]?.answer({ returned: [nanoUsd(7n)], grants: [] });
  assert.equal(await returned, 7n);
  await setImmediate();
  assert.deepEqual([sent.length, sent[4]?.batch.takes.length, isDrained], [5, 1, false]);
  sent[4]?.answer({ returned: [], grants: granted(sent[4].batch).grants });
  assert.equal((await taken).amount, 5n);
  await drained;
  const refused = giveBack();
  await setImmediate();
  sent[5]?.answer({ returned: [undefined], grants: [] });
  await assert.rejects(refused, { code: "unavailable" });
});

/** More than any test takes, so that only a mocked timer ends it. */
const longGapMs = 600_000;

/** A database that has just answered a batch of this many requests. */
async function afterBatch(requests: number) {
  const database = heldDatabase(longGapMs);
  const recorded = Promise.all(
    Array.from({ length: requests }, (_, number) => database.batches.record(requestRow(number))),
  );
  (await database.leaving(0)).done();
  await recorded;
  return database;
}

test("after one request the next is sent at once, after many it waits for others", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const quiet = await afterBatch(1);
  void quiet.batches.record(requestRow(1));
  assert.deepEqual((await quiet.leaving(1)).ids, idsOf(1, 2));

  const busy = await afterBatch(400);
  void busy.batches.record(requestRow(400));
  for (let turn = 0; turn < 10; turn++) await setImmediate();
  void busy.batches.record(requestRow(401));
  assert.equal(busy.sent.length, 1);
  context.mock.timers.tick(longGapMs);
  assert.deepEqual((await busy.leaving(1)).ids, idsOf(400, 402));
});

test("a lease does not wait for the gap, and takes along what does", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const { batches, sent, leaving } = await afterBatch(400);
  void batches.record(requestRow(400));
  for (let turn = 0; turn < 10; turn++) await setImmediate();
  void batches.take(take(5n));
  // Two milliseconds, or none when they are over.
  context.mock.timers.tick(2);
  assert.deepEqual((await leaving(1)).ids, idsOf(400, 401));
  assert.equal(sent[1]?.batch.takes.length, 1);
});
