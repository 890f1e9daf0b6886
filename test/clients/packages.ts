/**
 * The one table of versions: packages of client programs and SDKs, as their registry has them. A new version
 * is a change here, and a run of the tests with it.
 */
import { readFileSync } from "node:fs";

/** Nothing published later is installed, so what the packages depend on stays as it was tested. */
export const registryDate = "2026-11-23";

/** The day of the last run of all programs with all models (`TEST_CLIENTS=all`, see `plaza.test.ts`). */
export const testedOn = "2026-11-27";

export const packages = {
  "claude-code": { spec: "@anthropic-ai/claude-code@2.1.330" },
  codex: { spec: "@openai/codex@0.169.0" },
  "gemini-cli": { spec: "@google/gemini-cli@0.61.0" },
  opencode: { spec: "opencode-ai@1.18.33" },
  "qwen-code": { spec: "@qwen-code/qwen-code@0.24.4" },
  cline: { spec: "cline@3.0.65" },
  "ai-sdk": {
    spec: "ai@7.0.173 @ai-sdk/openai-compatible@3.0.92 @ai-sdk/openai@4.0.118 @ai-sdk/anthropic@4.0.105 @ai-sdk/google@4.0.121",
  },
  "openai-agents": { spec: "@openai/agents@0.20.0 zod@4.6.7" },
  openai: { spec: "openai@7.55.0" },
  "anthropic-sdk": { spec: "@anthropic-ai/sdk@1.11.0" },
  "google-genai": { spec: "@google/genai@3.1.0" },
  langchain: { spec: "@langchain/openai@1.6.0 @langchain/core@1.2.13" },
} as const satisfies Readonly<Record<string, { readonly spec: string }>>;

export type PackageName = keyof typeof packages;

/** A library of Python, pinned in a requirements file of `test/sdk/python/`. */
export interface PythonPackage {
  readonly library: string;
  readonly requirements: string;
}

/** What is installed, as `name version`, without what only tests need. */
export function installedAs(name: PackageName | PythonPackage): string {
  if (typeof name !== "string") {
    const file = new URL(`../sdk/python/${name.requirements}`, import.meta.url);
    const [, version = ""] =
      new RegExp(`^${name.library}==(.*)$`, "m").exec(readFileSync(file, "utf8")) ?? [];
    return `${name.library} ${version}`;
  }
  return packages[name].spec
    .split(" ")
    .filter((one) => !one.startsWith("zod@"))
    .map((one) => one.replace(/@([^@]+)$/, " $1"))
    .join(", ");
}
