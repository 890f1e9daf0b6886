/**
 * Values of `anthropic-beta` that let a request cost something else (docs/wire/anthropic-messages.md section
 * 15). All others are passed on as they are: a list of what may pass would be old tomorrow.
 */

/** What a beta does to the price of a call. */
export interface PricedBeta {
  /** Without the date at its end: the next version of it costs no less. */
  readonly name: string;
  /**
   * `field`: only with this field in the body, whose value decides. `prompt`: by the prompt's length.
   * `cache`: by the age of cache marks, which the usage tells. `charge`: something beside tokens, or
   * another model.
   */
  readonly by: "field" | "prompt" | "cache" | "charge";
  /** The field of the body that goes with it. */
  readonly field?: string;
}

const pricedBetas: readonly PricedBeta[] = [
  { name: "fast-mode", by: "field", field: "speed" },
  { name: "context-1m", by: "prompt" },
  { name: "extended-cache-ttl", by: "cache" },
  { name: "code-execution", by: "charge", field: "tools" },
  { name: "advisor-tool", by: "charge", field: "tools" },
  { name: "mcp-client", by: "charge", field: "mcp_servers" },
  { name: "skills", by: "charge", field: "container" },
  { name: "server-side-fallback", by: "charge", field: "fallbacks" },
  { name: "fallback-credit", by: "charge", field: "fallbacks" },
  { name: "user-profiles-billing", by: "charge" },
];

const byName: ReadonlyMap<string, PricedBeta> = new Map(pricedBetas.map((beta) => [beta.name, beta]));

/** A value without its date. */
const nameOf = (value: string): string =>
  value
    .trim()
    .toLowerCase()
    .replace(/-\d{4}-\d{2}-\d{2}$/, "");

/** The values in headers `anthropic-beta`, in order, each once. */
export const betasIn = (headers: readonly string[]): string[] =>
  [...new Set(headers.flatMap((header) => header.split(",").map((value) => value.trim())))].filter(
    (value) => value !== "",
  );

/** Those of them that change what a call costs. */
export const pricedAmong = (betas: readonly string[]): PricedBeta[] =>
  betas.flatMap((beta) => byName.get(nameOf(beta)) ?? []);
