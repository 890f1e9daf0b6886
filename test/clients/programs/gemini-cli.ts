/** Gemini CLI, Google's agent for the terminal. */
import type { Program } from "../program.ts";
import { prompt } from "../upstreams/task.ts";

const quietSettings = {
  security: { auth: { selectedType: "gemini-api-key" } },
  privacy: { usageStatisticsEnabled: false },
  general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
  telemetry: { enabled: false },
};

export const geminiCli: Program = {
  id: "gemini-cli",
  client: "Gemini CLI",
  name: "Gemini CLI",
  package: "gemini-cli",
  wire: "gemini",
  notes:
    'Where it asks how to sign in, choose the Gemini API key; `{"security":{"auth":{"selectedType":"gemini-api-key"}}}` in `~/.gemini/settings.json` is the same choice.',
  isQuick: true,
  settings: {
    env: { GOOGLE_GEMINI_BASE_URL: "{origin}", GEMINI_API_KEY: "{key}" },
    command: "gemini -m {model}",
  },
  test: {
    start: (folder) => ["node", `${folder}/node_modules/@google/gemini-cli/bundle/gemini.js`],
    args: ["-m", "{model}", "-y", "--skip-trust", "-p", prompt],
    files: { ".gemini/settings.json": JSON.stringify(quietSettings) },
  },
};
