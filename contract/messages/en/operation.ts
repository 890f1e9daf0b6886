/** What models are for, in a sentence. */

export const operationTexts = {
  "operation.chat": "chat",
  "operation.completion": "text completion",
  "operation.embeddings": "embeddings",
  "operation.rerank": "reranking",
  "operation.moderation": "moderation",
  "operation.image": "image generation",
  "operation.speech": "text to speech",
  "operation.transcription": "speech to text",
  "operation.list": "{first}, {rest}",
  "operation.and": "{first} and {last}",
} as const;
