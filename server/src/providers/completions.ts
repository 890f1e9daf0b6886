/** Which providers serve legacy completions. All others speak no format that has them. */
import type { ServedOperation } from "./provider.ts";

export const completions: ServedOperation = {
  operation: "completion",
  codecs: {
    openai: async () => (await import("./openai/completions.ts")).openaiCompletions,
    azure: async () => (await import("./azure/completions.ts")).azureCompletions,
  },
  // Groq documents no such path, and Mistral's has a format of its own.
  withoutPresets: new Set(["groq", "mistral"]),
  scripts: { demo: async () => (await import("./demo/completions/play.ts")).playCompletion },
};
