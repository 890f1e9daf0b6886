/** Which operations the kinds of the shipped catalog (`catalog/README.md`) are for. Pure. */
import type { Operation } from "@plaza/contract/operations.ts";

/** Kinds that are not here (`video`, `realtime`, …) are for nothing Plaza knows. */
const operationsByKind: Readonly<Record<string, Operation>> = {
  chat: "chat",
  completion: "completion",
  embedding: "embeddings",
  rerank: "rerank",
  moderation: "moderation",
  image: "image",
  tts: "speech",
  stt: "transcription",
};

/** The operations of a row's `kind`; none for a kind that Plaza has no operation for. */
export function operationsOfKind(kind = "chat"): readonly Operation[] {
  const operation = Object.hasOwn(operationsByKind, kind) ? operationsByKind[kind] : undefined;
  return operation === undefined ? [] : [operation];
}
