/**
 * What sums of usage must be while days run, are written and have been written, and while servers before
 * schema 24 are considered. Sets the open day in SQL, so it is no part of `behaviour/behaviour.ts`.
 */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { seededRandom } from "../../../../test/rigs/harness/random.ts";
import { slotMs, zoneStretches } from "../../lib/time/time-zone.ts";
import type { RequestRow } from "../requests/shapes.ts";
import type { Store } from "../store.ts";
import { compare, randomQuestion } from "./behaviour/console/usage.ts";
import { requestRow } from "./behaviour/requests.ts";
import { naivePage } from "./naive-usage.ts";
import { days, fromMs, randomFilter, randomRow, record, rollUpAll, toMs } from "./usage-samples.ts";

interface Opened {
  readonly store: Store;
  /** Runs SQL beside the store; resolves with its rows. */
  readonly ask: (sql: string) => Promise<readonly Record<string, unknown>[]>;
}

const firstDay = Math.floor(fromMs / 86_400_000);

const openFrom = (day: number | null) =>
  `update usage_progress set open_day = ${day === null ? "null" : day}, closed_series = 0`;

const openDay = async ({ ask }: Opened): Promise<number> => {
  const [row] = await ask("select open_day, closed_series from usage_progress");
  return Number(row?.["open_day"]);
};

type Open = (context: TestContext) => Promise<Opened>;

export function daysBehaviour(open: Open): void {
  closingDays(open);
  writtenOnce(open);
}

function closingDays(open: Open): void {
  test("sums are those of all rows while days are written one after the other, and late rows come", async (context) => {
    const opened = await open(context);
    const { store, ask } = opened;
    await ask(openFrom(firstDay));
    const random = seededRandom(291);
    const rows: RequestRow[] = [];
    const newRows = async (count: number) => {
      const added = Array.from({ length: count }, (_, index) => randomRow(random, rows.length + index));
      await record(store, added);
      rows.push(...added);
    };
    await newRows(60);
    for (let turn = 0; turn < 20; turn++) {
      await newRows(5);
      await store.rollUpUsage(9);
      for (let count = 0; count < 6; count++) await compare(store, rows, randomQuestion(random));
      const filter = { ...randomFilter(random), states: ["complete" as const] };
      const page = await store.pageRequests(filter, { limit: 20 });
      assert.deepEqual(
        page.map(({ request }) => request.id),
        naivePage(rows, filter)
          .slice(0, 20)
          .map(({ id }) => id),
      );
    }
    assert.equal(await openDay(opened), firstDay + 20);
    await rollUpAll(store);
    for (let count = 0; count < 20; count++) await compare(store, rows, randomQuestion(random));
    assert.equal(await store.claimUsageRollup("one"), true, "days are left to write");
    assert.equal(await store.rollUpFew(), false, "days are written with pieces");
  });

  test("a day with many series is written in parts, and rows that come meanwhile are in it", async (context) => {
    const opened = await open(context);
    const { store, ask } = opened;
    await ask(openFrom(firstDay));
    const rows: RequestRow[] = [];
    const newRows = async (begin: number, count: number, createdAt: number) => {
      const added = Array.from({ length: count }, (_, index) =>
        requestRow(rows.length + index, {
          ...{ accountId: "acc_1", keyId: "key_1", modelId: `m${begin + index}`, createdAt },
        }),
      );
      await record(store, added);
      rows.push(...added);
    };
    await newRows(0, 1_300, fromMs);
    await store.rollUpUsage(10_000);
    const stretches = zoneStretches("UTC", fromMs / slotMs, toMs / slotMs);
    const questions = (["none", "model", "account"] as const).map((by) => ({
      ...{ stretches, byDay: true, by, rowsMax: 20_000 },
    }));
    const found: number[] = [];
    // The day before may have been written already, when there was no series.
    await ask(openFrom(firstDay));
    for (let turn = 0; turn < 4; turn++) {
      await newRows(0, turn === 0 ? 1_300 : 300, fromMs + 40 * slotMs);
      await store.rollUpUsage(10_000);
      found.push((await openDay(opened)) - firstDay);
      for (const question of questions) await compare(store, rows, question);
    }
    assert.deepEqual(found, [0, 1, 1, 2]);
    await rollUpAll(store, 10_000);
    for (const question of questions) await compare(store, rows, question);
  });
}

function writtenOnce(open: Open): void {
  test("sums and last uses of keys are right before, at and after the moment from which sums are written once", async (context) => {
    const opened = await open(context);
    const { store, ask } = opened;
    await ask(openFrom(null));
    const random = seededRandom(292);
    const rows: RequestRow[] = [];
    const add = async (added: readonly RequestRow[], rowsMax: number) => {
      await record(store, added);
      rows.push(...added);
      await store.rollUpUsage(rowsMax);
      const numbers = await store.keyNumbers("acc_1", fromMs);
      for (const keyId of ["key_1_1", "key_1_2"]) {
        const own = rows.filter((row) => row.keyId === keyId);
        const found = numbers.find((one) => one.keyId === keyId);
        assert.deepEqual(
          [found?.requests, found?.lastUsedAt],
          [own.length, Math.max(...own.map(({ createdAt }) => createdAt))],
        );
      }
    };
    for (let turn = 0; turn < 6; turn++) {
      const added = Array.from({ length: 30 }, (_, index) => randomRow(random, rows.length + index));
      await add(added, turn % 2 === 0 ? 1_000 : 11);
      if (turn === 2) {
        // As servers before schema 24 write it.
        await ask("update usage_slots set last_at = 0");
        await ask(openFrom(firstDay + Math.floor(days / 2)));
      }
      for (let count = 0; count < 8; count++) await compare(store, rows, randomQuestion(random));
    }
    await rollUpAll(store);
    // In one half hour, the newest neither first nor last.
    for (const [number, ms] of [5, 9, 2].entries())
      await add(
        [requestRow(900 + number, { accountId: "acc_1", keyId: "key_1_1", createdAt: toMs + ms })],
        10,
      );
    const kinds = await ask(
      "select kind, count(*) as count from usage_series where kind in (1, 3, 5) group by 1",
    );
    assert.equal(kinds.length, 3, "servers of older schemas find their series");
  });

  test("once sums are written once, none is written for a day that runs, nor for accounts and keys alone", async (context) => {
    const { store, ask } = await open(context);
    await ask(openFrom(firstDay));
    await record(
      store,
      [1, 2].map((number) => requestRow(number, { accountId: "acc_1", createdAt: toMs })),
    );
    await store.rollUpUsage(10);
    assert.deepEqual(await ask("select * from usage_days"), []);
    const kinds = await ask("select kind from usage_series order by 1");
    assert.deepEqual(
      kinds.map(({ kind }) => Number(kind)),
      [0, 4, 7],
    );
  });
}
