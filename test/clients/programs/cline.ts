/** Cline's program for the terminal, with the provider of each wire. */
import type { Program, WireName } from "../program.ts";
import { prompt } from "../upstreams/task.ts";

const providers: Readonly<Record<WireName, { id: string; path: string }>> = {
  chat: { id: "openai-compatible", path: "/v1" },
  messages: { id: "anthropic", path: "/v1" },
  gemini: { id: "gemini", path: "/v1beta" },
  responses: { id: "openai-native", path: "/v1" },
};

function speaking(wire: WireName): Program {
  const { id, path } = providers[wire];
  const settings = { provider: id, apiKey: "{key}", model: "{model}", baseUrl: `{origin}${path}` };
  const file = {
    version: 1,
    lastUsedProvider: id,
    providers: { [id]: { settings, updatedAt: "2026-11-23T00:00:00Z" } },
  };
  const setup = ["auth", "-p", id, "-k", "{key}", "-m", "{model}", "-b", `{origin}${path}`];
  return {
    id: `cline-${wire}`,
    client: "Cline",
    name: `Cline (${id})`,
    package: "cline",
    wire,
    // Its command refuses an address for other providers; the file it writes may have one.
    settings: {
      command: "cline",
      ...(wire === "chat"
        ? { setup: ["cline", ...setup].join(" ") }
        : {
            file: {
              path: ".cline/data/settings/providers.json",
              text: `${JSON.stringify(file)}\n`,
            },
          }),
    },
    test: {
      start: (folder) => [`${folder}/node_modules/@cline/cli-${process.platform}-${process.arch}/bin/cline`],
      ...(wire === "chat" ? { setup } : {}),
      args: ["--json", prompt],
      // Without this a daemon stays behind for further sessions.
      env: { CLINE_TELEMETRY_DISABLED: "1", CLINE_SESSION_BACKEND_MODE: "local" },
    },
  };
}

export const cline: readonly Program[] = (["chat", "messages", "gemini", "responses"] as const).map(speaking);
