/**
 * Addresses that real clients call and that are not served here, with the switch of the client that helps:
 * what a 404 says, and a table of docs/call/clients.md. Pure data and its search. The row of an operation is
 * gone as soon as this version serves that.
 */
import { type Operation, operationPaths } from "@plaza/contract/operations.ts";

/** One address, or a family of them. */
export interface MissingPath {
  /** `{name}` stands for one part of the path, `*` at the end for any rest. */
  readonly path: string;
  /** Who calls it. */
  readonly callers: string;
  /** What to set, as whole sentences. */
  readonly help: string;
  /** Whose path it is; absent: of something that no model is for. */
  readonly operation?: Operation;
}

const baseUrl = "Set the client's base URL so that it ends in /v1";
const chatInstead = "Plaza serves chat completions";

/** Rows of clients that leave out /v1 because their base URL does. */
const withoutVersion: readonly MissingPath[] = [
  "/chat/completions",
  "/models",
  "/completions",
  "/embeddings",
  "/responses",
].map((path) => ({
  path,
  callers: "any client whose base URL has no /v1",
  help: `${baseUrl}: this call lacks it.`,
}));

/** Ollama's own API, which lies under the path of the console's. */
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
  {
    path: "/v1/v1/*",
    callers: "clients that add /v1 themselves",
    help: "The path has /v1 twice: set the client's base URL without /v1, because it adds that itself.",
  },
  {
    path: "/v1/chat/completions/chat/completions",
    callers: "clients given the whole address",
    help: `${baseUrl}, without /chat/completions: the client adds that itself.`,
  },
  {
    path: "/v1//*",
    callers: "clients whose base URL ends in a slash",
    help: "Take the slash at the end off the client's base URL: it ends in /v1.",
  },
  {
    path: "/v1/responses/*",
    callers: "AI SDK `openai()`, OpenAI Agents SDK, LangChain, pydantic-ai, n8n, Codex CLI",
    help: `${chatInstead}, not OpenAI's Responses. Switch the client: AI SDK openai.chat(), or @ai-sdk/openai-compatible; Agents SDK OpenAIChatCompletionsModel, or set_default_openai_api("chat_completions"); LangChain use_responses_api=False (useResponsesApi: false); pydantic-ai openai-chat:; inspect-ai responses_api=false; n8n: turn off "Use Responses API". Codex CLI has no such switch.`,
  },
  {
    path: "/v1/messages/*",
    callers: "Claude Code, Anthropic's SDKs",
    help: `${chatInstead}, not Anthropic's Messages. Use an OpenAI client, with a base URL that ends in /v1; Claude Code has no such switch.`,
  },
  {
    path: "/anthropic/*",
    callers: "clients set to an Anthropic endpoint",
    help: `${chatInstead}, not Anthropic's Messages. Use an OpenAI client, with a base URL that ends in /v1.`,
  },
  {
    path: "/v1/completions",
    callers: "LangChain `OpenAI`, llama-index, llm",
    operation: "completion",
    help: `${chatInstead}, not the older text completions. LangChain: ChatOpenAI in place of OpenAI; llama-index: OpenAILike with is_chat_model=True; llm: without completion: true.`,
  },
  {
    path: "/v1/engines/{model}/*",
    callers: "openai for Python before 1.0",
    help: `${chatInstead}. Update the client, and call chat completions with the model in the body.`,
  },
  {
    path: "/openai/deployments/{model}/*",
    callers: "AzureOpenAI classes",
    help: `This is Azure's address. Use the client's class for OpenAI in place of the one for Azure, with base_url instead of azure_endpoint; it ends in /v1.`,
  },
  { path: "/openai/*", callers: "clients set to Azure or Groq", help: `${baseUrl}, without /openai.` },
  {
    path: "/v1beta/*",
    callers: "Gemini CLI, Google's SDKs",
    help: `This is Gemini's own API. Use an OpenAI client, with a base URL that ends in /v1.`,
  },
  {
    path: "/v1/projects/{project}/*",
    callers: "Vertex AI clients",
    help: `This is Vertex AI's own API. Use an OpenAI client, with a base URL that ends in /v1.`,
  },
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
  notServed("/v1/embeddings", "embeddings", "embeddings"),
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

/** In the order in which they are tried. */
export const missingPaths: readonly MissingPath[] = rows.filter(
  ({ operation }) => operation === undefined || !operationPaths[operation].isServed,
);

/** Longer paths are nobody's. */
const pathLengthMax = 512;

/** `/a/*` is `/a` too. */
function formOf({ path }: MissingPath): RegExp {
  const form = path
    .replace(/[.]/g, "\\$&")
    .replace(/\{\w+\}/g, "[^/]+")
    .replace(/(^|[^/])\/\*$/, "$1(?:/.*)?")
    .replace(/\/\/\*$/, "//.*");
  return new RegExp(`^${form}/?$`);
}

const forms = missingPaths.map((row) => ({ form: formOf(row), row }));

/** The row of a path (without its query); undefined where nobody is known to call it. */
export function findMissingPath(path: string): MissingPath | undefined {
  return path.length > pathLengthMax ? undefined : forms.find(({ form }) => form.test(path))?.row;
}
