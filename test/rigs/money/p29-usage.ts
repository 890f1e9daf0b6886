/**
 * P29: figures and lists in the console exactly match raw SQL over the requests, and are fast. The database
 * generates rows, the product aggregates all but a remainder, and the console's route handlers are queried.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { usageRowsMax } from "@plaza/contract/api/usage.ts";
import { GatewayError } from "@plaza/contract/errors.ts";
import type { ControlContext } from "../../../server/src/control/context.ts";
import { usageHandlers } from "../../../server/src/control/handlers/usage.ts";
import { systemClock } from "../../../server/src/lib/time/clock.ts";
import { openStore } from "../../../server/src/store/open.ts";
import type { Store } from "../../../server/src/store/store.ts";
import { startPostgres } from "../../postgres/server.ts";
import {
  boundFigure,
  countFigure,
  type DatabaseKind,
  type Figure,
  percentile,
  type Rig,
} from "../harness/figure.ts";
import { monotonicMs } from "../harness/measure/clock.ts";
import { startProgress } from "../harness/progress.ts";
import { seededRandom } from "../harness/random.ts";
import {
  calendarOf,
  type ListQuestion,
  type Question,
  type Raw,
  type RawNumbers,
  type RawRow,
  randomList,
  randomSums,
  rawList,
  rawSums,
  type SumsQuestion,
} from "./p29-questions.ts";
import { insertRows, planOf, postgresWords, type RawWords, type RowsPlan, sqliteWords } from "./p29-rows.ts";

const sizes = {
  short: { rows: 20_000, rest: 2_000, sums: 100, lists: 50, chunk: 25_000, piece: 5_000 },
  long: {
    rows: Number(process.env["P29_ROWS"] ?? 10_000_000),
    rest: 5_000,
    sums: 700,
    lists: 300,
    chunk: 200_000,
    piece: 50_000,
  },
};
const wantedMs = 300;
/** Three months that include the clock changes of Europe and America. */
const fromMs = Date.parse("2026-02-15T00:00:00Z");

/** A database with the product's store and direct access. */
interface UsageDatabase {
  readonly store: Store;
  readonly raw: Raw;
  readonly words: RawWords;
  write(sql: string): Promise<void>;
  /** Updates the database's table statistics, as it does itself after a while. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

const texts = (rows: readonly object[]): RawRow[] =>
  rows.map(
    (row) =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => [name, value === null ? null : String(value)]),
      ) as RawRow,
  );

async function openSqlite(): Promise<UsageDatabase> {
  const directory = await mkdtemp(join(tmpdir(), "p29-"));
  const file = join(directory, "plaza.db");
  const store = await openStore({ database: { kind: "sqlite", file }, secretKey: Buffer.alloc(32, 1) });
  await store.migrate();
  const beside = new DatabaseSync(file, { timeout: 10_000, readBigInts: true });
  return {
    store,
    raw: {
      all: async (sql) => texts(beside.prepare(sql).all()),
      dayOf(question) {
        beside.exec(
          "create temp table if not exists calendar (slot integer primary key, day text); delete from calendar",
        );
        const add = beside.prepare("insert into calendar values (?, ?)");
        for (const slotAndDay of calendarOf(question)) add.run(...slotAndDay);
        return "(select day from calendar where slot = created_at / 1800000)";
      },
    },
    words: sqliteWords,
    write: async (sql) => beside.exec(sql),
    settle: async () => {},
    async close() {
      beside.close();
      await store.close();
      await rm(directory, { recursive: true });
    },
  };
}

async function openPostgres(): Promise<UsageDatabase> {
  const server = await startPostgres();
  const url = await server.newDatabase();
  const name = new URL(url).pathname.slice(1);
  const store = await openStore({ database: { kind: "postgres", url }, secretKey: Buffer.alloc(32, 1) });
  await store.migrate();
  return {
    store,
    raw: {
      all: async (sql) => texts(await server.query(sql, name)),
      dayOf: ({ timeZone }) =>
        `to_char(to_timestamp(created_at / 1000) at time zone '${timeZone}', 'YYYY-MM-DD')`,
    },
    words: postgresWords,
    write: async (sql) => void (await server.query(sql, name)),
    settle: async () => void (await server.query("vacuum analyze", name)),
    async close() {
      await store.close();
      await server.close();
    },
  };
}

const places: Record<DatabaseKind, () => Promise<UsageDatabase>> = {
  sqlite: openSqlite,
  postgres: openPostgres,
};

/** Formats dollars with two to nine decimals. */
function dollars(nanos: bigint): string {
  const [, whole, two, rest = ""] = /^(\d+)(\d{2})(\d{7})$/.exec(nanos.toString().padStart(10, "0")) ?? [];
  return `${whole}.${two}${rest.replace(/0+$/, "")}`;
}

/** The mean of integers, rounded to an integer. */
const mean = (sum: bigint, count: bigint): number | null =>
  count === 0n ? null : Math.round(Number(sum) / Number(count));

function shown(numbers: RawNumbers) {
  const { charge, loss, cost, firsttokens, firsttokenms, durationms, requests } = numbers;
  return {
    requests: Number(requests),
    complete: Number(numbers.complete),
    incomplete: Number(numbers.incomplete),
    aborted: Number(numbers.aborted),
    failed: Number(numbers.failed),
    inputTokens: Number(numbers.inputtokens),
    cachedInputTokens: Number(numbers.cachedinputtokens),
    cacheWriteTokens: Number(numbers.cachewritetokens),
    outputTokens: Number(numbers.outputtokens),
    reasoningTokens: Number(numbers.reasoningtokens),
    charge: dollars(charge),
    loss: dollars(loss),
    firstTokenMs: mean(firsttokenms, firsttokens),
    durationMs: mean(durationms, requests),
    cost: dollars(cost),
    withoutCost: Number(numbers.withoutcost),
  };
}

/** In a fixed order, so that equal sums give equal texts. */
const textOf = (numbers: Record<string, unknown>): string =>
  JSON.stringify(Object.entries(numbers).sort(([one], [other]) => (one < other ? -1 : 1)));

function totalOf(all: readonly RawNumbers[]): RawNumbers {
  const total: Record<string, bigint> = {};
  for (const numbers of all) {
    for (const [name, value] of Object.entries(numbers)) total[name] = (total[name] ?? 0n) + value;
  }
  return total as RawNumbers;
}

type Answer = Awaited<ReturnType<typeof usageHandlers.getAllUsage>>;

/** Describes what is wrong with an answer; undefined when correct. */
async function judgeSums(
  raw: Raw,
  question: SumsQuestion,
  answer: Answer | undefined,
): Promise<string | undefined> {
  const expected = await rawSums(raw, question);
  const what = JSON.stringify(question);
  if (answer === undefined)
    return expected.size > usageRowsMax ? undefined : `refused with ${expected.size} rows: ${what}`;
  if (answer.rows.length !== expected.size)
    return `${answer.rows.length} rows, not ${expected.size}: ${what}`;
  for (const row of answer.rows) {
    const { day, model, key, keyName: _, account, accountName: __, operation, ...numbers } = row;
    const name = [day, model, key, account, operation].map((part) => part ?? "").join("|");
    const wanted = expected.get(name);
    if (wanted === undefined) return `${name} is not there: ${what}`;
    if (textOf(numbers) !== textOf(shown(wanted)))
      return `${name}: ${textOf(numbers)}, not ${textOf(shown(wanted))}: ${what}`;
  }
  if (expected.size === 0) return answer.total.requests === 0 ? undefined : `a total of nothing: ${what}`;
  const total = textOf(shown(totalOf([...expected.values()])));
  return textOf(answer.total) === total ? undefined : `total: ${textOf(answer.total)}, not ${total}: ${what}`;
}

/** The database's answers and their durations. */
function asker(store: Store) {
  const context = { store, clock: systemClock } as unknown as ControlContext;
  const call = (query: object) => ({ query }) as never;
  const ids = async (question: ListQuestion, tookMs: number[]): Promise<string[]> => {
    for (let page = 0, cursor: string | undefined; ; page++) {
      const startedMs = monotonicMs();
      const answer = await usageHandlers.listAllRequests(context, call({ ...question, cursor }));
      tookMs.push(monotonicMs() - startedMs);
      if (page === question.pages) return answer.requests.map(({ id }) => id);
      if (answer.next === null) return [];
      cursor = answer.next;
    }
  };
  return {
    ids,
    /** undefined if refused for too many rows. */
    async sums(question: SumsQuestion, tookMs: number[]): Promise<Answer | undefined> {
      const startedMs = monotonicMs();
      try {
        return await usageHandlers.getAllUsage(context, call(question));
      } catch (error) {
        if (error instanceof GatewayError && error.detail.param === "by") return undefined;
        throw error;
      } finally {
        tookMs.push(monotonicMs() - startedMs);
      }
    },
  };
}

/** Inserts rows in chunks; calls `onChunk` after each. */
async function fill(
  place: UsageDatabase,
  plan: RowsPlan,
  { from, to, chunk }: { from: number; to: number; chunk: number },
  onChunk: (rows: number) => Promise<void> = async () => {},
): Promise<void> {
  for (let begin = from; begin < to; begin += chunk) {
    const end = Math.min(to, begin + chunk);
    await place.write(insertRows(place.words, plan, begin, end));
    await onChunk(end);
  }
}

async function rollUp(store: Store, piece: number): Promise<number> {
  let sum = 0;
  for (let rows = 1; rows > 0; sum += rows) rows = await store.rollUpUsage(piece);
  return sum;
}

interface Timed {
  readonly sums: number[];
  readonly lists: number[];
}

/** Runs queries and describes what is wrong. */
async function compare(
  place: UsageDatabase,
  questions: readonly Question[],
  timed: Timed,
  onAsked: (count: number) => void,
): Promise<string[]> {
  const ask = asker(place.store);
  const misses: string[] = [];
  const isSlowShown = process.env["P29_SLOW"] !== undefined;
  for (const [count, question] of questions.entries()) {
    onAsked(count);
    const times = question.kind === "sums" ? timed.sums : timed.lists;
    let miss: string | undefined;
    if (question.kind === "sums") {
      miss = await judgeSums(place.raw, question, await ask.sums(question, times));
    } else {
      const [found, wanted] = [await ask.ids(question, times), await rawList(place.raw, question)];
      if (found.join() !== wanted.join())
        miss = `${found.length} ids, not these ${wanted.length}: ${JSON.stringify(question)}`;
    }
    if (miss !== undefined) misses.push(miss);
    const lastMs = times.at(-1) ?? 0;
    if (isSlowShown && lastMs > wantedMs)
      process.stderr.write(`     ${Math.round(lastMs)} ms: ${JSON.stringify(question)}\n`);
  }
  return misses;
}

export const run: Rig = async ({ size, seed, database = "sqlite" }): Promise<Figure[]> => {
  const { rows, rest, sums, lists, chunk, piece } = sizes[size];
  const isLong = size === "long";
  const progress = startProgress({ rig: "P29", estimateMs: rows * 0.2, isShown: isLong });
  const plan = planOf(seed, rows, fromMs);
  const random = seededRandom(seed);
  const questions = random.shuffle<Question>([
    ...Array.from({ length: sums }, () => randomSums(random, plan)),
    ...Array.from({ length: lists }, () => randomList(random, plan)),
  ]);
  const timed: Timed = { sums: [], lists: [] };
  const place = await places[database]();
  try {
    let counted = 0;
    // Aggregate while rows are being inserted, as in operation.
    await fill(place, plan, { from: 0, to: rows - rest, chunk }, async (made) => {
      counted += await rollUp(place.store, piece);
      progress.begin(`making rows and adding them up: ${made} of ${rows}`);
    });
    await fill(place, plan, { from: rows - rest, to: rows, chunk });
    await place.settle();
    const misses = await compare(place, questions, timed, (count) => {
      if (count % 100 === 0) progress.begin(`asking, and asking raw SQL: ${count} of ${questions.length}`);
    });
    if (counted !== rows - rest) misses.push(`${counted} requests were added up, not ${rows - rest}`);
    const name = (what: string) => `${what} over ${rows} requests on ${database}`;
    return [
      countFigure(
        "P29",
        name("random questions answered as raw SQL does, to the unit"),
        questions.length,
        misses,
      ),
      boundFigure("P29", name("p95 of sums"), percentile(timed.sums, 95), wantedMs),
      boundFigure("P29", name("p95 of pages of requests"), percentile(timed.lists, 95), wantedMs),
    ];
  } finally {
    await place.close();
  }
};
