/**
 * Thought signatures, which Gemini wants back on exactly the part they came with (docs/wire/gemini.md section
 * 7): how a caller is shown them, where they are looked for when the conversation comes back, and what stands
 * in when they are gone.
 */
import { type JsonRecord, parseJson, recordOf } from "../../lib/record.ts";
import type { ToolCall } from "../openai-chat/request.ts";
import type { ReplayMemory } from "../protocol.ts";

/** Google's own word for "there is no signature": taken in place of one that was lost. */
const standIn = "skip_thought_signature_validator";

/** The format of `reasoning_details` entries as others who serve Gemini call it. */
const detailFormat = "google-gemini-v1";

/** What of a tool call's answer is shown beside it, as Google's OpenAI-compatible route does. */
export const extraOf = (signature: string): JsonRecord => ({
  extra_content: { google: { thought_signature: signature } },
});

export function rememberSignature(
  memory: ReplayMemory | undefined,
  callId: string,
  { signature, model }: { signature: string; model: string },
): void {
  memory?.remember(callId, JSON.stringify({ google: signature, model }));
}

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

/** The signature a call came with: the caller's own, else the remembered one where the same model made it. */
function signatureOf(call: ToolCall, memory: ReplayMemory | undefined, model: string): string | undefined {
  const shown = recordOf(recordOf(call.raw["extra_content"])["google"])["thought_signature"];
  const sent = textOf(shown) ?? textOf(call.raw["thought_signature"]);
  if (sent !== undefined) return sent;
  const remembered = memory?.recall(call.id);
  if (remembered === undefined) return undefined;
  const kept = recordOf(parseJson(remembered));
  return kept["model"] === model ? textOf(kept["google"]) : undefined;
}

/**
 * Signatures for the calls of one step, in order: each call its own; where the first has none and the model insists, the
 * stand-in. Of parallel calls only the first has one.
 */
export function signaturesOf(
  calls: readonly ToolCall[],
  memory: ReplayMemory | undefined,
  { model, isNeeded }: { model: string; isNeeded: boolean },
): (string | undefined)[] {
  const found = calls.map((call) => signatureOf(call, memory, model));
  if (isNeeded && found.length > 0) found[0] ??= standIn;
  return found;
}

/** Which part of an answer without a call a signature belongs to. */
export type SignedPart = "text" | `image:${number}`;

/** The entry of `reasoning_details` that carries a signature of a text or an image. */
export const detailOf = (part: SignedPart, signature: string): JsonRecord => ({
  type: "reasoning.encrypted",
  format: detailFormat,
  id: part,
  data: signature,
});

/** The signature a caller sent back for a part of an assistant message. */
export function detailSignature(message: JsonRecord, part: SignedPart): string | undefined {
  const details: unknown = message["reasoning_details"];
  if (!Array.isArray(details)) return undefined;
  const found = details.map(recordOf).find(({ format, id }) => format === detailFormat && id === part);
  return textOf(found?.["data"]);
}
