/**
 * What a chart of usage draws: figures of the server by day, stacked by class,
 * result, model, key, operation or account. Pure.
 */
import type { Answer } from "../../api/routes.ts";
import { addMoney, chartHeight, compareMoney, nanosOf } from "../../format/money.ts";
import type { LatencyGroup } from "./use-latency.ts";

/** A row of `get /usage`; the operator's has more. */
export type UsageRow = Answer<"get /usage">["rows"][number];
export type UsageNumbers = Answer<"get /usage">["total"];

export const measures = ["charge", "tokens", "requests", "latency"] as const;
export type Measure = (typeof measures)[number];
export type Split = "none" | "class" | "state" | "model" | "key" | "operation" | "account";

/** How each measure can be stacked; the first unless the URL says another. */
export const splitsOf: Readonly<Record<Measure, readonly Split[]>> = {
  charge: ["model", "key", "operation", "none"],
  tokens: ["class", "model", "key", "operation"],
  requests: ["state", "model", "key", "operation"],
  latency: ["none"],
};

/** What a URL says, as a measure and a split that go together. */
export function chartOf(measure: string, split: string): { measure: Measure; split: Split } {
  const known = measures.find((one) => one === measure) ?? "charge";
  const splits = splitsOf[known];
  return { measure: known, split: splits.find((one) => one === split) ?? splits[0] ?? "none" };
}

/** Most things that have a colour of their own; the rest is one more series. */
const colouredMax = 7;

/** A thing a chart is stacked by. */
export interface Named {
  readonly id: string;
  readonly label: string;
}

/**
 * The items with the highest charge, then the most requests; all of them if only one more than the colours
 * allow.
 */
export function topOf<Row extends UsageRow>(
  rows: readonly Row[],
  nameOf: (row: Row) => Named,
): readonly Named[] {
  const sorted = rows.toSorted(
    (left, right) => compareMoney(right.charge, left.charge) || right.requests - left.requests,
  );
  const shown = sorted.length <= colouredMax + 1 ? sorted : sorted.slice(0, colouredMax);
  return shown.map(nameOf);
}

const tokenFields = ["inputTokens", "cachedInputTokens", "cacheWriteTokens", "outputTokens"] as const;
const stateFields = ["complete", "incomplete", "aborted", "failed"] as const;

/** A field of the numbers that is stacked by itself. */
export type StackedField = (typeof tokenFields)[number] | (typeof stateFields)[number];

/** One series before it has words: heights, and the exact texts of amounts. */
export interface RawSeries {
  readonly heights: readonly (number | null)[];
  readonly texts?: readonly (string | null)[];
}

function byDay<Row extends UsageRow>(rows: readonly Row[]): Map<string, Row> {
  return new Map(rows.map((row) => [row.day ?? "", row]));
}

function allTokens(row: UsageNumbers): number {
  return row.inputTokens + row.cachedInputTokens + row.cacheWriteTokens + row.outputTokens;
}

/** The fields that are stacked where a measure is split by what the server gives beside each other. */
export function fieldsOf(split: Split): readonly StackedField[] {
  return split === "class" ? tokenFields : split === "state" ? stateFields : [];
}

/** One field of every day; a day without requests is 0. */
export function fieldSeries(
  days: readonly string[],
  rows: readonly UsageRow[],
  field: StackedField,
): RawSeries {
  const found = byDay(rows);
  return { heights: days.map((day) => found.get(day)?.[field] ?? 0) };
}

/** A percentile of every day, in milliseconds; a day without one is a gap. */
export function percentileSeries(
  days: readonly string[],
  timesOf: (day: string) => LatencyGroup | undefined,
  field: "firstToken" | "duration",
  percentile: "p50" | "p95",
): RawSeries {
  return { heights: days.map((day) => timesOf(day)?.[field][percentile] ?? null) };
}

type Summed = Exclude<Measure, "latency">;

/** A measure of every day. */
export function measureSeries(
  days: readonly string[],
  rows: readonly UsageRow[],
  measure: Summed,
): RawSeries {
  const found = byDay(rows);
  if (measure === "charge") return moneySeries(days.map((day) => found.get(day)?.charge ?? "0"));
  return {
    heights: days.map((day) => {
      const row = found.get(day);
      return row === undefined ? 0 : measure === "requests" ? row.requests : allTokens(row);
    }),
  };
}

function moneySeries(texts: readonly string[]): RawSeries {
  return { heights: texts.map(chartHeight), texts };
}

/** A measure of every day for each of these things. */
export function thingSeries<Row extends UsageRow>(
  days: readonly string[],
  rows: readonly Row[],
  things: readonly Named[],
  idOf: (row: Row) => string | null,
  measure: Summed,
): readonly RawSeries[] {
  const of = new Map<string, Row[]>(things.map(({ id }) => [id, []]));
  for (const row of rows) of.get(idOf(row) ?? "")?.push(row);
  return things.map(({ id }) => measureSeries(days, of.get(id) ?? [], measure));
}

/** The rest of the total beside some series; undefined when there is none. */
export function restSeries(
  total: RawSeries,
  parts: readonly RawSeries[],
  measure: Summed,
): RawSeries | undefined {
  if (measure === "charge") {
    const texts = (total.texts ?? []).map((text, at) =>
      addMoney([text ?? "0", ...parts.map((part) => negated(part.texts?.[at] ?? "0"))]),
    );
    return texts.some((text) => (nanosOf(text) ?? 0n) > 0n) ? moneySeries(texts) : undefined;
  }
  const heights = total.heights.map((height, at) =>
    Math.max(0, (height ?? 0) - parts.reduce((sum, part) => sum + (part.heights[at] ?? 0), 0)),
  );
  return heights.some((height) => height > 0) ? { heights } : undefined;
}

function negated(text: string): string {
  return text.startsWith("-") ? text.slice(1) : `-${text}`;
}
