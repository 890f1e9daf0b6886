/**
 * SDKs and frameworks for JavaScript, each used by a short program of `drivers/` as its documentation does.
 */
import type { PackageName } from "../packages.ts";
import type { Program, WireName } from "../program.ts";
import { prompt } from "../upstreams/task.ts";

const driverFolder = new URL("../drivers/", import.meta.url).pathname;

interface Sdk {
  readonly id: string;
  readonly client: string;
  readonly name: string;
  readonly package: PackageName;
  readonly wire: WireName;
  readonly notes?: string;
  /** The file in `drivers/` and the word it is given. */
  readonly driver: readonly [file: string, variant?: string];
  /** What its user gives as its base URL. */
  readonly base: string;
  /** The line its user writes. */
  readonly code: string;
}

const program = ({ driver: [file, variant = ""], base, code, ...sdk }: Sdk): Program => ({
  ...sdk,
  isQuick: true,
  settings: { code, language: "ts" },
  test: {
    start: (folder) => ["node", driverFolder + file, folder],
    args: [variant],
    env: { BASE_URL: base, API_KEY: "{key}", MODEL: "{model}", PROMPT: prompt },
  },
});

const openaiCode = `new OpenAI({ baseURL: "{origin}/v1", apiKey: "{key}" })`;
const v1 = "{origin}/v1";

const sdks: readonly Sdk[] = [
  {
    id: "openai-sdk-chat",
    client: "openai for JavaScript",
    name: "openai, chat completions",
    package: "openai",
    wire: "chat",
    driver: ["openai-sdk.mjs", "chat"],
    base: v1,
    code: openaiCode,
  },
  {
    id: "openai-sdk-stateless",
    client: "openai for JavaScript",
    name: "openai, Responses without state",
    package: "openai",
    wire: "responses",
    driver: ["openai-sdk.mjs", "stateless"],
    base: v1,
    code: openaiCode,
  },
  {
    id: "openai-sdk-stored",
    client: "openai for JavaScript",
    name: "openai, Responses with previous_response_id",
    package: "openai",
    wire: "responses",
    driver: ["openai-sdk.mjs", "stored"],
    base: v1,
    code: openaiCode,
  },
  {
    id: "anthropic-sdk",
    client: "@anthropic-ai/sdk",
    name: "@anthropic-ai/sdk",
    package: "anthropic-sdk",
    wire: "messages",
    driver: ["anthropic-sdk.mjs"],
    base: "{origin}",
    code: `new Anthropic({ baseURL: "{origin}", apiKey: "{key}" })`,
  },
  {
    id: "google-genai",
    client: "@google/genai",
    name: "@google/genai",
    package: "google-genai",
    wire: "gemini",
    driver: ["google-genai.mjs"],
    base: "{origin}",
    notes: "Its calls go to `/v1/models/…`, older ones to `/v1beta/models/…`; both are served.",
    code: `new GoogleGenAI({ apiKey: "{key}", httpOptions: { baseUrl: "{origin}" } })`,
  },
  {
    id: "ai-sdk-openai",
    client: "AI SDK",
    name: "AI SDK, @ai-sdk/openai",
    package: "ai-sdk",
    wire: "responses",
    driver: ["ai-sdk.mjs", "openai"],
    base: v1,
    code: `createOpenAI({ baseURL: "{origin}/v1", apiKey: "{key}" })("{model}")`,
  },
  {
    id: "ai-sdk-anthropic",
    client: "AI SDK",
    name: "AI SDK, @ai-sdk/anthropic",
    package: "ai-sdk",
    wire: "messages",
    driver: ["ai-sdk.mjs", "anthropic"],
    base: v1,
    code: `createAnthropic({ baseURL: "{origin}/v1", apiKey: "{key}" })("{model}")`,
  },
  {
    id: "ai-sdk-google",
    client: "AI SDK",
    name: "AI SDK, @ai-sdk/google",
    package: "ai-sdk",
    wire: "gemini",
    driver: ["ai-sdk.mjs", "google"],
    base: "{origin}/v1beta",
    code: `createGoogleGenerativeAI({ baseURL: "{origin}/v1beta", apiKey: "{key}" })("{model}")`,
  },
  {
    id: "ai-sdk-openai-compatible",
    client: "AI SDK",
    name: "AI SDK, @ai-sdk/openai-compatible",
    package: "ai-sdk",
    wire: "chat",
    driver: ["ai-sdk.mjs", "openai-compatible"],
    base: v1,
    code: `createOpenAICompatible({ name: "plaza", baseURL: "{origin}/v1", apiKey: "{key}" })("{model}")`,
  },
  {
    id: "openai-agents",
    client: "@openai/agents",
    name: "@openai/agents",
    package: "openai-agents",
    wire: "responses",
    driver: ["openai-agents.mjs"],
    base: v1,
    code: `setDefaultOpenAIClient(${openaiCode})`,
  },
  {
    id: "langchain-chat",
    client: "LangChain for JavaScript",
    name: "@langchain/openai",
    package: "langchain",
    wire: "chat",
    driver: ["langchain.mjs", "chat"],
    base: v1,
    code: `new ChatOpenAI({ model: "{model}", apiKey: "{key}", configuration: { baseURL: "{origin}/v1" } })`,
  },
  {
    id: "langchain-responses",
    client: "LangChain for JavaScript",
    name: "@langchain/openai, useResponsesApi",
    package: "langchain",
    wire: "responses",
    driver: ["langchain.mjs", "responses"],
    base: v1,
    code: `new ChatOpenAI({ model: "{model}", apiKey: "{key}", useResponsesApi: true, configuration: { baseURL: "{origin}/v1" } })`,
  },
];

export const sdkPrograms: readonly Program[] = sdks.map(program);
