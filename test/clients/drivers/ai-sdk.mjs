/** Vercel's AI SDK with the provider named: streamed, with reasoning asked for. */
import {
  apiKey,
  baseUrl,
  bash,
  description,
  load,
  model,
  prompt,
  schema,
  turnsMax,
  variant,
} from "./shell.mjs";

const { isStepCount, jsonSchema, streamText, tool } = load("ai");
const providers = {
  openai: () => load("@ai-sdk/openai").createOpenAI({ baseURL: baseUrl, apiKey }),
  anthropic: () => load("@ai-sdk/anthropic").createAnthropic({ baseURL: baseUrl, apiKey }),
  google: () => load("@ai-sdk/google").createGoogleGenerativeAI({ baseURL: baseUrl, apiKey }),
  "openai-compatible": () =>
    load("@ai-sdk/openai-compatible").createOpenAICompatible({ name: "plaza", baseURL: baseUrl, apiKey }),
};

const errors = [];
const stream = streamText({
  model: providers[variant]()(model),
  prompt,
  tools: { bash: tool({ description, inputSchema: jsonSchema(schema), execute: bash }) },
  stopWhen: isStepCount(turnsMax),
  maxRetries: 0,
  providerOptions: {
    anthropic: { thinking: { type: "adaptive" } },
    google: { thinkingConfig: { includeThoughts: true } },
    openai: { reasoningSummary: "auto" },
  },
  onError: ({ error }) => errors.push(error),
});
await stream.consumeStream();
if (errors.length > 0) throw errors[0];
process.stdout.write(await stream.text);
