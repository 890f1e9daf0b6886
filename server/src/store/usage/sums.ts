/**
 * Sums of usage from whole UTC days, half hours at the edges, and rows not summed yet, in one snapshot of the
 * database. So the result does not depend on whether a row was already summed.
 */
import { nanoUsd } from "@plaza/contract/money.ts";
import type { Operation } from "@plaza/contract/operations.ts";
import { type Kysely, type RawBuilder, sql, type Transaction } from "kysely";
import { slotMs, slotsPerDay, type ZoneStretch } from "../../lib/time/time-zone.ts";
import { keyHasLabels } from "../accounts/key-labels.ts";
import { inOneView } from "../lists/read.ts";
import type { InsertionOrder } from "../sql/insertion-order.ts";
import type { Database } from "../sql/schema.ts";
import { type Part, partsOf, slotsPerHour } from "./parts.ts";
import { readProgress } from "./rollup.ts";
import {
  addNumbers,
  copyNumbers,
  countedModel,
  finest,
  joinParts,
  type Numbers,
  named,
  negated,
  type SumsRow,
  slotOfRow,
  sumsOfRows,
  sumsOfSummed,
  sumsOfSums,
} from "./series.ts";
import type { UsageFilter, UsageGroups, UsageQuestion, UsageRow, UsageSums } from "./usage.ts";

/** Columns that only the plaza's measurements and the lists of requests need. */
const unreportedSums = ["unserved", "stream_tokens", "stream_ms"] as const;

/** A part may have this many times the rows asked for: some may move to another day. */
const groupsPerRow = 2;

interface GroupRow extends SumsRow {
  readonly day: number;
  readonly model: string;
  readonly key: string;
  readonly account: string;
  readonly operation: Operation | "";
  readonly member: string;
  /** A project, or a JSON list of tags; "": none. */
  readonly label: string;
}

const isListed = (
  column: RawBuilder<unknown>,
  values: readonly string[] | undefined,
): RawBuilder<boolean> => {
  if (values === undefined) return sql`true`;
  return values.length === 0 ? sql`false` : sql`${column} in (${sql.join([...values])})`;
};

type Filter = UsageFilter & Pick<UsageQuestion, "members" | "tagsToo">;

/** What is known of the key of a series or of a request: its maker, its labels; "" without it. */
const ofKey = (key: string, column: "created_by" | "project" | "tags"): RawBuilder<string> =>
  sql.raw(`coalesce((select made.${column} from api_keys made where made.id = ${key}), '')`);

/** Conditions on series, or on rows of requests. */
export function filterSeries(filter: Filter): RawBuilder<boolean> {
  const { accounts, keys, models, operations, members } = filter;
  return sql`${isListed(sql.raw("x.account_id"), accounts)} and ${isListed(sql.raw("x.key_id"), keys)}
    and ${isListed(sql.raw("x.model_id"), models)} and ${isListed(sql.raw("x.operation"), operations)}
    and ${isListed(seriesColumns.member, members)} and ${keyHasLabels("x.key_id", filter)}
    and ${keyHasLabels("x.key_id", { tags: filter.tagsToo })}`;
}

export function filterRows(
  filter: Filter,
  account: RawBuilder<string> = sql.raw("requests.account_id"),
): RawBuilder<boolean> {
  const { accounts, keys, models, operations, members } = filter;
  return sql`${isListed(account, accounts)} and ${isListed(sql.raw("requests.key_id"), keys)}
    and ${isListed(rowColumns.member, members)} and ${keyHasLabels("requests.key_id", filter)}
    and ${keyHasLabels("requests.key_id", { tags: filter.tagsToo })}
    and ${isListed(countedModel, models)} and ${isListed(sql.raw("requests.operation"), operations)}`;
}

/** The coarsest kind of series with the needed detail. */
function kindOf({
  accounts,
  keys,
  models,
  members,
  projects,
  tags,
  by,
}: Pick<UsageQuestion, "accounts" | "keys" | "models" | "members" | "projects" | "tags" | "by">): number {
  const needsKey =
    [keys, members, projects, tags].some((one) => one !== undefined) ||
    ["key", "member", "project", "tags"].includes(by);
  if (needsKey || accounts !== undefined || by === "account") return finest;
  return models !== undefined || by === "model" ? named.model : 0;
}

/** The day of a half hour in the stretches' time zone. */
function dayOfSlot(slot: RawBuilder<number>, stretches: readonly ZoneStretch[]): RawBuilder<number> {
  const dayWith = (offset: number) => sql<number>`((${slot} + ${sql.lit(offset)}) / ${sql.lit(slotsPerDay)})`;
  const last = stretches.at(-1) as ZoneStretch;
  if (stretches.length === 1) return dayWith(last.offset);
  const cases = stretches
    .slice(0, -1)
    .map(({ to, offset }) => sql`when ${slot} < ${sql.lit(to)} then ${dayWith(offset)}`);
  return sql`case ${sql.join(cases, sql` `)} else ${dayWith(last.offset)} end`;
}

/** What rows are grouped by: an expression for each name, or "" if it is not requested. */
function namesOf(by: UsageGroups, columns: typeof seriesColumns) {
  const nothing = sql<string>`''`;
  const account = by === "account" || by === "key" ? columns.account : nothing;
  const key = by === "key" ? columns.key : nothing;
  const model = by === "model" ? columns.model : nothing;
  const operation = by === "operation" ? columns.operation : nothing;
  const member = by === "member" ? columns.member : nothing;
  const label = by === "project" || by === "tags" ? columns[by] : nothing;
  return sql`${account} as account, ${key} as key, ${model} as model, ${operation} as operation,
    ${member} as member, ${label} as label`;
}

const seriesColumns = {
  account: sql.raw<string>("x.account_id"),
  key: sql.raw<string>("x.key_id"),
  model: sql.raw<string>("x.model_id"),
  operation: sql.raw<string>("x.operation"),
  member: ofKey("x.key_id", "created_by"),
  project: ofKey("x.key_id", "project"),
  tags: ofKey("x.key_id", "tags"),
};
export const rowColumns = {
  account: sql.raw<string>("requests.account_id"),
  key: sql.raw<string>("requests.key_id"),
  model: countedModel,
  operation: sql.raw<string>("requests.operation"),
  member: ofKey("requests.key_id", "created_by"),
  project: ofKey("requests.key_id", "project"),
  tags: ofKey("requests.key_id", "tags"),
};

/** Sums of each series and day, in key order where possible, so that nothing has to be sorted. */
function sumsBySeries(question: UsageQuestion, part: Part): RawBuilder<unknown> {
  const { table, from, to, window, dayOffset, spanSlots = slotsPerDay } = part;
  const isDays = table === "usage_days";
  const slotDay = sql`((s.span + ${sql.lit(dayOffset ?? 0)}) / ${sql.lit(spanSlots)})`;
  const day = dayOffset === undefined ? sql`0` : isDays ? sql`s.span` : slotDay;
  const series = sql`select x.id from usage_series x where x.kind = ${kindOf(question)} and ${filterSeries(question)}`;
  const groups = dayOffset === undefined ? sql`s.series_id` : sql`s.series_id, ${day}`;
  const slotOfDay = sql`(s.span % ${sql.lit(slotsPerDay)})`;
  const isWithin =
    window === undefined ? sql`true` : sql`${slotOfDay} >= ${window.from} and ${slotOfDay} < ${window.to}`;
  return sql`select s.series_id, ${day} as day, ${sumsOfSums("s", unreportedSums)} from ${sql.raw(table)} s
    where s.series_id in (${series}) and s.span >= ${from} and s.span < ${to} and ${isWithin}
    group by ${groups}`;
}

async function sumPart(trx: Transaction<Database>, question: UsageQuestion, part: Part): Promise<GroupRow[]> {
  const { rows } =
    await sql<GroupRow>`select g.day, ${namesOf(question.by, seriesColumns)}, ${sumsOfSummed("g")}
    from (${sumsBySeries(question, part)}) g join usage_series x on x.id = g.series_id
    group by 1, 2, 3, 4, 5, 6, 7 limit ${question.rowsMax * groupsPerRow + 1}`.execute(trx);
  return rows.map(joinParts);
}

/** What a part adds to its days. */
function effectOf({ move }: Part, rows: readonly GroupRow[]): readonly GroupRow[] {
  if (move === undefined) return rows;
  return rows.flatMap((row) => [
    { ...row, ...negated(row) },
    { ...row, day: row.day + move },
  ]);
}

/** The day or the hour of a row of `requests`; 0 when they are not separated. */
export function spanOfRow({
  stretches,
  byDay,
  byHour = false,
}: Pick<UsageQuestion, "stretches" | "byDay" | "byHour">): RawBuilder<number> {
  const from = stretches[0]?.from ?? 0;
  if (byHour) return sql<number>`((${slotOfRow} - ${sql.lit(from)}) / ${sql.lit(slotsPerHour)})`;
  return byDay ? dayOfSlot(slotOfRow, stretches) : sql<number>`0`;
}

async function sumTail(
  trx: Transaction<Database>,
  question: UsageQuestion,
  { isNew, account }: NewRows,
): Promise<GroupRow[]> {
  const { stretches } = question;
  const from = (stretches[0]?.from ?? 0) * slotMs;
  const to = (stretches.at(-1)?.to ?? 0) * slotMs;
  const day = spanOfRow(question);
  const { rows } =
    await sql<GroupRow>`select ${day} as day, ${namesOf(question.by, rowColumns)}, ${sumsOfRows}
    from requests where ${isNew} and requests.created_at >= ${from} and requests.created_at < ${to} and ${filterRows(question, account)}
    group by 1, 2, 3, 4, 5, 6, 7 limit ${question.rowsMax + 1}`.execute(trx);
  return rows.map(joinParts);
}

/** The sums that are returned for these numbers. */
export function toSums(numbers: Numbers): UsageSums {
  return {
    requests: numbers.requests,
    complete: numbers.complete,
    incomplete: numbers.incomplete,
    aborted: numbers.aborted,
    inputTokens: numbers.input_tokens,
    cachedInputTokens: numbers.cached_input_tokens,
    cacheWriteTokens: numbers.cache_write_tokens,
    outputTokens: numbers.output_tokens,
    reasoningTokens: numbers.reasoning_tokens,
    charge: nanoUsd(numbers.charge_nanos),
    loss: nanoUsd(numbers.loss_nanos),
    cost: nanoUsd(numbers.cost_nanos),
    withoutCost: numbers.without_cost,
    firstTokens: numbers.first_tokens,
    firstTokenMs: numbers.first_token_ms,
    durationMs: numbers.duration_ms,
  };
}

interface Merged
  extends Pick<GroupRow, "day" | "model" | "key" | "account" | "operation" | "member" | "label"> {
  readonly numbers: Numbers;
}

function merge(groups: readonly GroupRow[]): Merged[] {
  const found = new Map<string, Merged>();
  for (const group of groups) {
    const { day, model, key, account, operation, member, label } = group;
    const text = JSON.stringify([day, model, key, account, operation, member, label]);
    const known = found.get(text);
    if (known !== undefined) addNumbers(known.numbers, group);
    else found.set(text, { day, model, key, account, operation, member, label, numbers: copyNumbers(group) });
  }
  return [...found.values()];
}

/** Names by id. In pieces, because a statement has a limited number of parameters. */
export async function namesById(
  trx: Transaction<Database>,
  table: "accounts" | "api_keys" | "users",
  ids: readonly string[],
): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  const distinct = [...new Set(ids)];
  for (let index = 0; index < distinct.length; index += 500) {
    const rows = await trx
      .selectFrom(table)
      .select(["id", "name"])
      .where("id", "in", distinct.slice(index, index + 500))
      .execute();
    for (const { id, name } of rows) names.set(id, name);
  }
  return names;
}

/** Conditions on `requests` for rows that are not summed yet. */
export interface NewRows {
  readonly isNew: RawBuilder<boolean>;
  /** The account's column, for conditions next to that one. */
  readonly account: RawBuilder<string>;
  /** True when the sums can be trusted; otherwise every row counts as new. */
  readonly isSound: boolean;
  /** The first UTC day whose sums are not written; Infinity: none. */
  readonly openDay: number;
}

export async function findNewRows(trx: Transaction<Database>, order: InsertionOrder): Promise<NewRows> {
  const { mark, days, isSound } = await readProgress(trx, order);
  const { openDay } = days;
  const account = sql.raw<string>("requests.account_id");
  if (!isSound) return { isNew: sql`true`, account, isSound, openDay };
  return { isNew: order.isAfter(mark), account: order.aside(mark, account), isSound, openDay };
}

/** All sums without names, in this snapshot; undefined when there are more than `rowsMax`. */
export async function mergedSums(
  trx: Transaction<Database>,
  newRows: NewRows,
  question: UsageQuestion,
): Promise<readonly Merged[] | undefined> {
  const groups = await sumTail(trx, question, newRows);
  for (const part of newRows.isSound ? partsOf(question, newRows.openDay) : []) {
    const rows = await sumPart(trx, question, part);
    if (rows.length > question.rowsMax * groupsPerRow) return undefined;
    for (const group of effectOf(part, rows)) groups.push(group);
  }
  // A day whose requests were all moved to another day must not leave anything.
  const merged = merge(groups).filter(({ numbers }) => numbers.requests > 0);
  return merged.length > question.rowsMax ? undefined : merged;
}

export async function sumUsage(
  db: Kysely<Database>,
  order: InsertionOrder,
  question: UsageQuestion,
): Promise<readonly UsageRow[] | undefined> {
  return await inOneView(db, async (trx) => {
    const newRows = await findNewRows(trx, order);
    const merged = await mergedSums(trx, newRows, question);
    if (merged === undefined) return undefined;
    const { byDay, by } = question;
    const hasKey = by === "key";
    const hasAccount = hasKey || by === "account";
    const keyNames = await namesById(trx, "api_keys", hasKey ? merged.map(({ key }) => key) : []);
    const accountNames = await namesById(
      trx,
      "accounts",
      hasAccount ? merged.map(({ account }) => account) : [],
    );
    return merged.map(({ day, model, key, account, operation, member, numbers }) => ({
      day: byDay || question.byHour === true ? day : undefined,
      model: by === "model" ? model : undefined,
      key: hasKey ? key : undefined,
      keyName: hasKey ? (keyNames.get(key) ?? null) : undefined,
      account: hasAccount ? account : undefined,
      accountName: hasAccount ? (accountNames.get(account) ?? null) : undefined,
      operation: operation === "" ? undefined : operation,
      ...(by === "member" ? { member } : {}),
      ...toSums(numbers),
    }));
  });
}
