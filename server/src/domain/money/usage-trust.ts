/**
 * Pure: whether an upstream's reported usage is plausible for its request. Implausible usage is not charged;
 * usage beyond the request is charged and reported to the operator. Knows no provider.
 */
import type { Usage } from "@plaza/contract/usage.ts";

/**
 * `impossible`: an invalid count, or more tokens than the model can hold; it is ignored and the request is
 * charged by estimate. `beyond_asked`: more than was requested; charged.
 */
export type UsageDoubt = "impossible" | "beyond_asked";

/** Context assumed for a model without one: more than any model has. */
const contextDefault = 16_777_216;
/** Most tokens of a request, whatever the stated context. */
const tokensMost = 1_000_000_000;
/** Upstreams count one or two end tokens in addition. */
const outputSlack = 16;
/** Tokens of message templates and tools. */
const promptSlack = 4_096;
/** Most fields of a report that are checked for invalid counts. */
const fieldsMax = 100;

/** Most tokens one request can use: every choice may fill the model's context. */
export function tokensMaxOf(context: number | undefined, answers: number): number {
  return Math.min((context ?? contextDefault) * Math.max(1, answers), tokensMost);
}

const promptOf = ({ input, cachedInput, cacheWrite }: Usage): number => input + cachedInput + cacheWrite;

export const isPossible = (usage: Usage, tokensMax: number): boolean =>
  promptOf(usage) + usage.output <= tokensMax;

/** True when an unreadable report has a number that cannot be a count; otherwise it is only incomplete. */
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

/** What was requested; undefined: no limit. */
export interface Asked {
  /** Most output tokens of all answers. */
  readonly outputTokens: number | undefined;
  /** Bytes of the body, if nothing in it refers to further tokens: a token has at least one byte. */
  readonly promptBytes: number | undefined;
}

export function isBeyondAsked(usage: Usage, { outputTokens, promptBytes }: Asked): boolean {
  if (outputTokens !== undefined && usage.output > outputTokens + Math.max(outputSlack, outputTokens / 100))
    return true;
  return promptBytes !== undefined && promptOf(usage) > promptBytes + promptSlack;
}
