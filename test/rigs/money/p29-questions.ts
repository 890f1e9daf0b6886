/**
 * P29's queries: random ranges, zones, groupings, filters and pages, each with raw SQL for the expected
 * answer. Shares no code with the product: states are counted with FILTER, days come from the database's or
 * `Intl`'s calendar.
 */
import type { Operation } from "@plaza/contract/operations.ts";
import type { Random } from "../harness/random.ts";
import { accountOf, keyOf, keysOf, modelOf, type RowsPlan } from "./p29-rows.ts";

/** A row of raw SQL; numbers as text, to avoid rounding. */
export type RawRow = Readonly<Record<string, string | null>>;

/** Queries the database directly. */
export interface Raw {
  all(sql: string): Promise<RawRow[]>;
  /** The day of a request in the query's zone, as an SQL expression. */
  readonly dayOf: (question: SumsQuestion) => string;
}

interface Filters {
  readonly account?: string[] | undefined;
  readonly key?: string[] | undefined;
  readonly model?: string[] | undefined;
  readonly operation?: Operation[] | undefined;
}

/** The query of `getAllUsage`, or of an account's `getUsage`. */
export interface SumsQuestion extends Filters {
  readonly kind: "sums";
  readonly from: string;
  readonly to: string;
  readonly timeZone: string;
  readonly by: string;
}

/** The query of `listAllRequests`. */
export interface ListQuestion extends Filters {
  readonly kind: "list";
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly state?: ("complete" | "incomplete" | "aborted" | "failed")[] | undefined;
  readonly errorCode?: string | undefined;
  readonly id?: string | undefined;
  readonly limit: number;
  /** Number of pages to skip before the compared page. */
  readonly pages: number;
}

export type Question = SumsQuestion | ListQuestion;

const slotMs = 1_800_000;
const zones = ["UTC", "UTC", "Europe/Berlin", "America/New_York", "Asia/Shanghai", "Asia/Kolkata"];
const maybe = <T>(random: Random, chance: number, value: () => T): T | undefined =>
  random.chance(chance) ? value() : undefined;

/** Prefers large accounts. */
const someAccount = (random: Random, plan: RowsPlan): number =>
  random.chance(0.5) ? random.int(0, 4) : random.int(0, plan.accounts - 1);

function randomFilters(random: Random, plan: RowsPlan): Filters {
  const account = someAccount(random, plan);
  const isOwn = random.chance(0.6);
  const models = () =>
    Array.from({ length: random.int(1, 3) }, () =>
      random.chance(0.05) ? "" : modelOf(random.int(0, plan.models)),
    );
  const keys = () =>
    Array.from({ length: random.int(1, 3) }, () => keyOf(account, random.int(0, keysOf(account) - 1)));
  return {
    account: isOwn
      ? [accountOf(account)]
      : maybe(random, 0.2, () => [accountOf(account), accountOf(account + 1)]),
    key: maybe(random, 0.25, keys),
    model: maybe(random, 0.35, models),
    operation: maybe(random, 0.2, () => [random.pick(["chat", "embeddings", "completion"] as const)]),
  };
}

/** A range from half an hour to everything; short ranges are as likely as long ones. */
function randomRange(random: Random, plan: RowsPlan): { fromSlot: number; toSlot: number } {
  const slots = plan.days * 48;
  const length = Math.max(1, Math.floor(slots ** random.next()));
  const first = Math.floor(plan.fromMs / slotMs) - 96;
  const fromSlot = first + random.int(0, slots + 96 - length);
  return { fromSlot, toSlot: fromSlot + length };
}

const timeText = (ms: number): string => new Date(ms).toISOString();

export function randomSums(random: Random, plan: RowsPlan): SumsQuestion {
  const { fromSlot, toSlot } = randomRange(random, plan);
  const filters = randomFilters(random, plan);
  const isOwn = filters.account?.length === 1;
  const own = ["none", "day", "model", "key", "operation", "day-model", "day-key", "day-operation"];
  return {
    kind: "sums",
    ...filters,
    from: timeText(fromSlot * slotMs),
    to: timeText(toSlot * slotMs),
    timeZone: random.pick(zones),
    by: random.pick(isOwn ? own : [...own, "account", "day-account"]),
  };
}

export function randomList(random: Random, plan: RowsPlan): ListQuestion {
  const { fromSlot, toSlot } = randomRange(random, plan);
  const hasRange = random.chance(0.6);
  const time = (slot: number) => timeText(slot * slotMs + random.int(0, slotMs));
  const idTime = plan.fromMs + random.int(0, plan.days * 86_400_000);
  return {
    kind: "list",
    ...randomFilters(random, plan),
    from: hasRange ? time(fromSlot) : undefined,
    to: hasRange ? time(toSlot + 1) : undefined,
    state: maybe(random, 0.3, () => [random.pick(["complete", "incomplete", "aborted", "failed"] as const)]),
    errorCode: maybe(random, 0.15, () => random.pick(["upstream_error", "model_not_found", "never_seen"])),
    id: maybe(random, 0.1, () => `req_${String(idTime).padStart(14, "0").slice(0, random.int(6, 11))}`),
    limit: random.pick([20, 50, 100]),
    pages: random.chance(0.3) ? random.int(1, 3) : 0,
  };
}

const listed = (values: readonly string[]) => values.map((value) => `'${value}'`).join(", ");
const modelSql = "case when error_code = 'model_not_found' or model_id is null then '' else model_id end";

function whereOf(question: Question): string {
  const { account, key, model, operation, from, to } = question;
  const parts = ["1 = 1"];
  if (account !== undefined) parts.push(`account_id in (${listed(account)})`);
  if (key !== undefined) parts.push(`key_id in (${listed(key)})`);
  if (model !== undefined) parts.push(`(${modelSql}) in (${listed(model)})`);
  if (operation !== undefined) parts.push(`operation in (${listed(operation)})`);
  if (from !== undefined) parts.push(`created_at >= ${Date.parse(from)}`);
  if (to !== undefined) parts.push(`created_at < ${Date.parse(to)}`);
  if (question.kind === "list") {
    if (question.state !== undefined) parts.push(`state in (${listed(question.state)})`);
    if (question.errorCode !== undefined) parts.push(`error_code = '${question.errorCode}'`);
    if (question.id !== undefined) parts.push(`substr(id, 1, ${question.id.length}) = '${question.id}'`);
  }
  return parts.join(" and ");
}

/** Ids of the requested page. */
export async function rawList(raw: Raw, question: ListQuestion): Promise<(string | null | undefined)[]> {
  const { limit, pages } = question;
  const rows = await raw.all(`select id from requests where ${whereOf(question)}
    order by created_at desc, id desc limit ${limit} offset ${pages * limit}`);
  return rows.map(({ id }) => id);
}

const columns = {
  requests: "count(*)",
  complete: "count(*) filter (where state = 'complete')",
  incomplete: "count(*) filter (where state = 'incomplete')",
  aborted: "count(*) filter (where state = 'aborted')",
  failed: "count(*) filter (where state = 'failed')",
  inputtokens: "sum(input_tokens)",
  cachedinputtokens: "sum(cached_input_tokens)",
  cachewritetokens: "sum(cache_write_tokens)",
  outputtokens: "sum(output_tokens)",
  reasoningtokens: "sum(reasoning_tokens)",
  charge: "sum(charge_nanos)",
  loss: "sum(loss_nanos)",
  cost: "coalesce(sum(cost_nanos), 0)",
  withoutcost: "count(*) - count(cost_nanos)",
  firsttokens: "count(first_token_ms)",
  firsttokenms: "coalesce(sum(first_token_ms), 0)",
  durationms: "sum(duration_ms)",
};

export type RawNumbers = Record<keyof typeof columns, bigint>;

/** Maps each half hour of a range to its day in a zone, by `Intl`'s calendar. */
export function calendarOf({ timeZone, from, to }: SumsQuestion): [slot: number, day: string][] {
  const format = new Intl.DateTimeFormat("en-CA", { timeZone, dateStyle: "short" });
  const [first, end] = [Date.parse(from) / slotMs, Date.parse(to) / slotMs];
  return Array.from({ length: end - first }, (_, at) => [first + at, format.format((first + at) * slotMs)]);
}

/** Sums by day|model|key|account|operation from raw SQL; names are "" when not grouped by. */
export async function rawSums(raw: Raw, question: SumsQuestion): Promise<Map<string, RawNumbers>> {
  const groups = question.by.split("-");
  const is = (name: string) => groups.includes(name);
  const names = [
    is("day") ? raw.dayOf(question) : "''",
    is("model") ? modelSql : "''",
    is("key") ? "key_id" : "''",
    is("account") || is("key") ? "account_id" : "''",
    is("operation") ? "operation" : "''",
  ];
  const sums = Object.entries(columns).map(([name, sql]) => `${sql} as ${name}`);
  const rows =
    await raw.all(`select ${names.map((sql, index) => `${sql} as name${index}`).join(", ")}, ${sums.join(", ")}
    from requests where ${whereOf(question)} group by 1, 2, 3, 4, 5`);
  return new Map(
    rows.map((row) => [
      names.map((_, index) => row[`name${index}`]).join("|"),
      Object.fromEntries(Object.keys(columns).map((name) => [name, BigInt(row[name] ?? 0)])) as RawNumbers,
    ]),
  );
}
