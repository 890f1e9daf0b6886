/** SDKs and frameworks for Python, each used by a short program of `drivers/`, where there is a Python. */
import type { Program, WireName } from "../program.ts";
import { prompt } from "../upstreams/task.ts";

const driverFolder = new URL("../drivers/", import.meta.url).pathname;

/** The three libraries: where their versions are pinned, and the line their user writes, by wire. */
const libraries = {
  litellm: {
    client: "LiteLLM",
    requirements: "requirements-frameworks.txt",
    file: "litellm_calls.py",
    code: {
      chat: `litellm.completion(model="openai/{model}", api_base="{origin}/v1", api_key="{key}", …)`,
      responses: `litellm.responses(model="openai/{model}", api_base="{origin}/v1", api_key="{key}", …)`,
      messages: `litellm.anthropic.messages.acreate(model="anthropic/{model}", api_base="{origin}", api_key="{key}", …)`,
    },
  },
  "langchain-openai": {
    client: "LangChain for Python",
    requirements: "requirements-frameworks.txt",
    file: "langchain_calls.py",
    code: {
      chat: `ChatOpenAI(model="{model}", base_url="{origin}/v1", api_key="{key}")`,
      responses: `ChatOpenAI(model="{model}", base_url="{origin}/v1", api_key="{key}", use_responses_api=True)`,
    },
  },
  "pydantic-ai-slim": {
    client: "pydantic-ai",
    requirements: "requirements-pydantic-ai.txt",
    file: "pydantic_ai_calls.py",
    code: {
      chat: `OpenAIChatModel("{model}", provider=OpenAIProvider(base_url="{origin}/v1", api_key="{key}"))`,
      responses: `OpenAIResponsesModel("{model}", provider=OpenAIProvider(base_url="{origin}/v1", api_key="{key}"))`,
      messages: `AnthropicModel("{model}", provider=AnthropicProvider(base_url="{origin}", api_key="{key}"))`,
      gemini: `GoogleModel("{model}", provider=GoogleProvider(base_url="{origin}", api_key="{key}"))`,
    },
  },
} as const;

const ends: Readonly<Record<WireName, string>> = { chat: "/v1", responses: "/v1", messages: "", gemini: "" };

export const pythonPrograms: readonly Program[] = Object.entries(libraries).flatMap(
  ([library, { client, requirements, file, code }]) =>
    Object.entries(code).map(([wire, line]): Program => {
      const base = `{origin}${ends[wire as WireName]}`;
      return {
        id: `python-${library}-${wire}`,
        client,
        name: `${library} (Python), ${wire}`,
        package: { library, requirements },
        wire: wire as WireName,
        settings: { code: line, language: "python" },
        test: {
          start: (python) => [python, driverFolder + file],
          args: [wire],
          env: {
            BASE_URL: base,
            API_KEY: "{key}",
            MODEL: "{model}",
            PROMPT: prompt,
            // LiteLLM else asks for its price list, and while that fails it cannot always be imported.
            LITELLM_LOCAL_MODEL_COST_MAP: "True",
          },
        },
      };
    }),
);
