/**
 * Log probabilities: request settings and results (docs.cloud.google.com, Vertex AI: inference parameters,
 * 2026-11). Vertex supports them for most models; the Gemini API refuses them for most.
 */
import { message } from "@plaza/contract/messages/message.ts";
import type { TokenLogprob } from "../../conversation/answer.ts";
import type { Conversation } from "../../conversation/conversation.ts";
import { recordOf } from "../../lib/record.ts";
import { numberOf } from "../settings.ts";
import { invalid } from "../untranslatable.ts";
import type { GenerationConfig } from "./wire.ts";

/** Most alternatives per token, in both protocols. */
const topMax = 20;

/** Alternatives per token for the caller; undefined when it did not request log probabilities. */
export function topLogprobsOf({
  logprobs: { isWanted, alternatives = 0 },
}: Conversation): number | undefined {
  if (!isWanted) return undefined;
  return alternatives > 0 ? Math.min(Math.floor(alternatives), topMax) : 0;
}

/**
 * The settings that request them. Throws when alternatives are requested without log probabilities, or too
 * many.
 */
export function logprobsSettings(
  conversation: Conversation,
): Pick<GenerationConfig, "responseLogprobs" | "logprobs"> {
  const { names } = conversation;
  const at = names.logprobAlternatives;
  const asked = numberOf(conversation.logprobs.alternatives, at);
  if (asked !== undefined && !(Number.isInteger(asked) && asked >= 0 && asked <= topMax)) {
    throw invalid(at, message("wire.topLogprobs", { param: at }));
  }
  const top = topLogprobsOf(conversation);
  if (top === undefined && (asked ?? 0) > 0)
    throw invalid(at, message("wire.topLogprobsAlone", { param: at, other: names.logprobs }));
  if (top === undefined) return {};
  return { responseLogprobs: true, ...(top === 0 ? {} : { logprobs: top }) };
}

/** OpenAI's value for a nearly impossible token. */
const impossible = -9_999;

function tokenOf(value: unknown): Omit<TokenLogprob, "alternatives"> {
  const { token, logProbability } = recordOf(value);
  const text = typeof token === "string" ? token : "";
  return {
    token: text,
    logprob: typeof logProbability === "number" ? logProbability : impossible,
    bytes: [...Buffer.from(text)],
  };
}

/** The tokens of a `logprobsResult` in order, each with at most `top` alternatives. */
export function tokensOf(result: unknown, top: number): TokenLogprob[] {
  const { chosenCandidates, topCandidates } = recordOf(result);
  const others = Array.isArray(topCandidates) ? topCandidates : [];
  return (Array.isArray(chosenCandidates) ? chosenCandidates : []).map((chosen, place) => {
    const { candidates } = recordOf(others[place]);
    const list = Array.isArray(candidates) ? candidates.slice(0, top) : [];
    return { ...tokenOf(chosen), alternatives: list.map(tokenOf) };
  });
}
