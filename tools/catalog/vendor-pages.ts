/**
 * Facts from vendors' pages that no package has yet: announced prices, classes and sizes, each with its page
 * and date. The only hand-written part of the catalog; remove a line when the report says that the packages
 * agree. Data only.
 */
import type { CatalogPrice, LaterPrice } from "../../server/src/domain/catalog/model-catalog.ts";

/** One page's facts about one model. */
export interface PageSaying {
  readonly provider: string;
  readonly id: string;
  /** The page; of another site if the vendor has none. */
  readonly page: string;
  /** The date on the page, otherwise the date of reading. */
  readonly date: string;
  /** Tokens. */
  readonly context?: number;
  /** Replaces the packages' price. */
  readonly price?: CatalogPrice;
  /** The rate of the class, and of every tier in the price's order. */
  readonly longCacheWrite?: readonly string[];
  readonly laterPrices?: readonly LaterPrice[];
}

/**
 * "Launch pricing through November 30, 2026": Google's page has input and output, LiteLLM's the rest, for
 * both hosts.
 */
const argonLater: readonly LaterPrice[] = [
  { validFrom: "2026-12-01", input: "4", output: "20", cachedInput: "0.2" },
];
const argonPage = "https://github.com/BerriAI/litellm/discussions/46238";

export const pageSayings: readonly PageSaying[] = [
  {
    provider: "openai",
    id: "gpt-6.1-terra",
    page: "https://developers.openai.com/api/docs/models/gpt-6.1-terra",
    date: "2026-11-22",
    context: 1_050_000,
    // Kept for twelve hours; doubled above 272K like all input and cache rates.
    longCacheWrite: ["2.5", "5"],
  },
  {
    provider: "openai",
    id: "gpt-6.1-sol",
    page: "https://vercel.com/ai-gateway/models/gpt-6.1-sol.md",
    date: "2026-11-22",
    context: 1_050_000,
  },
  {
    provider: "google",
    id: "gemini-4-argon",
    page: argonPage,
    date: "2026-11-22",
    laterPrices: argonLater,
  },
  {
    provider: "vertex",
    id: "gemini-4-argon",
    page: argonPage,
    date: "2026-11-22",
    laterPrices: argonLater,
  },
  {
    provider: "deepseek",
    id: "deepseek-v4-flash",
    page: "https://api-docs.deepseek.com/quick_start/pricing",
    date: "2026-11-15",
    // Since renamed to deepseek-flash, and billed like it; at peak hours.
    price: { input: "0.3", output: "1.2", cachedInput: "0.006" },
  },
];

/**
 * A rule of a page for all models of a kind: short and long cache writes cost these multiples of uncached
 * input.
 */
export interface LongWriteRule {
  readonly provider: string;
  readonly form: RegExp;
  readonly page: string;
  readonly date: string;
  /** In hundredths: 125 = 1.25 times. Rows whose other figures do not match are skipped. */
  readonly short: bigint;
  readonly long: bigint;
}

/**
 * "5-minute writes 1.25 times, 1-hour writes 2 times base input"; all long rates in the packages agree,
 * including Bedrock's.
 */
const claudeWrites = { date: "2026-11-22", short: 125n, long: 200n };

export const longWriteRules: readonly LongWriteRule[] = [
  {
    provider: "anthropic",
    form: /^claude-/,
    page: "https://platform.claude.com/docs/en/about-claude/pricing",
    ...claudeWrites,
  },
  {
    provider: "vertex",
    form: /^claude-/,
    // "The offering of these Anthropic models behaves as described in the Anthropic documentation."
    page: "https://docs.cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude/prompt-caching",
    ...claudeWrites,
  },
  {
    provider: "bedrock",
    // Older models keep them for five minutes only there.
    form: /(^|\.)anthropic\.claude-(fable|mythos|(opus|sonnet|haiku)-(4-[5-9]|[5-9]))(-|$)/,
    page: "https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html",
    ...claudeWrites,
  },
];
