/**
 * Sums for the cost explorer: a period by group and span beside the period before, read in one snapshot, so
 * that groups, spans and totals add up to the same.
 */
import { type Kysely, sql, type Transaction } from "kysely";
import { inOneView } from "../lists/read.ts";
import type { SqlDialect } from "../sql/dialect.ts";
import type { Database } from "../sql/schema.ts";
import {
  countReadable,
  stretchOf,
  sumsOfRequests,
  type TimesRow,
  timesOfRequests,
  timesOfSample,
} from "./explore-rows.ts";
import {
  type ExploredUsage,
  type ExploreGroups,
  type ExploreQuestion,
  type ExploreRank,
  type GroupSums,
  type Latencies,
  type LatencyQuestion,
  memberKeysMax,
  type SpanSums,
} from "./explore-shapes.ts";
import { sampleOf } from "./latency-sample.ts";
import { addNumbers, copyNumbers, type Numbers } from "./series.ts";
import { findNewRows, mergedSums, type NewRows, namesById, toSums } from "./sums.ts";
import type { UsageSums } from "./usage.ts";

/** Sums before they are shown: of a group in a span. */
interface Cell {
  readonly id: string;
  readonly span: number;
  readonly numbers: Numbers;
}

type Cells = Record<"groups" | "previous" | "parts" | "spans", readonly Cell[]>;

/** Filters by group; for what sums are kept of. */
const filterNames = {
  model: "models",
  key: "keys",
  account: "accounts",
  operation: "operations",
  member: "members",
} as const;

const rankOf = (rank: ExploreRank, sums: UsageSums): bigint => {
  if (rank === "charge" || rank === "cost") return sums[rank];
  if (rank === "requests") return BigInt(sums.requests);
  return BigInt(sums.inputTokens + sums.cachedInputTokens + sums.cacheWriteTokens + sums.outputTokens);
};

/** The first in rank first; then by requests and by name, so that the order never depends on the database. */
function inRank<Group extends GroupSums>(groups: readonly Group[], rank: ExploreRank): Group[] {
  return groups.toSorted((one, other) => {
    const [left, right] = [rankOf(rank, one.sums), rankOf(rank, other.sums)];
    if (left !== right) return left < right ? 1 : -1;
    return other.sums.requests - one.sums.requests || (one.id < other.id ? -1 : 1);
  });
}

const groupOf = ({ id, numbers }: Cell): GroupSums => ({ id, sums: toSums(numbers) });
const spanOf = ({ span, numbers }: Cell): SpanSums => ({ span, sums: toSums(numbers) });

/** Adds up cells that have the same text. */
function addUp(cells: readonly Cell[], textOf: (cell: Cell) => string): Cell[] {
  const found = new Map<string, Cell>();
  for (const cell of cells) {
    const known = found.get(textOf(cell));
    if (known !== undefined) addNumbers(known.numbers, cell.numbers);
    else found.set(textOf(cell), { ...cell, numbers: copyNumbers(cell.numbers) });
  }
  return [...found.values()];
}

const byGroup = ({ id }: Cell): string => id;
const bySpan = ({ span }: Cell): string => String(span);

/** From sums, which are kept for all time. */
async function fromSums(
  trx: Transaction<Database>,
  newRows: NewRows,
  question: ExploreQuestion & { readonly by: keyof typeof filterNames },
): Promise<Cells | undefined> {
  const { stretches, previous, grain, by, rank, top, rowsMax } = question;
  const { accounts, keys, models, operations, members } = question;
  const filter = { accounts, keys, models, operations, members };
  const ask = async (
    more: object,
    isBySpan: boolean,
    of: typeof by | "none",
  ): Promise<Cell[] | undefined> => {
    const grains = { byDay: isBySpan && grain === "day", byHour: isBySpan && grain === "hour" };
    const asked = { ...filter, stretches, rowsMax, ...grains, by: of, ...more };
    const rows = await mergedSums(trx, newRows, asked);
    // Without groups only sums by span are asked.
    return rows?.map((row) => ({ id: of === "none" ? "" : row[of], span: row.day, numbers: row.numbers }));
  };
  const perKey = async (more: object, isBySpan: boolean): Promise<Cell[] | undefined> => {
    const rows = await ask(more, isBySpan, by);
    // A key's rows name its account, too; a key has one.
    return rows && addUp(rows, (cell) => `${cell.span}\n${cell.id}`);
  };
  const groups = await perKey({}, false);
  const before = previous.length === 0 ? [] : await perKey({ stretches: previous }, false);
  if (groups === undefined || before === undefined) return undefined;
  const first = inRank(groups.map(groupOf), rank).slice(0, top);
  const named = { [filterNames[by]]: first.map(({ id }) => id) };
  const parts = first.length === 0 ? [] : await perKey(named, true);
  const spans = await ask({}, true, "none");
  return parts && spans && { groups, previous: before, parts, spans };
}

/** From requests; only for as many as may be read. */
async function fromRequests(
  trx: Transaction<Database>,
  dialect: SqlDialect,
  newRows: NewRows,
  question: ExploreQuestion,
): Promise<Cells | "tooManyRequests"> {
  const { stretches, previous, rank, top, grain } = question;
  const reading = { trx, dialect, newRows };
  const both = [...previous, ...stretches];
  const range = { from: both[0]?.from ?? 0, to: both.at(-1)?.to ?? 0 };
  if ((await countReadable(reading, question, range)) > question.requestsMax) return "tooManyRequests";
  const cellsOf = async (of: ExploreQuestion["stretches"], by: typeof grain | "none"): Promise<Cell[]> =>
    (await sumsOfRequests(reading, { ...question, stretches: of, grain: by })).map(
      ({ id, span, ...rest }) => ({
        id,
        span,
        numbers: copyNumbers(rest),
      }),
    );
  const cells = await cellsOf(stretches, grain);
  const groups = addUp(cells, byGroup);
  const first = new Set(
    inRank(groups.map(groupOf), rank)
      .slice(0, top)
      .map(({ id }) => id),
  );
  return {
    groups,
    previous: previous.length === 0 ? [] : await cellsOf(previous, "none"),
    parts: cells.filter(({ id }) => first.has(id)),
    spans: addUp(cells, bySpan),
  };
}

const nameTables = { account: "accounts", key: "api_keys", member: "users" } as const;

async function namesOf(
  trx: Transaction<Database>,
  by: ExploreGroups | "day",
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const table = (nameTables as Partial<Record<typeof by, "accounts" | "api_keys" | "users">>)[by];
  return table === undefined ? new Map() : await namesById(trx, table, ids);
}

/** Keys by the user who made them, the newest first, as links need them. */
async function keysOfMembers(
  trx: Transaction<Database>,
  members: readonly string[],
  accounts: readonly string[] | undefined,
): Promise<Map<string, string[]>> {
  const keys = new Map<string, string[]>();
  for (const member of members) {
    const made = member === "" ? sql<boolean>`created_by is null` : sql<boolean>`created_by = ${member}`;
    const rows = await trx
      .selectFrom("api_keys")
      .select("id")
      .where(made)
      .$if(accounts !== undefined, (query) => query.where("account_id", "in", [...(accounts ?? [])]))
      .orderBy("id", "desc")
      .limit(memberKeysMax)
      .execute();
    keys.set(
      member,
      rows.map(({ id }) => id),
    );
  }
  return keys;
}

export async function exploreUsage(
  db: Kysely<Database>,
  dialect: SqlDialect,
  question: ExploreQuestion,
): Promise<ExploredUsage | "tooManyRows" | "tooManyRequests"> {
  const { by, rank, top, accounts } = question;
  return await inOneView(db, async (trx) => {
    const newRows = await findNewRows(trx, dialect.insertionOrder);
    const cells =
      by === "upstream"
        ? await fromRequests(trx, dialect, newRows, question)
        : ((await fromSums(trx, newRows, { ...question, by })) ?? "tooManyRows");
    if (typeof cells === "string") return cells;
    const groups = inRank(cells.groups.map(groupOf), rank);
    const first = groups.slice(0, top).map(({ id }) => id);
    const names = await namesOf(trx, by, first);
    const keys = by === "member" ? await keysOfMembers(trx, first, accounts) : new Map<string, string[]>();
    return {
      groups: groups.map((group) => ({
        ...group,
        name: names.get(group.id) ?? null,
        keys: keys.get(group.id) ?? [],
      })),
      previous: cells.previous.map(groupOf),
      parts: cells.parts.map((cell) => ({ ...groupOf(cell), ...spanOf(cell) })),
      spans: cells.spans.map(spanOf),
    };
  });
}

/** A sample may hold so many times what it was meant to, where most requests came in its moments. */
const sampleExcess = 4;

export async function listLatencies(
  db: Kysely<Database>,
  dialect: SqlDialect,
  question: LatencyQuestion,
): Promise<Latencies | undefined> {
  const { stretches, by, requestsMax } = question;
  return await inOneView(db, async (trx) => {
    const newRows = await findNewRows(trx, dialect.insertionOrder);
    const range = { from: stretches[0]?.from ?? 0, to: stretches.at(-1)?.to ?? 0 };
    const reading = { trx, dialect, newRows };
    const oneIn = Math.max(1, Math.ceil((await countReadable(reading, question, range)) / requestsMax));
    let groups: TimesRow[] | undefined;
    if (oneIn === 1) groups = await timesOfRequests(reading, question);
    else {
      const cells = sampleOf(stretchOf(range), oneIn);
      groups = await timesOfSample(reading, question, cells, requestsMax * sampleExcess);
    }
    if (groups === undefined) return undefined;
    const names = await namesOf(
      trx,
      by,
      groups.map(({ id }) => id),
    );
    return { oneIn, groups: groups.map((group) => ({ ...group, name: names.get(group.id) ?? null })) };
  });
}
