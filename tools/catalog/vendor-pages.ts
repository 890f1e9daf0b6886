/**
 * What vendors' pages say and no package does yet: announced prices, classes and sizes, each with its page
 * and day. The one place of the catalog that is written by hand; a line goes as soon as the packages say the
 * same, which the report lists. Data only.
 */
import type { CatalogPrice, LaterPrice } from "../../server/src/domain/catalog/model-catalog.ts";

/** What one page says of one model. */
export interface PageSaying {
  readonly provider: string;
  readonly id: string;
  /** The page; of another site when the vendor has no such page. */
  readonly page: string;
  /** The day the page is of, or the day it was read where it names none. */
  readonly date: string;
  /** Tokens. */
  readonly context?: number;
  /** Instead of the packages'. */
  readonly price?: CatalogPrice;
  /** The class, and that of every tier in the price's order. */
  readonly longCacheWrite?: readonly string[];
  readonly laterPrices?: readonly LaterPrice[];
}

/**
 * "Launch pricing through November 30, 2026": Google's page has input and output, that
 * of LiteLLM the rest, for both hosts.
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
    // Kept for twelve hours; doubled above 272K as all input and cache rates are.
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
    // Another name of deepseek-flash by now, and billed as it; at peak hours.
    price: { input: "0.3", output: "1.2", cachedInput: "0.006" },
  },
];

/**
 * What a page says of all models of a kind: writes that are kept long cost so many times
 * fresh input, and short ones so many.
 */
export interface LongWriteRule {
  readonly provider: string;
  readonly form: RegExp;
  readonly page: string;
  readonly date: string;
  /** In hundredths: 125 = 1.25 times. Rows whose other figures do not fit are left alone. */
  readonly short: bigint;
  readonly long: bigint;
}

/**
 * "5-minute writes 1.25 times, 1-hour writes 2 times base input"; so is every long
 * rate the packages have, Bedrock's too.
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
    // Older ones are kept for five minutes only there.
    form: /(^|\.)anthropic\.claude-(fable|mythos|(opus|sonnet|haiku)-(4-[5-9]|[5-9]))(-|$)/,
    page: "https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html",
    ...claudeWrites,
  },
];
