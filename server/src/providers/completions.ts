/** Which providers serve legacy completions. All others speak no format that has them. */
import { message, textOf } from "@plaza/contract/messages/message.ts";
import type { ServedOperation } from "./provider.ts";

export const completions: ServedOperation = {
  operation: "completion",
  codecs: {
    openai: async () => (await import("./openai/completions.ts")).openaiCompletions,
    azure: async () => (await import("./azure/azure.ts")).azureCompletions,
  },
  scripts: { demo: async () => (await import("./demo/completions/play.ts")).playCompletion },
  demoModel: {
    id: "demo-completion",
    name: "Demo completion (not a language model)",
    description: textOf(message("provider.demo")),
    context: 128_000,
    maxOutput: 4_096,
    modalities: { input: ["text"], output: ["text"] },
    servedAs: "demo",
  },
};
