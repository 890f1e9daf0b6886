/** Computes the most a legacy completion may use; its hold is based on this. Pure functions. */
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

/** Input tokens of all prompts, each at most one context window. */
function inputOf(fields: CompletionFields, context: number | undefined): number {
  return estimatePrompts(fields, context) + estimateInput(fields.otherBytes);
}

/** Only `max_tokens` is read by all servers here; some ignore chat's newer name. */
const isBound = ({ path }: AskedNumber): boolean => path === "max_tokens";

/**
 * True when the caller asks for no output, for example to score a text by the probabilities of its echo. The
 * zero must be passed on unchanged. Some servers read it as "no limit", so the hold must cover that.
 */
function isNothingWanted({ spending: { tokens } }: CompletionFields, body: Buffer): boolean {
  const isZero = ({ start, end }: AskedNumber): boolean => Number(body.toString("latin1", start, end)) === 0;
  return tokens.some(isBound) && tokens.every(isZero);
}

/**
 * Every prompt gets the larger of `n` and `best_of` completions. Without a limit from the caller the format's
 * default applies; it is always sent, because many servers would otherwise write without end.
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
    outputLimit: !isNothing && (!isAsked || asked > outputTokens) ? outputTokens : undefined,
    hasAudio: false,
    hasImages: false,
  };
}

/** Estimated prompt tokens, for upstreams that report no usage. */
export const promptTokens = (
  fields: CompletionFields,
  _body: Buffer,
  _provider: string,
  context: number | undefined,
): number => inputOf(fields, context);
