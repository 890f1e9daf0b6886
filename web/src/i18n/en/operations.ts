/** What models are for, as every page says it. */
import { defineWords } from "../words.ts";
import { operationsChinese } from "../zh/operations.ts";

export const operationWords = defineWords("operations", {
  en: {
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
  },
  zh: operationsChinese,
});
