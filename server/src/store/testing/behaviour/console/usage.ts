/** What every store must do with sums of requests. A part of `behaviour.ts`. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { nanoUsd } from "@plaza/contract/money.ts";
import { seededRandom } from "../../../../../../test/rigs/harness/random.ts";
import { slotMs, zoneStretches } from "../../../../lib/time/time-zone.ts";
import type { RequestRow } from "../../../requests/shapes.ts";
import type { Store } from "../../../store.ts";
import type { UsageQuestion, UsageRow } from "../../../usage/usage.ts";
import type { NewFixture } from "../../fixture.ts";
import { naiveSums } from "../../naive-usage.ts";
import { days, fromMs, randomFilter, randomRow, record, rollUpAll, toMs } from "../../usage-samples.ts";
import { requestRow } from "../requests.ts";

export function randomQuestion(random: ReturnType<typeof seededRandom>): UsageQuestion {
  const slot = () => Math.floor(fromMs / slotMs) + random.int(-5, days * 48 + 5);
  const [one, other] = [slot(), slot()];
  const zone = random.pick([
    "UTC",
    "Europe/Berlin",
    "America/St_Johns",
    "Australia/Lord_Howe",
    "Asia/Kolkata",
  ]);
  return {
    ...randomFilter(random),
    stretches: zoneStretches(zone, Math.min(one, other), Math.max(one, other) + 1),
    byDay: random.chance(0.5),
    by: random.pick(["none", "model", "key", "account", "operation"]),
    rowsMax: 10_000,
  };
}

/** Sorted rows, without members that the naive sum does not have. */
function inOrder(rows: readonly UsageRow[] | undefined): unknown[] {
  return (rows ?? [])
    .map(({ keyName: _, accountName: __, ...row }) => row)
    .map((row) => [JSON.stringify([row.day, row.model, row.key, row.account, row.operation]), row] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, row]) => row);
}

/** The store's sums are those of these rows. */
export async function compare(
  store: Store,
  rows: readonly RequestRow[],
  question: UsageQuestion,
): Promise<void> {
  const { rowsMax: _, ...shown } = question;
  assert.deepEqual(
    inOrder(await store.sumUsage(question)),
    inOrder(naiveSums(rows, question)),
    JSON.stringify(shown),
  );
}

function sumsBehaviour(newFixture: NewFixture): void {
  test("sums are those of all rows, whatever part of them was added up before", async (context) => {
    const { store, reopen } = await newFixture(context);
    const random = seededRandom(29);
    const rows = Array.from({ length: 240 }, (_, number) => randomRow(random, number));
    let recorded: RequestRow[] = [];
    const other = await reopen();
    for (const [begin, end, piece] of [
      [0, 80, 0],
      [80, 120, 50],
      [120, 200, 17],
      [200, 240, 1_000],
    ] as const) {
      await record(store, rows.slice(begin, end));
      recorded = rows.slice(0, end);
      if (piece > 0) await store.rollUpUsage(piece);
      for (let count = 0; count < 12; count++) await compare(other, recorded, randomQuestion(random));
    }
    await rollUpAll(other);
    for (let count = 0; count < 25; count++) await compare(store, recorded, randomQuestion(random));
  });

  test("several processes that add up at once count every row once", async (context) => {
    const { store, reopen } = await newFixture(context);
    const others = [await reopen(), await reopen()];
    const random = seededRandom(30);
    const rows = Array.from({ length: 200 }, (_, number) => randomRow(random, number));
    const question: UsageQuestion = {
      ...randomQuestion(random),
      accounts: undefined,
      keys: undefined,
      models: undefined,
      operations: undefined,
    };
    const whole: UsageQuestion = {
      ...question,
      by: "key",
      byDay: true,
      stretches: zoneStretches("Europe/Berlin", fromMs / slotMs, toMs / slotMs),
    };
    for (let begin = 0; begin < rows.length; begin += 50) {
      await Promise.all([
        record(store, rows.slice(begin, begin + 50)),
        ...[store, ...others].map((one) => one.rollUpUsage(13)),
      ]);
      await Promise.all([store, ...others].map((one) => one.rollUpUsage(13)));
      await compare(store, rows.slice(0, begin + 50), whole);
    }
    await Promise.all([store, ...others].map((one) => rollUpAll(one, 7)));
    await compare(store, rows, whole);
    assert.equal(await store.rollUpUsage(1_000), 0);
  });

  test("a request recorded again is not counted again, and one made long ago is counted on its day", async (context) => {
    const { store } = await newFixture(context);
    const late = requestRow(1, { createdAt: fromMs + 5 * slotMs });
    const rows = [requestRow(2, { createdAt: fromMs + 90 * slotMs }), late];
    await store.recordRequest(rows[0] as RequestRow);
    await rollUpAll(store);
    await store.recordRequest(rows[0] as RequestRow);
    await store.recordRequest(late);
    const stretches = zoneStretches("UTC", fromMs / slotMs, toMs / slotMs);
    const question: UsageQuestion = { stretches, byDay: true, by: "none", rowsMax: 10 };
    await compare(store, rows, question);
    assert.equal(await rollUpAll(store), 1);
    await compare(store, rows, question);
  });

  test("the day on which clocks go back has 25 hours, and the one on which they go forward 23", async (context) => {
    const { store } = await newFixture(context);
    // One request in every half hour of six days: three in October and three in March.
    const begins = ["2025-10-25T00:00:00+02:00", "2026-03-28T00:00:00+01:00"].map(Date.parse);
    const rows = begins.flatMap((begin, index) =>
      Array.from({ length: 144 }, (_, slot) =>
        requestRow(index * 1_000 + slot, { createdAt: begin + slot * slotMs + 5 }),
      ),
    );
    await record(store, rows);
    const countsFrom = async (begin: number) => {
      const stretches = zoneStretches("Europe/Berlin", begin / slotMs, begin / slotMs + 144);
      const sums = await store.sumUsage({ stretches, byDay: true, by: "none", rowsMax: 10 });
      return (sums ?? [])
        .toSorted((one, two) => (one.day ?? 0) - (two.day ?? 0))
        .map(({ requests }) => requests);
    };
    for (let round = 0; round < 2; round++) {
      assert.deepEqual(await countsFrom(begins[0] as number), [48, 50, 46]);
      assert.deepEqual(await countsFrom(begins[1] as number), [48, 46, 48, 2]);
      await rollUpAll(store);
    }
  });

  test("more rows than asked for are refused, not cut off", async (context) => {
    const { store } = await newFixture(context);
    await record(
      store,
      [1, 2, 3].map((number) => requestRow(number, { modelId: `m${number}`, createdAt: fromMs })),
    );
    const stretches = zoneStretches("UTC", fromMs / slotMs, fromMs / slotMs + 1);
    const ask = (rowsMax: number) => store.sumUsage({ stretches, byDay: false, by: "model", rowsMax });
    assert.equal(await ask(2), undefined);
    await rollUpAll(store);
    assert.equal(await ask(2), undefined);
    assert.equal((await ask(3))?.length, 3);
  });
}

function measureBehaviour(newFixture: NewFixture): void {
  test("keys tell when they were last used, and what for since a time", async (context) => {
    const { store } = await newFixture(context);
    const row = (number: number, keyId: string, createdAt: number) =>
      requestRow(number, { accountId: "acc_1", keyId, createdAt });
    const rows = [
      row(1, "key_1", fromMs),
      row(2, "key_1", fromMs + 10 * slotMs),
      row(3, "key_2", fromMs + 1),
      { ...row(4, "key_3", fromMs + 11 * slotMs), accountId: "acc_2" },
    ];
    await record(store, rows);
    const charge = nanoUsd(0n);
    for (let round = 0; round < 2; round++) {
      const numbers = [...(await store.keyNumbers("acc_1", fromMs + 9 * slotMs))];
      assert.deepEqual(
        numbers.sort((one, two) => (one.keyId < two.keyId ? -1 : 1)),
        [
          { keyId: "key_1", lastUsedAt: fromMs + 10 * slotMs, requests: 1, charge },
          { keyId: "key_2", lastUsedAt: fromMs + 1, requests: 0, charge },
        ],
      );
      await store.rollUpUsage(round === 0 ? 3 : 100);
    }
  });

  test("models are measured by what they are to blame for, and percentiles are within their buckets", async (context) => {
    const { store } = await newFixture(context);
    const nowMs = Date.now();
    const row = (number: number, changes: Partial<RequestRow>) =>
      requestRow(number, { modelId: "m", createdAt: nowMs - number, ...changes });
    const rows = [
      ...Array.from({ length: 99 }, (_, number) =>
        row(number, { firstTokenMs: 100, durationMs: 1_100, outputTokens: 50 }),
      ),
      row(100, { firstTokenMs: 9_000, durationMs: 9_000 }),
      row(101, { state: "failed", status: 502, errorCode: "upstream_error", firstTokenMs: null }),
      row(102, { state: "failed", status: 429, errorCode: "rate_limit_exceeded", firstTokenMs: null }),
      row(103, { state: "failed", status: 503, errorCode: "overloaded", firstTokenMs: null }),
      row(104, { state: "incomplete", firstTokenMs: null }),
      row(105, { state: "aborted", firstTokenMs: null }),
      row(106, { createdAt: nowMs - 5 * 86_400_000 }),
      row(107, {
        state: "failed",
        status: 404,
        errorCode: "model_not_found",
        modelId: "invented",
        firstTokenMs: null,
      }),
    ];
    await record(store, rows);
    for (const piece of [0, 40, 1_000]) {
      if (piece > 0) await store.rollUpUsage(piece);
      const models = new Map((await store.modelNumbers(nowMs - 86_400_000)).map((one) => [one.modelId, one]));
      assert.deepEqual([...models.keys()].sort(), ["", "m"]);
      const {
        firstTokenP50Ms: p50,
        firstTokenP95Ms: p95,
        ...counts
      } = models.get("m") ?? assert.fail("no m");
      assert.deepEqual(counts, {
        modelId: "m",
        requests: 105,
        complete: 100,
        unserved: 2,
        streamTokens: 99 * 50,
        streamMs: 99 * 1_000,
      });
      assert.ok(Math.abs((p50 ?? 0) - 100) <= 3 && Math.abs((p95 ?? 0) - 100) <= 3, `${p50} ${p95}`);
    }
  });

  test("one process at a time adds up, and none while there is nothing to add up", async (context) => {
    const { store, reopen } = await newFixture(context);
    const other = await reopen();
    assert.equal(await store.claimUsageRollup("one"), false);
    await store.recordRequest(requestRow(1));
    assert.equal(await store.claimUsageRollup("one"), true);
    assert.equal(await other.claimUsageRollup("other"), false);
    assert.equal(await store.claimUsageRollup("one"), true);
    await rollUpAll(store);
    assert.equal(await store.claimUsageRollup("one"), false);
  });

  test("a hundred requests are added up at once, more are left to pieces", async (context) => {
    const { store } = await newFixture(context);
    const rows = Array.from({ length: 201 }, (_, number) => requestRow(number));
    const question = randomQuestion(seededRandom(5));
    for (const [end, isFew] of [
      [100, true],
      [201, false],
    ] as const) {
      await record(store, rows.slice(end === 100 ? 0 : 100, end));
      assert.equal(await store.rollUpFew(), isFew);
      assert.equal(await store.claimUsageRollup("one"), !isFew);
      await compare(store, rows.slice(0, end), question);
    }
    assert.equal(await store.rollUpUsage(1), 1);
    assert.equal(await store.rollUpFew(), true);
    assert.equal(await store.claimUsageRollup("one"), false);
    await compare(store, rows, question);
  });
}

function halfHours(newFixture: NewFixture): void {
  test("half hours of a model count what it answered and what it did not, added up or not", async (context) => {
    const { store } = await newFixture(context);
    const slot = Math.floor(Date.now() / slotMs);
    const row = (number: number, ago: number, changes: Partial<RequestRow> = {}) =>
      requestRow(number, { modelId: "m", createdAt: (slot - ago) * slotMs + number, ...changes });
    const failed = { state: "failed", status: 502, errorCode: "upstream_error", firstTokenMs: null } as const;
    await record(store, [
      row(1, 0),
      row(2, 1),
      row(3, 1, failed),
      row(4, 1, { ...failed, status: 429, errorCode: "rate_limit_exceeded" }),
      row(5, 2, { state: "aborted" }),
      row(6, 3, { state: "incomplete" }),
      row(7, 47, { modelId: "other" }),
      row(8, 48),
    ]);
    for (const piece of [0, 3, 100]) {
      if (piece > 0) await store.rollUpUsage(piece);
      const found = await store.modelHalfHours((slot - 47) * slotMs + 1);
      assert.deepEqual(
        found
          .map((one) => [one.modelId, slot - one.slot, one.complete, one.unserved])
          .sort(([, one], [, other]) => Number(one) - Number(other)),
        [
          ["m", 0, 1, 0],
          ["m", 1, 1, 1],
          ["m", 3, 0, 1],
          ["other", 47, 1, 0],
        ],
      );
    }
  });
}

/** Large numbers that faulty upstreams may have reported. */
function largeNumbers(newFixture: NewFixture): void {
  const most = 2n ** 63n - 1n;
  const slot = Math.floor(requestRow(0).createdAt / slotMs);
  const question = (by: UsageQuestion["by"]): UsageQuestion => ({
    stretches: [{ from: slot - 48, to: slot + 48, offset: 0 }],
    byDay: false,
    by,
    rowsMax: 100,
  });

  test("sums of money beyond 64 bits are exact before they are added up, and stop nothing", async (context) => {
    const { store } = await newFixture(context);
    const rows = Array.from({ length: 7 }, (_, number) =>
      requestRow(number, { accountId: "acc_1", cost: nanoUsd(most - BigInt(number)), inputTokens: 10 ** 9 }),
    );
    await record(store, rows);
    const all = rows.reduce((sum, { cost }) => sum + (cost ?? 0n), 0n);
    for (const by of ["none", "key", "model"] as const)
      assert.equal((await store.sumUsage(question(by)))?.[0]?.cost, all, by);
    assert.equal((await store.keyNumbers("acc_1", rows[0]?.createdAt ?? 0)).length, 1);
    assert.equal(await rollUpAll(store, 2), 7);
    // A span keeps at most what a column can hold.
    const [kept] = (await store.sumUsage(question("none"))) ?? [];
    assert.deepEqual([kept?.requests, kept?.inputTokens, kept?.cost], [7, 7 * 10 ** 9, most]);
    await record(store, [requestRow(8, { accountId: "acc_1", cost: nanoUsd(5n) })]);
    assert.equal((await store.sumUsage(question("none")))?.[0]?.cost, most + 5n);
    assert.equal(await rollUpAll(store), 1);
    assert.equal((await store.sumUsage(question("none")))?.[0]?.requests, 8);
    assert.equal((await store.modelNumbers(0)).length, 1);
  });

  test("a row that may be passed over is added up where it can be", async (context) => {
    const { store } = await newFixture(context);
    await record(store, [requestRow(0), requestRow(1)]);
    assert.equal(await store.passUsageRow(), undefined);
    assert.equal(await rollUpAll(store), 1);
    assert.equal(await store.passUsageRow(), undefined, "nothing is left");
    assert.equal((await store.sumUsage(question("none")))?.[0]?.requests, 2);
  });
}

export function usageBehaviour(newFixture: NewFixture): void {
  largeNumbers(newFixture);
  sumsBehaviour(newFixture);
  measureBehaviour(newFixture);
  halfHours(newFixture);
}
