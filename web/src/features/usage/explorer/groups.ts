/**
 * What the explorer draws and lists of an answer: a few groups with colours, everything else together, and
 * how each changed. Pure; amounts stay texts, so that sums are exact.
 */

import type { Answer } from "../../../api/routes.ts";
import { addMoney, chartHeight } from "../../../format/money.ts";

type OwnAnswer = Answer<"get /usage/explore">;
type OperatorAnswer = Answer<"get /operator/usage/explore">;

/** The account's answer, or the operator's, which has more. */
export type Explored = OwnAnswer | OperatorAnswer;
export type ExploredGroup = Explored["groups"][number];
export type ExploredSums = Explored["all"];

export const exploreMeasures = ["charge", "cost", "requests", "tokens"] as const;
export type ExploreMeasure = (typeof exploreMeasures)[number];

export const isMoney = (measure: ExploreMeasure): boolean => measure !== "requests" && measure !== "tokens";

/** Most groups with a colour of their own; the rest is one more. */
const colouredMax = 7;

const negated = (text: string): string => (text.startsWith("-") ? text.slice(1) : `-${text}`);

/** A figure of the period as a text, exact. */
export function figureOf(numbers: ExploredSums["total"], measure: ExploreMeasure): string {
  if (measure === "tokens") {
    const { inputTokens, cachedInputTokens, cacheWriteTokens, outputTokens } = numbers;
    return String(inputTokens + cachedInputTokens + cacheWriteTokens + outputTokens);
  }
  if (measure === "requests") return String(numbers.requests);
  if (measure === "charge") return numbers.charge;
  return "cost" in numbers ? numbers.cost : "0";
}

/** The figures of the spans as texts, exact. */
export function spanFigures({ spans }: ExploredSums, measure: ExploreMeasure): readonly string[] {
  if (measure === "requests" || measure === "tokens") return spans[measure].map(String);
  if (measure === "charge") return spans.charge;
  return "cost" in spans ? spans.cost : spans.charge.map(() => "0");
}

/** One line of the table, one colour of the chart. */
export interface Line {
  /** Undefined: everything without a line of its own. */
  readonly group: ExploredGroup | undefined;
  /** How many groups it stands for. */
  readonly groups: number;
  readonly sums: ExploredSums;
}

/** The lines of the table: the groups as they come, and the rest. */
export function linesOf({ groups, other }: Explored): readonly Line[] {
  const lines: Line[] = groups.map((group) => ({ group, groups: 1, sums: group }));
  return other === null ? lines : [...lines, { group: undefined, groups: other.groups, sums: other }];
}

/** What is drawn: the first groups in a colour each, and the exact rest of the whole. */
export interface Layer {
  readonly group: ExploredGroup | undefined;
  readonly groups: number;
  readonly figures: readonly string[];
}

/** Whole numbers and amounts alike. */
const difference = (whole: string, parts: readonly string[], measure: ExploreMeasure): string =>
  isMoney(measure)
    ? addMoney([whole, ...parts.map(negated)])
    : String(Number(whole) - parts.reduce((sum, part) => sum + Number(part), 0));

/** The layers of the chart; the last is the rest, if there is one. Of groups that overlap only the whole. */
export function layersOf(answer: Explored, measure: ExploreMeasure): readonly Layer[] {
  const { groups, other, all, overlaps } = answer;
  // Groups that overlap cannot be stacked.
  if (overlaps) return [{ group: undefined, groups: 0, figures: spanFigures(all, measure) }];
  const count = groups.length + (other === null ? 0 : 1);
  const coloured = count <= colouredMax + 1 && other === null ? groups : groups.slice(0, colouredMax);
  const layers = coloured.map((group): Layer => ({ group, groups: 1, figures: spanFigures(group, measure) }));
  const rest = groups.length - coloured.length + (other?.groups ?? 0);
  if (rest === 0) return layers;
  const figures = spanFigures(all, measure).map((whole, at) =>
    difference(
      whole,
      layers.map((layer) => layer.figures[at] ?? "0"),
      measure,
    ),
  );
  return [...layers, { group: undefined, groups: rest, figures }];
}

/** A text as a height of the chart. */
export const heightOf = (figure: string): number => chartHeight(figure);

/** How a figure compares with the one before: a share of it, or that there was none. */
export type Change =
  | { readonly kind: "share"; readonly share: number }
  | { readonly kind: "new" }
  | { readonly kind: "none" };

export function changeOf(now: string, before: string): Change {
  const [present, former] = [Number(now), Number(before)];
  if (former === 0) return present === 0 ? { kind: "none" } : { kind: "new" };
  return { kind: "share", share: (present - former) / Math.abs(former) };
}

/** The part of the whole, from 0 to 1; undefined where parts may be negative or the whole is nothing. */
export function shareOf(figure: string, whole: string): number | undefined {
  const [part, all] = [Number(figure), Number(whole)];
  return all > 0 && part >= 0 && part <= all ? part / all : undefined;
}
