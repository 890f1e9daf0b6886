/** Every agent program the tests run. */
import type { Program } from "../program.ts";
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

/**
 * The programs to run: those named by `TEST_CLIENTS_ONLY`, a regular expression of ids, of all with
 * `TEST_CLIENTS=all` and of the quick ones without.
 */
export function chosenPrograms(): readonly Program[] {
  const isAll = process.env["TEST_CLIENTS"] === "all";
  const only = new RegExp(process.env["TEST_CLIENTS_ONLY"] ?? "");
  return programs.filter(({ id, isQuick }) => (isAll || isQuick === true) && only.test(id));
}
