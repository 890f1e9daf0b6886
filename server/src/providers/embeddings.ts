/** Which providers serve embeddings, and how each does. */
import { message, textOf } from "@plaza/contract/messages/message.ts";
import type { ServedOperation } from "./provider.ts";

export const embeddings: ServedOperation = {
  operation: "embeddings",
  codecs: {
    openai: async () => (await import("./openai/embeddings.ts")).openaiEmbeddings,
    azure: async () => (await import("./azure/azure.ts")).azureEmbeddings,
    google: async () => (await import("./google/embeddings.ts")).googleEmbeddings,
    bedrock: async () => (await import("./bedrock/embeddings.ts")).bedrockEmbeddings,
  },
  scripts: { demo: async () => (await import("./demo/embeddings/play.ts")).playEmbeddings },
  demoModel: {
    id: "demo-embedding",
    name: "Demo embedding (not a language model)",
    description: textOf(message("provider.demoEmbedding")),
    context: 8_192,
    servedAs: "demo-embedding",
  },
};
