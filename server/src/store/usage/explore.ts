/**
 * Sums for the cost explorer: a period by group and span beside the period before, read in one snapshot, so
 * that groups, spans and totals add up to the same.
 */
import { type Kysely, sql, type Transaction } from "kysely";
import { tagsOf } from "../accounts/key-labels.ts";
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
  type WholeSums,
} from "./explore-shapes.ts";
import { sampleOf } from "./latency-sample.ts";
import { addNumbers, copyNumbers, type Numbers, noNumbers } from "./series.ts";
import { findNewRows, mergedSums, type NewRows, namesById, toSums } from "./sums.ts";
import type { UsageGroups, UsageSums } from "./usage.ts";

/** Sums before they are shown: of a group in a span. */
interface Cell {
  readonly id: string;
  readonly span: number;
  readonly numbers: Numbers;
}

/** By tag, cells are of lists of tags, so that every request is in one. */
interface Cells {
  readonly groups: readonly Cell[];
  readonly previous: readonly Cell[];
  /** At least of the first groups. */
  readonly parts: readonly Cell[];
  readonly spans: readonly Cell[];
}

/** For what sums are kept of: the filter that leaves only some groups, and where rows have their group. */
const grouping = {
  model: { narrowing: "models", by: "model", id: "model" },
  key: { narrowing: "keys", by: "key", id: "key" },
  account: { narrowing: "accounts", by: "account", id: "account" },
  operation: { narrowing: "operations", by: "operation", id: "operation" },
  member: { narrowing: "members", by: "member", id: "member" },
  project: { narrowing: "projects", by: "project", id: "label" },
  // Beside a filter by tag: requests of the first groups may have been left out by it.
  tag: { narrowing: "tagsToo", by: "tags", id: "label" },
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
const byGroupAndSpan = ({ id, span }: Cell): string => `${span}\n${id}`;

/** The groups of a cell: one, or as many as its list has tags. */
const groupsOf = (by: ExploreGroups, { id }: Cell): readonly string[] =>
  by === "tag" && id !== "" ? tagsOf(id) : [id];

/** Cells of groups; by tag they overlap. */
const ofGroups = (by: ExploreGroups, cells: readonly Cell[]): readonly Cell[] =>
  by === "tag"
    ? addUp(
        cells.flatMap((cell) => groupsOf(by, cell).map((id) => ({ ...cell, id }))),
        byGroupAndSpan,
      )
    : cells;

const totalOf = (cells: readonly Cell[]): UsageSums =>
  toSums(addUp(cells, () => "")[0]?.numbers ?? noNumbers());

const wholeOf = ({ groups, previous, spans }: Omit<Cells, "parts">): WholeSums => ({
  total: totalOf(groups),
  previous: totalOf(previous),
  spans: spans.map(spanOf),
});

/** From sums, which are kept for all time. */
async function fromSums(
  trx: Transaction<Database>,
  newRows: NewRows,
  question: ExploreQuestion & { readonly by: keyof typeof grouping },
): Promise<Cells | undefined> {
  const { stretches, previous, grain, by, rank, top, rowsMax } = question;
  const { accounts, keys, models, operations, members, projects, tags } = question;
  const filter = { accounts, keys, models, operations, members, projects, tags };
  const { id } = grouping[by];
  const ask = async (more: object, isBySpan: boolean, of: UsageGroups): Promise<Cell[] | undefined> => {
    const grains = { byDay: isBySpan && grain === "day", byHour: isBySpan && grain === "hour" };
    const asked = { ...filter, stretches, rowsMax, ...grains, by: of, ...more };
    const rows = await mergedSums(trx, newRows, asked);
    // Without groups only sums by span are asked.
    return rows?.map((row) => ({ id: of === "none" ? "" : row[id], span: row.day, numbers: row.numbers }));
  };
  const perKey = async (more: object, isBySpan: boolean): Promise<Cell[] | undefined> => {
    const rows = await ask(more, isBySpan, grouping[by].by);
    // A key's rows name its account, too; a key has one.
    return rows && addUp(rows, byGroupAndSpan);
  };
  const groups = await perKey({}, false);
  const before = previous.length === 0 ? [] : await perKey({ stretches: previous }, false);
  if (groups === undefined || before === undefined) return undefined;
  const first = inRank(ofGroups(by, groups).map(groupOf), rank).slice(0, top);
  const named = { [grouping[by].narrowing]: first.map((group) => group.id) };
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
  const { stretches, previous, grain } = question;
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
  return {
    groups: addUp(cells, byGroup),
    previous: previous.length === 0 ? [] : await cellsOf(previous, "none"),
    parts: cells,
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
    const groups = inRank(ofGroups(by, cells.groups).map(groupOf), rank);
    const first = groups.slice(0, top).map(({ id }) => id);
    const isFirst = (cell: Cell): boolean => groupsOf(by, cell).some((id) => first.includes(id));
    const parts = cells.parts.filter(isFirst);
    const names = await namesOf(trx, by, first);
    const keys = by === "member" ? await keysOfMembers(trx, first, accounts) : new Map<string, string[]>();
    return {
      groups: groups.map((group) => ({
        ...group,
        name: names.get(group.id) ?? null,
        keys: keys.get(group.id) ?? [],
      })),
      previous: ofGroups(by, cells.previous).map(groupOf),
      parts: ofGroups(by, parts)
        .filter(({ id }) => first.includes(id))
        .map((cell) => ({ ...groupOf(cell), ...spanOf(cell) })),
      all: wholeOf(cells),
      first: wholeOf({
        groups: cells.groups.filter(isFirst),
        previous: cells.previous.filter(isFirst),
        spans: addUp(parts, bySpan),
      }),
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
