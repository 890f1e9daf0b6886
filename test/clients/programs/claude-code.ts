/** Claude Code, Anthropic's agent for the terminal. */
import type { Program } from "../program.ts";
import { prompt } from "../upstreams/task.ts";

export const claudeCode: Program = {
  id: "claude-code",
  client: "Claude Code",
  name: "Claude Code",
  package: "claude-code",
  wire: "messages",
  notes:
    "`ANTHROPIC_DEFAULT_HAIKU_MODEL` names the model of its small calls; without it Claude Code asks for one of Anthropic's.",
  isQuick: true,
  settings: {
    env: {
      ANTHROPIC_BASE_URL: "{origin}",
      ANTHROPIC_AUTH_TOKEN: "{key}",
      ANTHROPIC_DEFAULT_HAIKU_MODEL: "{model}",
    },
    command: "claude --model {model}",
  },
  test: {
    // Its own package holds a stub that an install script replaces; this is what it is replaced with.
    start: (folder) => [
      `${folder}/node_modules/@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`,
    ],
    args: ["--model", "{model}", "--dangerously-skip-permissions", "-p", prompt],
    // It refuses to skip permissions as root outside a sandbox.
    env: { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", DISABLE_AUTOUPDATER: "1", IS_SANDBOX: "1" },
  },
};
