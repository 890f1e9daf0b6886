/**
 * The counting upstream's answers in Gemini's format: every object of a stream reports the tokens up to it.
 * Pure.
 */
import { contentWith, geminiError, usageMetadata } from "../../../wire/gemini.ts";
import type { Fields } from "../../../wire/tokens.ts";
import { type Dialect, eventBytes } from "../../harness/streams/chunk.ts";
import type { Plan } from "../plan.ts";
import { type Asked, type Step, step } from "../script.ts";
import type { UpstreamError, UpstreamFormat } from "./format.ts";
import {
  completionTokens,
  plannedTokens,
  reportedTokens,
  reportText,
  textOf,
  withNoNumbers,
} from "./planned.ts";

const callParts = (plan: Plan): Fields[] =>
  Array.from({ length: plan.tools }, (_, index) => ({
    functionCall: { id: `call_${index}`, name: "tool", args: { text: textOf(plan) } },
  }));

/** An object with these parts, after `output` tokens. */
function objectWith(plan: Plan, asked: Asked, parts: readonly Fields[], output: number, reason?: string) {
  const tokens = reportedTokens(plan, output);
  const value = contentWith(parts, {
    reason,
    usage: tokens && usageMetadata(tokens),
    version: asked.model,
    id: asked.callId,
  });
  return { value, hasUsage: tokens !== undefined, report: reportText(plan, output) };
}

function streamSteps(plan: Plan, asked: Asked): Step[] {
  const dialect: Dialect = { json: plan.python ? "python" : "compact", lineEnd: plan.crlf ? "\n" : "\r\n" };
  let output = 0;
  const write = (parts: readonly Fields[], more: Partial<Step>, reason?: string): Step => {
    output += more.tokens ?? 0;
    const { value, ...usage } = objectWith(plan, asked, parts, output, reason);
    return step(withNoNumbers(plan, eventBytes(value, dialect)), { ...usage, ...more });
  };
  const steps =
    plan.tools > 0
      ? callParts(plan).map((part) => write([part], { afterMs: plan.gapMs, tokens: plan.tokens }))
      : plannedTokens(plan).map(({ text, ...pace }) =>
          write([{ text }], { ...pace, tokens: 1, stamped: plan.stamp }),
        );
  const end = { afterMs: plan.endMs, isFinish: true, isEnd: true };
  return [...steps, write([{ text: "" }], end, "STOP")];
}

function wholeStep(plan: Plan, asked: Asked): Step {
  const tokens = completionTokens(plan);
  const parts = plan.tools > 0 ? callParts(plan) : [{ text: textOf(plan) }];
  const { value, ...usage } = objectWith(plan, asked, parts, tokens, "STOP");
  return step(withNoNumbers(plan, Buffer.from(JSON.stringify(value))), { ...usage, tokens });
}

const statuses: Readonly<Record<number, string>> = {
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  409: "ABORTED",
  429: "RESOURCE_EXHAUSTED",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

const errorOf = (status: number, { message }: UpstreamError): Fields =>
  geminiError(status, statuses[status] ?? (status >= 500 ? "INTERNAL" : "INVALID_ARGUMENT"), message);

export const geminiFormat: UpstreamFormat = {
  stream: streamSteps,
  whole: wholeStep,
  error: errorOf,
  failure: (status, error) => eventBytes(errorOf(status, error)),
};
