/**
 * Paths that real clients call but Plaza does not serve, with the client setting that helps. Shown in 404
 * errors and in a table of docs/call/clients.md. An operation's row disappears once Plaza serves it.
 */
import { type Message, message } from "@plaza/contract/messages/message.ts";
import { type Operation, operationPaths, servedPaths } from "@plaza/contract/operations.ts";

/** One path, or a group of paths. */
export interface MissingPath {
  /** `{name}` matches one segment; `*` at the end matches any rest. */
  readonly path: string;
  /** The clients that call it. */
  readonly callers: string;
  /** What to set, in complete sentences. */
  readonly help: Message;
  /** The operation of the path; absent when no operation fits. */
  readonly operation?: Operation;
}

/** Methods of a model of Gemini's API. */
const geminiMethods = [
  "generateContent",
  "streamGenerateContent",
  "countTokens",
  "embedContent",
  "batchEmbedContents",
];

/** The served paths as clients add them to a base URL. */
const added = servedPaths.map((path) => path.replace(/^\/v1/, ""));

/** The base URL is the address alone in these clients, under the names that it has there. */
const ofAnthropic = "ANTHROPIC_BASE_URL (baseURL, base_url)";
const ofGoogle = "GOOGLE_GEMINI_BASE_URL (httpOptions.baseUrl, base_url)";

/** Rows of clients of Anthropic's and Google's formats that were given more than Plaza's address. */
const addressAndMore: readonly MissingPath[] = [
  {
    path: "/v1/v1/messages/*",
    callers: "Claude Code, Anthropic's SDKs",
    help: message("path.addressAlone", { setting: ofAnthropic, without: "/v1", added: "/v1/messages" }),
  },
  {
    path: "/v1/messages/v1/*",
    callers: "Claude Code, Anthropic's SDKs",
    help: message("path.addedAgain", { setting: ofAnthropic, without: "/v1/messages" }),
  },
  {
    path: "/v1/v1/models/*",
    callers: "Google's and Anthropic's SDKs",
    help: message("path.addressAlone", {
      setting: message("path.either", { first: ofGoogle, second: ofAnthropic }),
      without: "/v1",
      added: "/v1/models",
    }),
  },
  {
    path: "/v1/v1beta/*",
    callers: "Gemini CLI, Google's SDKs",
    help: message("path.addressAlone", { setting: ofGoogle, without: "/v1", added: "/v1beta" }),
  },
  {
    path: "/v1beta/v1beta/*",
    callers: "Gemini CLI, Google's SDKs",
    help: message("path.addedAgain", { setting: ofGoogle, without: "/v1beta" }),
  },
  {
    path: "/v1beta/v1/*",
    callers: "Google's SDKs, clients of OpenAI's formats",
    help: message("path.googleOrOpenai", { setting: ofGoogle }),
  },
  {
    path: "/models/{model}",
    callers: "AI SDK google(), opencode and Cline with Google, whose base URL has no /v1beta",
    help: message("path.withoutV1beta"),
  },
];

/** Rows of clients whose base URL lacks /v1. Codex keeps its base URL in its file alone. */
const withoutVersion = ["/models", ...added].map(
  (path): MissingPath => ({
    path,
    callers: "any client whose base URL has no /v1",
    help: message(path === "/responses" ? "path.withoutV1Codex" : "path.withoutV1"),
  }),
);

/** Rows of clients whose base URL is the whole address of a served path, which they add again. */
const addedTwice = added.map(
  (path): MissingPath => ({
    path: `/v1${path}${path}`,
    callers: "clients given the whole address",
    help: message("path.wholeAddress", { path }),
  }),
);

/** Ollama's own API, which is under the console's /api. */
const ollama: readonly MissingPath[] = [
  "chat",
  "generate",
  "tags",
  "show",
  "embed",
  "embeddings",
  "version",
  "ps",
].map((name) => ({
  path: `/api/${name}`,
  callers: "clients set to Ollama",
  help: message("path.ollama"),
}));

const notServed = (path: string, what: string, operation?: Operation): MissingPath => ({
  path,
  callers: "OpenAI clients",
  help: message("path.notServed", { what }),
  ...(operation === undefined ? {} : { operation }),
});

const rows: readonly MissingPath[] = [
  ...withoutVersion,
  ...addressAndMore,
  {
    path: "/v1/v1/*",
    callers: "clients that add /v1 themselves",
    help: message("path.v1Twice"),
  },
  ...addedTwice,
  {
    path: "/v1//*",
    callers: "clients whose base URL ends in a slash",
    help: message("path.slashAfterV1"),
  },
  {
    path: "//*",
    callers: "clients whose base URL ends in a slash",
    help: message("path.slashAtEnd"),
  },
  {
    path: "/v1/responses/*",
    callers: "OpenAI's SDKs",
    help: message("path.responses"),
  },
  {
    path: "/v1/messages/*",
    callers: "Claude Code, Anthropic's SDKs",
    help: message("path.messages"),
  },
  {
    path: "/anthropic/*",
    callers: "clients set to an Anthropic endpoint",
    help: message("path.anthropic"),
  },
  {
    path: "/v1/engines/{model}/*",
    callers: "openai for Python before 1.0",
    help: message("path.engines", {
      paths: servedPaths.slice(0, -1).join(", "),
      last: servedPaths.at(-1) ?? "",
    }),
  },
  {
    path: "/openai/deployments/{model}/*",
    callers: "AzureOpenAI classes",
    help: message("path.azure"),
  },
  {
    path: "/openai/*",
    callers: "clients set to Azure or Groq",
    help: message("path.openaiV1"),
  },
  ...["/v1beta/files/*", "/upload/*"].map((path) => ({
    path,
    callers: "Google's SDKs: files",
    help: message("path.geminiFiles"),
  })),
  {
    path: "/v1beta/cachedContents/*",
    callers: "Google's SDKs: caches",
    help: message("path.geminiCaches"),
  },
  {
    path: "/v1beta/*",
    callers: "Gemini CLI, Google's SDKs",
    help: message("path.gemini", { methods: geminiMethods.map((name) => `:${name}`).join(", ") }),
  },
  ...["/v1/projects/{project}/*", "/v1/publishers/*", "/v1beta1/*"].map((path) => ({
    path,
    callers: "clients set to Vertex AI",
    help: message("path.vertex"),
  })),
  {
    path: "/model/{model}/*",
    callers: "AWS SDKs",
    help: message("path.bedrock"),
  },
  { path: "/api/v1/*", callers: "clients set to OpenRouter", help: message("path.withoutApi") },
  {
    path: "/api/chat/completions",
    callers: "clients set to Open WebUI",
    help: message("path.insteadOfApi"),
  },
  ...ollama,
  {
    path: "/v1/chat",
    callers: "Cohere clients, typing errors",
    help: message("path.chat"),
  },
  { path: "/v1/chat/completion", callers: "typing errors", help: message("path.chatCompletions") },
  { path: "/v2/*", callers: "Cohere clients", help: message("path.notV2") },
  {
    path: "/v1/dashboard/billing/*",
    callers: "tools that show what is left",
    help: message("path.balance"),
  },
  notServed("/v1/rerank", "reranking", "rerank"),
  notServed("/v1/moderations", "moderation", "moderation"),
  notServed("/v1/images/*", "images", "image"),
  notServed("/v1/audio/speech", "speech", "speech"),
  notServed("/v1/audio/transcriptions", "transcription", "transcription"),
  notServed("/v1/audio/translations", "translation"),
  notServed("/v1/realtime/*", "realtime sessions"),
  notServed("/v1/files/*", "files"),
  notServed("/v1/batches/*", "batches"),
  notServed("/v1/assistants/*", "assistants"),
  notServed("/v1/threads/*", "threads"),
  notServed("/v1/vector_stores/*", "vector stores"),
  notServed("/v1/containers/*", "containers"),
  notServed("/v1/skills/*", "skills"),
  {
    path: "/v1/conversations/*",
    callers: "OpenAI's SDKs, Agents SDK sessions",
    help: message("path.conversations"),
  },
  {
    path: "/v1/complete",
    callers: "Anthropic's SDKs: completions",
    help: message("path.anthropicCompletions"),
  },
];

/** In the order in which they are matched. */
export const missingPaths: readonly MissingPath[] = rows.filter(
  ({ operation }) => operation === undefined || !operationPaths[operation].isServed,
);

/** No known path is longer. */
const pathLengthMax = 512;

/** `/a/*` also matches `/a`. */
function formOf({ path }: MissingPath): RegExp {
  const form = path
    .replace(/[.]/g, "\\$&")
    .replace(/\{\w+\}/g, "[^/]+")
    .replace(/(^|[^/])\/\*$/, "$1(?:/.*)?")
    .replace(/\/\/\*$/, "//.*");
  return new RegExp(`^${form}/?$`);
}

const forms = missingPaths.map((row) => ({ form: formOf(row), row }));

/** Returns the row for a path without query; undefined when no known client calls it. */
export function findMissingPath(path: string): MissingPath | undefined {
  return path.length > pathLengthMax ? undefined : forms.find(({ form }) => form.test(path))?.row;
}
