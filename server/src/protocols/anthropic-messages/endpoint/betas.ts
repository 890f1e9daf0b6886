/**
 * Values of `anthropic-beta` that change a request's price (docs/wire/anthropic-messages.md section 15). All
 * other values are passed on; a list of allowed ones would soon be out of date.
 */

/** How a beta affects the price of a call. */
export interface PricedBeta {
  /** The name without its date suffix: later versions are assumed to cost the same extra. */
  readonly name: string;
  /**
   * What decides the extra price. `field`: a field of the body. `prompt`: the prompt's length. `cache`: the
   * lifetime of cache marks, which usage reports. `charge`: a charge other than for tokens, or another model.
   */
  readonly by: "field" | "prompt" | "cache" | "charge";
  /** The body field it belongs to. */
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

/** A value without its date suffix. */
const nameOf = (value: string): string =>
  value
    .trim()
    .toLowerCase()
    .replace(/-\d{4}-\d{2}-\d{2}$/, "");

/** The values of all `anthropic-beta` headers, in order, without duplicates. */
export const betasIn = (headers: readonly string[]): string[] =>
  [...new Set(headers.flatMap((header) => header.split(",").map((value) => value.trim())))].filter(
    (value) => value !== "",
  );

/** True for a beta that lets a prompt be longer than 200,000 tokens, at another price. */
export const isLongContext = (beta: string): boolean => byName.get(nameOf(beta))?.by === "prompt";

/** True when the budget of thoughts is for a whole turn, and so may exceed one answer's output. */
export const thinksBetweenCalls = (betas: readonly string[]): boolean =>
  betas.some((beta) => nameOf(beta) === "interleaved-thinking");

/** The values that change the price of a call. */
export const pricedAmong = (betas: readonly string[]): PricedBeta[] =>
  betas.flatMap((beta) => byName.get(nameOf(beta)) ?? []);
