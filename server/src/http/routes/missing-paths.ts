/**
 * Paths that real clients call but Plaza does not serve, with the client setting that helps. Shown in 404
 * errors and in a table of docs/call/clients.md. An operation's row disappears once Plaza serves it.
 */
import { type Operation, operationPaths, servedPaths } from "@plaza/contract/operations.ts";

/** One path, or a group of paths. */
export interface MissingPath {
  /** `{name}` matches one segment; `*` at the end matches any rest. */
  readonly path: string;
  /** The clients that call it. */
  readonly callers: string;
  /** What to set, in complete sentences. */
  readonly help: string;
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

const baseUrl = "Set the client's base URL so that it ends in /v1";
const served = `Plaza serves ${servedPaths.slice(0, -1).join(", ")} and ${servedPaths.at(-1)}`;

/** The served paths as clients add them to a base URL. */
const added = servedPaths.map((path) => path.replace(/^\/v1/, ""));

/** Codex has no setting of its own for this but its file. */
const codexSwitch = " In Codex it is base_url of the provider in ~/.codex/config.toml.";

/** The base URL is the address alone in these clients, under the names that it has there. */
const addressAlone = (clients: string, without: string, added: string): string =>
  `Set ${clients} to Plaza's address alone, without ${without}: the client adds ${added} itself.`;
const ofAnthropic = "ANTHROPIC_BASE_URL (baseURL, base_url)";
const ofGoogle = "GOOGLE_GEMINI_BASE_URL (httpOptions.baseUrl, base_url)";

/** Rows of clients of Anthropic's and Google's formats that were given more than Plaza's address. */
const addressAndMore: readonly MissingPath[] = [
  {
    path: "/v1/v1/messages/*",
    callers: "Claude Code, Anthropic's SDKs",
    help: addressAlone(ofAnthropic, "/v1", "/v1/messages"),
  },
  {
    path: "/v1/messages/v1/*",
    callers: "Claude Code, Anthropic's SDKs",
    help: addressAlone(ofAnthropic, "/v1/messages", "that"),
  },
  {
    path: "/v1/v1/models/*",
    callers: "Google's and Anthropic's SDKs",
    help: addressAlone(`${ofGoogle} or ${ofAnthropic}`, "/v1", "/v1/models"),
  },
  {
    path: "/v1/v1beta/*",
    callers: "Gemini CLI, Google's SDKs",
    help: addressAlone(ofGoogle, "/v1", "/v1beta"),
  },
  {
    path: "/v1beta/v1beta/*",
    callers: "Gemini CLI, Google's SDKs",
    help: addressAlone(ofGoogle, "/v1beta", "that"),
  },
  {
    path: "/v1beta/v1/*",
    callers: "Google's SDKs, clients of OpenAI's formats",
    help: `${addressAlone(ofGoogle, "/v1beta", "/v1")} For a client of OpenAI's formats, set it so that it ends in /v1 alone.`,
  },
  {
    path: "/models/{model}",
    callers: "AI SDK google(), opencode and Cline with Google, whose base URL has no /v1beta",
    help: "Set the client's base URL so that it ends in /v1beta (for OpenAI's formats in /v1): this call lacks it.",
  },
];

/** Rows of clients that leave out /v1 because their base URL does. */
const withoutVersion = ["/models", ...added].map(
  (path): MissingPath => ({
    path,
    callers: "any client whose base URL has no /v1",
    help: `${baseUrl}: this call lacks it.${path === "/responses" ? codexSwitch : ""}`,
  }),
);

/** Rows of clients whose base URL is the whole address of a served path, which they add again. */
const addedTwice = added.map(
  (path): MissingPath => ({
    path: `/v1${path}${path}`,
    callers: "clients given the whole address",
    help: `${baseUrl}, without ${path}: the client adds that itself.`,
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
  help: `This is Ollama's own API. Choose the provider called OpenAI, or OpenAI compatible, in the client, with a base URL that ends in /v1 (Open WebUI: a connection under OpenAI API, not under Ollama API).`,
}));

const notServed = (path: string, what: string, operation?: Operation): MissingPath => ({
  path,
  callers: "OpenAI clients",
  help: `Plaza does not serve ${what}. Point this part of the client at another service.`,
  ...(operation === undefined ? {} : { operation }),
});

const rows: readonly MissingPath[] = [
  ...withoutVersion,
  ...addressAndMore,
  {
    path: "/v1/v1/*",
    callers: "clients that add /v1 themselves",
    help: "The path has /v1 twice: set the client's base URL without /v1, because it adds that itself.",
  },
  ...addedTwice,
  {
    path: "/v1//*",
    callers: "clients whose base URL ends in a slash",
    help: "Take the slash at the end off the client's base URL: it ends in /v1.",
  },
  {
    path: "//*",
    callers: "clients whose base URL ends in a slash",
    help: "Take the slash at the end off the client's base URL.",
  },
  {
    path: "/v1/responses/*",
    callers: "OpenAI's SDKs",
    help: "Of OpenAI's Responses Plaza serves POST /v1/responses, POST /v1/responses/input_tokens, GET and DELETE /v1/responses/{id} and GET /v1/responses/{id}/input_items. No response runs in the background, so there is none to cancel, and clients shorten conversations themselves (/compact).",
  },
  {
    path: "/v1/messages/*",
    callers: "Claude Code, Anthropic's SDKs",
    help: "Of Anthropic's API Plaza serves POST /v1/messages, POST /v1/messages/count_tokens and GET /v1/models, without batches and files.",
  },
  {
    path: "/anthropic/*",
    callers: "clients set to an Anthropic endpoint",
    help: "Set the client's base URL (ANTHROPIC_BASE_URL) to Plaza's address alone, without /anthropic and without /v1: the client adds /v1/messages itself.",
  },
  {
    path: "/v1/engines/{model}/*",
    callers: "openai for Python before 1.0",
    help: `${served}. Update the client: newer ones send the model in the body.`,
  },
  {
    path: "/openai/deployments/{model}/*",
    callers: "AzureOpenAI classes",
    help: "Of Azure's API Plaza serves /openai/deployments/{model}/ with chat/completions, completions, embeddings and responses, and /openai/v1/ with every path that it has below /v1/.",
  },
  {
    path: "/openai/*",
    callers: "clients set to Azure or Groq",
    help: "Below /openai/v1/ Plaza serves every path that it has below /v1/.",
  },
  ...["/v1beta/files/*", "/upload/*"].map((path) => ({
    path,
    callers: "Google's SDKs: files",
    help: "Plaza stores no files. Send them within the request, as inlineData, or as fileData with a public address.",
  })),
  {
    path: "/v1beta/cachedContents/*",
    callers: "Google's SDKs: caches",
    help: "Plaza stores no contents. Send them with each call: upstreams cache what prompts begin with by themselves.",
  },
  {
    path: "/v1beta/*",
    callers: "Gemini CLI, Google's SDKs",
    help: `Of Gemini's API Plaza serves GET /v1beta/models and, at /v1beta/models/{model}, ${geminiMethods.map((name) => `:${name}`).join(", ")}.`,
  },
  ...["/v1/projects/{project}/*", "/v1/publishers/*", "/v1beta1/*"].map((path) => ({
    path,
    callers: "clients set to Vertex AI",
    help: "This is Vertex AI's own API. Set the client to the Gemini API (@google/genai: without vertexai; Gemini CLI: GEMINI_API_KEY), with Plaza's address as the base URL and a Plaza key.",
  })),
  {
    path: "/model/{model}/*",
    callers: "AWS SDKs",
    help: `This is Bedrock's own API. Use an OpenAI client, with a base URL that ends in /v1.`,
  },
  { path: "/api/v1/*", callers: "clients set to OpenRouter", help: `${baseUrl}, without /api.` },
  {
    path: "/api/chat/completions",
    callers: "clients set to Open WebUI",
    help: `${baseUrl} instead of /api.`,
  },
  ...ollama,
  {
    path: "/v1/chat",
    callers: "Cohere clients, typing errors",
    help: "The path is /v1/chat/completions; clients add /chat/completions to a base URL that ends in /v1.",
  },
  { path: "/v1/chat/completion", callers: "typing errors", help: "The path is /v1/chat/completions." },
  { path: "/v2/*", callers: "Cohere clients", help: `${baseUrl}, not in /v2.` },
  {
    path: "/v1/dashboard/billing/*",
    callers: "tools that show what is left",
    help: "GET /v1/balance tells what is left, with the key as a bearer token.",
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
