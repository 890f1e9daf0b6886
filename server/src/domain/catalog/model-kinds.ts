/** The operations for the kinds in the shipped catalog (`catalog/README.md`). Pure. */
import type { Operation } from "@plaza/contract/operations.ts";

/** Other kinds (`video`, `realtime`, …) have no operation in Plaza. */
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

/** The operations of a row's `kind`; empty when Plaza has none for it. */
export function operationsOfKind(kind = "chat"): readonly Operation[] {
  const operation = Object.hasOwn(operationsByKind, kind) ? operationsByKind[kind] : undefined;
  return operation === undefined ? [] : [operation];
}
