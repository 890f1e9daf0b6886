/** What a plan says of an answer in any format: its text, its tokens, its pace, its usage. Pure. */
import type { Tokens } from "../../../wire/tokens.ts";
import { isTextKind, type TextKind, tokensText, tokenText } from "../../harness/streams/tokens.ts";
import type { Plan } from "../plan.ts";
import { stampHole } from "../script.ts";
import { usageText } from "../usage-shapes.ts";

export function textKind(plan: Plan): TextKind {
  return isTextKind(plan.text) ? plan.text : "en";
}

/** The text of this token of a stream. */
function tokenOf(plan: Plan, index: number): string {
  if (plan.stamp) return `${stampHole} `;
  return tokenText(textKind(plan), index).padEnd(plan.padBytes, "x");
}

/** The text of a whole answer. */
export function textOf(plan: Plan): string {
  if (plan.content !== "") return plan.content;
  return tokensText(textKind(plan), plan.tokens).padEnd(plan.padBytes, "x");
}

/** Milliseconds before a token. */
function pauseBefore(plan: Plan, token: number): number {
  return token === 0 || token < plan.burst ? 0 : plan.gapMs;
}

/** Completion tokens of a plan's answer. */
export function completionTokens(plan: Plan): number {
  if (plan.content !== "") return 1;
  return plan.tokens * Math.max(1, plan.tools);
}

/** A token of a streamed answer: its text, the pause before it, and how often it is written. */
interface PlannedToken {
  readonly text: string;
  readonly afterMs: number;
  readonly repeat: number;
}

/** The tokens of a streamed answer. Huge ones are all the same, so that they share one buffer. */
export function plannedTokens(plan: Plan): PlannedToken[] {
  if (plan.content !== "") return [{ text: plan.content, afterMs: 0, repeat: 1 }];
  if (plan.padBytes >= 1024) return [{ text: "x".repeat(plan.padBytes), afterMs: 0, repeat: plan.tokens }];
  return Array.from({ length: plan.tokens }, (_, index) => ({
    text: tokenOf(plan, index),
    afterMs: pauseBefore(plan, index),
    repeat: 1,
  }));
}

/** Stands for NaN in an object, which JSON cannot say. */
const noNumber = 424_242_424_242;

/** The tokens to report, right or wrong as the plan wants them; undefined = none. */
export function reportedTokens(plan: Plan, output: number): Tokens | undefined {
  const wrong = (input: number, count: number): Tokens => ({ input, cached: 0, output: count, reasoning: 0 });
  switch (plan.usage) {
    case "absent":
      return undefined;
    case "negative":
      return wrong(-5, -1);
    case "huge":
      return wrong(1e18, 1e18);
    case "nan":
      return wrong(noNumber, noNumber);
    default:
      return {
        input: plan.promptTokens,
        cached: plan.cachedTokens,
        output,
        reasoning: Math.min(plan.reasoningTokens, output),
      };
  }
}

/** The bytes with the numbers that JSON cannot say. */
export const withNoNumbers = (plan: Plan, bytes: Buffer): Buffer =>
  plan.usage === "nan" ? Buffer.from(bytes.toString("utf8").replaceAll(String(noNumber), "NaN")) : bytes;

/** The same report for the journal. */
export const reportText = (plan: Plan, output: number): string | undefined => usageText(plan, output, true);
