/**
 * The one table of versions: packages of client programs and SDKs, as their registry has them. A new version
 * is a change here, and a run of the tests with it.
 */

/** Nothing published later is installed, so what the packages depend on stays as it was tested. */
export const registryDate = "2026-11-23";

export const packages = {
  "claude-code": { spec: "@anthropic-ai/claude-code@2.1.330" },
  codex: { spec: "@openai/codex@0.169.0" },
  "gemini-cli": { spec: "@google/gemini-cli@0.61.0" },
  opencode: { spec: "opencode-ai@1.18.33" },
  "qwen-code": { spec: "@qwen-code/qwen-code@0.24.4" },
  cline: { spec: "cline@3.0.65" },
} as const satisfies Readonly<Record<string, { readonly spec: string }>>;

export type PackageName = keyof typeof packages;

/** The version in a package's spec. */
export const versionOf = (name: PackageName): string => packages[name].spec.replace(/^.*@/, "");
