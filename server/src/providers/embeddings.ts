/** Lists the providers that serve embeddings, with the codec of each. */
import type { ServedOperation } from "./provider.ts";

export const embeddings: ServedOperation = {
  operation: "embeddings",
  codecs: {
    openai: async () => (await import("./openai/embeddings.ts")).openaiEmbeddings,
    azure: async () => (await import("./azure/embeddings.ts")).azureEmbeddings,
    google: async () => (await import("./google/embeddings.ts")).googleEmbeddings,
    bedrock: async () => (await import("./bedrock/embeddings.ts")).bedrockEmbeddings,
  },
  scripts: { demo: async () => (await import("./demo/embeddings/play.ts")).playEmbeddings },
};
