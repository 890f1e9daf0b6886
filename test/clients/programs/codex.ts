/** Codex, OpenAI's agent for the terminal. */
import type { Program } from "../program.ts";
import { prompt } from "../upstreams/task.ts";

const file = `model = "{model}"
model_provider = "plaza"
model_providers.plaza = { name = "Plaza", base_url = "{origin}/v1", env_key = "PLAZA_API_KEY" }
`;

export const codex: Program = {
  id: "codex",
  client: "Codex CLI",
  name: "Codex CLI",
  package: "codex",
  wire: "responses",
  notes:
    'It offers a web search in every call, which is left out where the operator does not allow it (`x-plaza-dropped-params` says so); `web_search = "disabled"` at the top of its file ends the offer.',
  isQuick: true,
  settings: {
    env: { PLAZA_API_KEY: "{key}" },
    file: { path: ".codex/config.toml", text: file },
    command: "codex",
  },
  test: {
    start: (folder) => ["node", `${folder}/node_modules/@openai/codex/bin/codex.js`],
    args: ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", prompt],
  },
};
