/** opencode, with the provider of each wire. */
import type { Program, WireName } from "../program.ts";
import { prompt } from "../upstreams/task.ts";

/** The provider's id in its configuration, and where its base URL ends. */
const providers: Readonly<Record<WireName, { id: string; path: string; npm?: string }>> = {
  chat: { id: "plaza", path: "/v1", npm: "@ai-sdk/openai-compatible" },
  messages: { id: "anthropic", path: "/v1" },
  gemini: { id: "google", path: "/v1beta" },
  responses: { id: "openai", path: "/v1" },
};

const quietEnv = {
  OPENCODE_DISABLE_AUTOUPDATE: "1",
  OPENCODE_DISABLE_MODELS_FETCH: "1",
  OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
  OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
};

function speaking(wire: WireName): Program {
  const { id, path, npm } = providers[wire];
  const provider = {
    ...(npm === undefined ? {} : { npm }),
    options: { baseURL: `{origin}${path}`, apiKey: "{key}" },
    models: { "{model}": {} },
  };
  return {
    id: `opencode-${wire}`,
    client: "opencode",
    notes:
      "`small_model` names the model for titles; without it opencode asks for one of its maker's choice.",
    name: `opencode (${npm ?? `@ai-sdk/${id}`})`,
    package: "opencode",
    wire,
    ...(wire === "gemini" ? { dropsCallIds: true } : {}),
    settings: {
      file: {
        path: ".config/opencode/opencode.json",
        text: `${JSON.stringify({ provider: { [id]: provider }, small_model: `${id}/{model}` })}\n`,
      },
      command: `opencode -m ${id}/{model}`,
    },
    test: {
      // Its own package holds a stub that an install script replaces; this is what it is replaced with.
      start: (folder) => [
        `${folder}/node_modules/opencode-${process.platform}-${process.arch}-baseline/bin/opencode`,
      ],
      args: ["run", "-m", `${id}/{model}`, "--auto", prompt],
      env: quietEnv,
    },
  };
}

export const opencode: readonly Program[] = (["chat", "messages", "gemini", "responses"] as const).map(
  speaking,
);
