/** What every store must do with the rows of requests. A part of `behaviour.ts`. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { nanoUsd } from "@plaza/contract/money.ts";
import type { RequestRow, StoredRequest } from "../../requests/shapes.ts";
import type { NewFixture } from "../fixture.ts";

/** A complete row; `number` determines its id and time. */
export function requestRow(number: number, changes: Partial<RequestRow> = {}): RequestRow {
  return {
    id: `req_${String(number).padStart(9, "0")}`,
    createdAt: 1_763_700_000_000 + number,
    accountId: `acc_${number % 3}`,
    keyId: "key_1",
    modelId: "gpt-5-mini",
    upstreamId: "main",
    upstreamModel: "gpt-5-mini-2026",
    isStream: true,
    status: 200,
    state: "complete",
    errorCode: null,
    attempts: 1,
    inputTokens: 120,
    cachedInputTokens: 30,
    cacheWriteTokens: 7,
    outputTokens: 350,
    reasoningTokens: 50,
    usageSource: "exact",
    usageParts: null,
    firstTokenMs: 210,
    durationMs: 4_200,
    charge: nanoUsd(0n),
    priceId: null,
    cost: null,
    attemptLog: null,
    queueMs: null,
    operation: "chat",
    ...changes,
  };
}

/** The row as it is read back when there is no loss. */
export const stored = (row: RequestRow): StoredRequest => ({ ...row, loss: nanoUsd(0n) });

const all = { limit: 10_000 };
const ids = (rows: readonly RequestRow[]): string[] => rows.map(({ id }) => id);

function oneByOne(newFixture: NewFixture): void {
  test("a recorded request is listed with every field", async (context) => {
    const { store, reopen } = await newFixture(context);
    const bare = requestRow(2, {
      modelId: null,
      upstreamId: null,
      upstreamModel: null,
      isStream: false,
      status: 499,
      state: "aborted",
      errorCode: "request_timeout",
      attempts: 0,
      inputTokens: 0,
      cachedInputTokens: 0,
      cacheWriteTokens: 0,
      outputTokens: 0,
      reasoningTokens: 0,
      usageSource: "none",
      firstTokenMs: null,
      durationMs: 0,
      cost: nanoUsd(0n),
      operation: "embeddings",
    });
    const full = requestRow(3, {
      usageParts: { audioInput: 7, imageInput: 1, audioOutput: 2, imageOutput: 3, longCacheWrite: 4 },
      attempts: 3,
      attemptLog: [
        {
          upstreamId: "main",
          upstreamModel: 'quoted "name" ü',
          fault: "overloaded",
          status: 529,
          startMs: 2,
          durationMs: 12.5,
          usage: { input: 3, output: 0 },
          cost: "0.000000003",
        },
        {
          ...{ upstreamId: "main", upstreamModel: "x", fault: "connection", status: null },
          ...{ startMs: 15, durationMs: 0 },
        },
        {
          ...{ upstreamId: "spare", upstreamModel: "x", fault: null, status: 200 },
          ...{ startMs: 15, durationMs: 4_100 },
        },
      ],
      queueMs: 2,
      cost: nanoUsd(2n ** 63n - 1n),
    });
    const plain = requestRow(1, { queueMs: 31 });
    for (const row of [plain, bare, full]) await store.recordRequest(row);
    const expected = [full, bare, plain].map(stored);
    assert.deepEqual(await store.listRequests(all), expected);
    assert.deepEqual(await (await reopen()).listRequests(all), expected);
    assert.deepEqual(await store.findRequest(full.id), { request: stored(full), price: undefined });
    assert.equal(await store.findRequest("req_absent"), undefined);
  });

  test("an attempt recorded as outpaced, as older versions did, reads as superseded", async (context) => {
    const { store } = await newFixture(context);
    const attempt = { upstreamId: "a", upstreamModel: "x", status: null, durationMs: 1 };
    const answered = { ...attempt, fault: null };
    const logOf = (fault: string) => [{ ...attempt, fault }, answered];
    await store.recordRequest(requestRow(1, { attempts: 2, attemptLog: logOf("outpaced") }));
    const [row] = await store.listRequests(all);
    assert.deepEqual(row?.attemptLog, logOf("superseded"));
  });

  test("elapsed times are kept in whole milliseconds", async (context) => {
    const { store } = await newFixture(context);
    await store.recordRequest(requestRow(1, { firstTokenMs: 12.5001, durationMs: 99.4 }));
    assert.deepEqual(await store.listRequests(all), [
      stored(requestRow(1, { firstTokenMs: 13, durationMs: 99 })),
    ]);
  });

  test("requests are listed newest first, one account's, and as many as asked", async (context) => {
    const { store } = await newFixture(context);
    const order = [4, 1, 9, 3, 7, 2, 8, 6, 5];
    for (const number of order) await store.recordRequest(requestRow(number));
    const newestFirst = [9, 8, 7, 6, 5, 4, 3, 2, 1].map((number) => requestRow(number));
    assert.deepEqual(ids(await store.listRequests(all)), ids(newestFirst));
    assert.deepEqual(ids(await store.listRequests({ limit: 4 })), ids(newestFirst.slice(0, 4)));
    assert.deepEqual(
      ids(await store.listRequests({ accountId: "acc_1", limit: 2 })),
      ids([requestRow(7), requestRow(4)]),
    );
    assert.deepEqual(await store.listRequests({ accountId: "acc_9", limit: 2 }), []);
    assert.deepEqual(await store.listRequests({ limit: 0 }), []);
  });

  test("requests of one millisecond are listed in the order of their ids", async (context) => {
    const { store } = await newFixture(context);
    const createdAt = 1_763_700_000_000;
    for (const number of [2, 3, 1]) await store.recordRequest(requestRow(number, { createdAt }));
    assert.deepEqual(ids(await store.listRequests(all)), ids([3, 2, 1].map((number) => requestRow(number))));
  });
}

function together(newFixture: NewFixture): void {
  test("1,200 requests at once, with reads between them, are all there", async (context) => {
    const { store } = await newFixture(context);
    const rows = Array.from({ length: 1_200 }, (_, number) => requestRow(number));
    const reads = Array.from({ length: 20 }, () => store.listChanges(0));
    await Promise.all([
      ...rows.map((row) => store.recordRequest(row)),
      ...reads,
      store.createAccount({ id: "a", name: "A", balance: nanoUsd(1n) }),
    ]);
    assert.deepEqual(await store.listRequests(all), rows.toReversed().map(stored));
  });

  test("a request recorded twice is there once, and hurts nobody else's", async (context) => {
    const { store } = await newFixture(context);
    const twin = requestRow(1, { status: 500, state: "failed" });
    await Promise.all(
      [1, 2].map((number) => store.recordRequest(requestRow(number))).concat(store.recordRequest(twin)),
    );
    await store.recordRequest(twin);
    assert.deepEqual(await store.listRequests(all), [requestRow(2), requestRow(1)].map(stored));
  });

  test("a row with impossible values is refused alone", async (context) => {
    const { store } = await newFixture(context);
    const impossible: Partial<RequestRow>[] = [
      { inputTokens: -1 },
      { outputTokens: 1.5 },
      { status: 7 },
      { cost: nanoUsd(-1n) },
      { cost: nanoUsd(2n ** 63n) },
      { durationMs: Number.NaN },
      { state: "exploded" as RequestRow["state"] },
      { accountId: null as unknown as string },
      { keyId: undefined as unknown as string },
    ];
    const outcomes = await Promise.allSettled(
      impossible.flatMap((changes, index) => [
        store.recordRequest(requestRow(index * 2, changes)),
        store.recordRequest(requestRow(index * 2 + 1)),
      ]),
    );
    for (const [index, outcome] of outcomes.entries()) {
      assert.equal(outcome.status, index % 2 === 0 ? "rejected" : "fulfilled", `row ${index}`);
      if (outcome.status === "rejected") assert.equal(outcome.reason.code, "invalid");
    }
    assert.equal((await store.listRequests(all)).length, impossible.length);
  });

  test("closing first writes what is queued", async (context) => {
    const { store, reopen } = await newFixture(context);
    const rows = Array.from({ length: 1_100 }, (_, number) => requestRow(number));
    const recorded = rows.map((row) => store.recordRequest(row));
    await store.close();
    await Promise.all(recorded);
    await assert.rejects(store.recordRequest(requestRow(5_000)), { code: "closed" });
    assert.deepEqual(await (await reopen()).listRequests(all), rows.toReversed().map(stored));
  });

  test("two stores on one database lose nothing of each other's", async (context) => {
    const { store, reopen } = await newFixture(context);
    const other = await reopen();
    const rows = Array.from({ length: 300 }, (_, number) => requestRow(number));
    await Promise.all(rows.map((row, number) => (number % 2 === 0 ? store : other).recordRequest(row)));
    assert.deepEqual(await store.listRequests(all), rows.toReversed().map(stored));
  });
}

export function requestBehaviour(newFixture: NewFixture): void {
  oneByOne(newFixture);
  together(newFixture);
}
