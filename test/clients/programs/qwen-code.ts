/** Qwen Code, the agent for the terminal that speaks any of the four wires. */
import type { Program, WireName } from "../program.ts";
import { prompt } from "../upstreams/task.ts";

const settings: Readonly<Record<WireName, { type: string; env: Record<string, string> }>> = {
  chat: { type: "openai", env: { OPENAI_BASE_URL: "{origin}/v1", OPENAI_API_KEY: "{key}" } },
  responses: { type: "openai-responses", env: { OPENAI_BASE_URL: "{origin}/v1", OPENAI_API_KEY: "{key}" } },
  messages: { type: "anthropic", env: { ANTHROPIC_BASE_URL: "{origin}", ANTHROPIC_API_KEY: "{key}" } },
  gemini: { type: "gemini", env: { GOOGLE_GEMINI_BASE_URL: "{origin}", GEMINI_API_KEY: "{key}" } },
};

const quietSettings = {
  privacy: { usageStatisticsEnabled: false },
  general: { enableAutoUpdate: false, disableAutoUpdate: true, disableUpdateNag: true },
  telemetry: { enabled: false },
};

const speaking = (wire: WireName): Program => ({
  id: `qwen-code-${wire}`,
  client: "Qwen Code",
  name: `Qwen Code (${settings[wire].type})`,
  package: "qwen-code",
  wire,
  settings: { env: settings[wire].env, command: `qwen --auth-type ${settings[wire].type} -m {model}` },
  test: {
    start: (folder) => ["node", `${folder}/node_modules/@qwen-code/qwen-code/cli-entry.js`],
    args: ["--auth-type", settings[wire].type, "-m", "{model}", "-y", prompt],
    files: { ".qwen/settings.json": JSON.stringify(quietSettings) },
  },
});

export const qwenCode: readonly Program[] = (["chat", "messages", "gemini", "responses"] as const).map(
  speaking,
);
