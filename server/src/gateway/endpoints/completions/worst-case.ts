/**
 * How much a legacy completion can use at most, before anything was used: the numbers its hold is made of.
 * Pure.
 */
import { estimateInput } from "../../../domain/money/estimate.ts";
import {
  answersOf,
  estimatePrompts,
  outputTokensDefault,
} from "../../../protocols/openai-completions/decode-request.ts";
import type { WorstCase } from "../../money/worst-case.ts";
import type { LiveModel } from "../../snapshot.ts";
import { largest, outputTokensUsual, readOf } from "../generation/output-bounds.ts";
import type { AskedNumber } from "../generation/spending.ts";
import type { CompletionFields } from "./completion-fields.ts";

/** Tokens of all prompts, each at most a context. */
function inputOf(fields: CompletionFields, context: number | undefined): number {
  return estimatePrompts(fields, context) + estimateInput(fields.otherBytes);
}

/** The name all servers read here; chat's newer one means nothing to some of them. */
const isBound = ({ path }: AskedNumber): boolean => path === "max_tokens";

/**
 * No output at all is wanted: a text is scored, its echo has the probabilities. That has to be told as it
 * stands, though some servers read it as "no bound" and so money has to be held as for that.
 */
function isNothingWanted({ spending: { tokens } }: CompletionFields, body: Buffer): boolean {
  const isZero = ({ start, end }: AskedNumber): boolean => Number(body.toString("latin1", start, end)) === 0;
  return tokens.some(isBound) && tokens.every(isZero);
}

/**
 * Every prompt is continued as often as the larger of `n` and `best_of` says. Where the caller names no
 * bound, the format's own one holds, and because many servers write without end then, they are always told.
 */
export function worstCaseOf(live: LiveModel, fields: CompletionFields, body: Buffer): WorstCase {
  const { context, maxOutput } = live.model;
  const { tokens, choices } = fields.spending;
  const read = readOf(live);
  const isNothing = isNothingWanted(fields, body);
  const isAsked = !isNothing && tokens.some(isBound);
  const asked = largest(tokens, read, isAsked ? 0 : outputTokensDefault);
  const capped = Math.min(
    asked,
    maxOutput ?? (asked === Number.POSITIVE_INFINITY ? outputTokensUsual : asked),
  );
  const outputTokens = Math.min(capped, context ?? capped);
  const inputTokens = inputOf(fields, context);
  return {
    inputTokens,
    sentTokens: inputTokens,
    outputTokens,
    furtherTokens: 0,
    answers: answersOf(fields, largest(choices, read, 1)),
    isAsked,
    told: !isNothing && (!isAsked || asked > outputTokens) ? outputTokens : undefined,
    hasAudio: false,
    hasImages: false,
  };
}

/** Tokens the prompts probably have, where the upstream does not say. */
export const promptTokens = (fields: CompletionFields): number => inputOf(fields, undefined);
