/**
 * Pure: can the usage an upstream reports be true of the request it answered? What cannot be is not charged
 * by; what is more than was asked for is charged and reported. Knows no provider.
 */
import type { Usage } from "@plaza/contract/usage.ts";

/**
 * `impossible`: a count that is none, or more tokens than the model has room for; not believed, the request
 * is charged by estimate. `beyond_asked`: more than was asked for; charged.
 */
export type UsageDoubt = "impossible" | "beyond_asked";

/** Context of a model whose context is unknown: more than any model has. */
const contextDefault = 16_777_216;
/** No request uses more, at any stated context. */
const tokensMost = 1_000_000_000;
/** Upstreams count an end marker or two beside what was asked for. */
const outputSlack = 16;
/** Templates around messages, and tools. */
const promptSlack = 4_096;
/** Fields of a report that are looked through for counts that are none. */
const fieldsMax = 100;

/** Most tokens one request can use: every choice may fill the model's context. */
export function tokensMaxOf(context: number | undefined, answers: number): number {
  return Math.min((context ?? contextDefault) * Math.max(1, answers), tokensMost);
}

const promptOf = ({ input, cachedInput, cacheWrite }: Usage): number => input + cachedInput + cacheWrite;

export const isPossible = (usage: Usage, tokensMax: number): boolean =>
  promptOf(usage) + usage.output <= tokensMax;

/** True when an unreadable report has a number that no count can be. Otherwise it only lacks something. */
export function hasImpossibleCount(report: unknown): boolean {
  if (typeof report !== "object" || report === null) return false;
  const values = Object.values(report).slice(0, fieldsMax);
  const inner = values.flatMap((value) =>
    typeof value === "object" && value !== null ? Object.values(value).slice(0, fieldsMax) : [value],
  );
  return inner.some(
    (value) => typeof value === "number" && !(Number.isInteger(value) && value >= 0 && value <= tokensMost),
  );
}

/** What was asked for; undefined = nothing bounds it. */
export interface Asked {
  /** Output tokens of all answers. */
  readonly outputTokens: number | undefined;
  /** The body, where it names nothing that brings tokens of its own: a token has at least one byte. */
  readonly promptBytes: number | undefined;
}

export function isBeyondAsked(usage: Usage, { outputTokens, promptBytes }: Asked): boolean {
  if (outputTokens !== undefined && usage.output > outputTokens + Math.max(outputSlack, outputTokens / 100))
    return true;
  return promptBytes !== undefined && promptOf(usage) > promptBytes + promptSlack;
}
