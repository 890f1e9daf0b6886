/**
 * Thought signatures, which Gemini needs back on exactly the part they came with (docs/wire/gemini.md section
 * 7): how they are sent to callers, where they are found when the conversation comes back, and what replaces
 * a lost one.
 */
import type { OpaqueReasoning } from "../../conversation/answer.ts";
import type { ToolCallBlock } from "../../conversation/blocks.ts";
import type { AssistantTurn } from "../../conversation/conversation.ts";
import { parseJson, recordOf, textIn } from "../../lib/record.ts";
import type { ReplayMemory } from "../protocol.ts";

/** Google's own placeholder for a missing signature. */
const standIn = "skip_thought_signature_validator";

/** The format's name, as other gateways for Gemini use it. */
const format = "google-gemini-v1";

export function rememberSignature(
  memory: ReplayMemory | undefined,
  callId: string,
  { signature, model }: { signature: string; model: string },
): void {
  memory?.remember(callId, JSON.stringify({ google: signature, model }));
}

/** A call's signature: the caller's own, else the remembered one if the same model made it. */
function signatureOf(
  call: ToolCallBlock,
  memory: ReplayMemory | undefined,
  model: string,
): string | undefined {
  if (call.signature !== undefined) return call.signature;
  const remembered = memory?.recall(call.id);
  if (remembered === undefined) return undefined;
  const kept = recordOf(parseJson(remembered));
  return kept["model"] === model ? textIn(kept["google"]) : undefined;
}

/**
 * Signatures for the calls of one step, in order. If the first call has none and the model requires it, it
 * gets the placeholder. Of parallel calls only the first has a signature.
 */
export function signaturesOf(
  calls: readonly ToolCallBlock[],
  memory: ReplayMemory | undefined,
  { model, isNeeded }: { model: string; isNeeded: boolean },
): (string | undefined)[] {
  const found = calls.map((call) => signatureOf(call, memory, model));
  if (isNeeded && found.length > 0) found[0] ??= standIn;
  return found;
}

/** The part of an answer without calls that a signature belongs to. */
export type SignedPart = "text" | `image:${number}`;

/** The signature of a text or an image, as sent to the caller. */
export const opaqueOf = (part: SignedPart, signature: string): OpaqueReasoning => ({
  format,
  id: part,
  data: signature,
});

/** The signature a caller sent back for a part of an assistant turn. */
export function signatureOfPart({ blocks }: AssistantTurn, part: SignedPart): string | undefined {
  for (const block of blocks) {
    if (block.kind === "reasoning" && block.format === format && block.id === part) return block.data;
  }
  return undefined;
}
