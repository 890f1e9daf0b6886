/** Lists the providers that serve legacy completions. The other providers' protocols have no equivalent. */
import type { ServedOperation } from "./provider.ts";

export const completions: ServedOperation = {
  operation: "completion",
  codecs: {
    openai: async () => (await import("./openai/completions.ts")).openaiCompletions,
    azure: async () => (await import("./azure/completions.ts")).azureCompletions,
  },
  // Groq documents no such path, and Mistral's path has a different format.
  withoutPresets: new Set(["groq", "mistral"]),
  scripts: { demo: async () => (await import("./demo/completions/play.ts")).playCompletion },
};
