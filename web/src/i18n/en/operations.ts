/** What models are for, as every page says it. */
import { defineMessages } from "../messages.ts";

export const operationMessages = defineMessages("operations", {
  operation: "Operation",
  operations: "Operations",
  allOperations: "All operations",
  "operation.chat": "Chat",
  "operation.completion": "Text completion",
  "operation.embeddings": "Embeddings",
  "operation.rerank": "Rerank",
  "operation.moderation": "Moderation",
  "operation.image": "Image generation",
  "operation.speech": "Text to speech",
  "operation.transcription": "Speech to text",
});
