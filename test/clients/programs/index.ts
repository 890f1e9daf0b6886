/** Every agent program the tests run. */
import type { Program, WireName } from "../program.ts";
import { claudeCode } from "./claude-code.ts";
import { cline } from "./cline.ts";
import { codex } from "./codex.ts";
import { geminiCli } from "./gemini-cli.ts";
import { opencode } from "./opencode.ts";
import { pythonPrograms } from "./python.ts";
import { qwenCode } from "./qwen-code.ts";
import { sdkPrograms } from "./sdks.ts";

export const programs: readonly Program[] = [
  claudeCode,
  codex,
  geminiCli,
  ...opencode,
  ...qwenCode,
  ...cline,
  ...sdkPrograms,
  ...pythonPrograms,
];

/** The wires Plaza serves to clients so far. */
export const served: readonly WireName[] = ["chat"];

/** The wires Plaza speaks to upstreams so far. */
export const spoken: readonly WireName[] = ["chat", "messages", "gemini"];
