/**
 * Promise P07: random tokens, written as the vendor of each format reports them (docs/wire/), read by the
 * product and priced, beside the independent implementation, which gets the tokens themselves. For tests and
 * the rig; a seed repeats a run.
 */
import type { Usage } from "@plaza/contract/usage.ts";
import { chargeFor } from "../../domain/money/price.ts";
import { readUsage as readAnthropic } from "../../protocols/anthropic-messages/usage.ts";
import { readUsage as readBedrock } from "../../protocols/bedrock-converse/usage.ts";
import { readUsage as readGoogle } from "../../protocols/gemini/usage.ts";
import { readUsage as readOpenai } from "../../protocols/openai-chat/usage.ts";
import { readUsage as readResponses } from "../../protocols/openai-responses/usage.ts";
import { createRandom, drawPrice, secondOpinion, type Tokens, tokenKinds } from "./second-opinion.ts";

type Kind = keyof Tokens;
type Fields = Readonly<Record<string, unknown>>;

/** How a vendor reports tokens, and which kinds it tells apart from text. */
interface Reporting {
  readonly kinds: readonly Kind[];
  /** The report as JSON. All kinds but these are 0. */
  report(tokens: Tokens): Fields;
}

const sum = (tokens: Tokens, ...kinds: readonly Kind[]): number =>
  kinds.reduce((all, kind) => all + tokens[kind], 0);
const prompt = (tokens: Tokens): number =>
  sum(tokens, "textInput", "audioInput", "imageInput", "cachedInput", "shortWrite", "longWrite");
const answer = (tokens: Tokens): number =>
  sum(tokens, "textOutput", "reasoning", "audioOutput", "imageOutput");

const openaiKinds: readonly Kind[] = tokenKinds;

/** In `input_tokens_details` of Responses, and under chat's name for it. */
const openaiPrompt = (tokens: Tokens): Fields => ({
  cached_tokens: tokens.cachedInput,
  cache_write_tokens: sum(tokens, "shortWrite", "longWrite"),
  cache_write_tokens_details: { ttl_30m_tokens: tokens.shortWrite, ttl_12h_tokens: tokens.longWrite },
  audio_tokens: tokens.audioInput,
  image_tokens: tokens.imageInput,
});
const openaiAnswer = (tokens: Tokens): Fields => ({
  reasoning_tokens: tokens.reasoning,
  audio_tokens: tokens.audioOutput,
  image_tokens: tokens.imageOutput,
});

const modalities = (tokens: Tokens, ...kinds: readonly (readonly [name: string, kind: Kind])[]): Fields[] =>
  kinds.map(([modality, kind]) => ({ modality, tokenCount: tokens[kind] }));

/** By format. */
const reportings = {
  "openai-chat": {
    kinds: openaiKinds,
    report: (tokens) => ({
      prompt_tokens: prompt(tokens),
      completion_tokens: answer(tokens),
      total_tokens: prompt(tokens) + answer(tokens),
      prompt_tokens_details: openaiPrompt(tokens),
      completion_tokens_details: openaiAnswer(tokens),
    }),
  },
  "openai-responses": {
    kinds: openaiKinds,
    report: (tokens) => ({
      input_tokens: prompt(tokens),
      input_tokens_details: openaiPrompt(tokens),
      output_tokens: answer(tokens),
      output_tokens_details: openaiAnswer(tokens),
      total_tokens: prompt(tokens) + answer(tokens),
    }),
  },
  "anthropic-messages": {
    kinds: ["textInput", "cachedInput", "shortWrite", "longWrite", "textOutput", "reasoning"],
    report: (tokens) => ({
      input_tokens: tokens.textInput,
      cache_creation_input_tokens: sum(tokens, "shortWrite", "longWrite"),
      cache_read_input_tokens: tokens.cachedInput,
      cache_creation: {
        ephemeral_5m_input_tokens: tokens.shortWrite,
        ephemeral_1h_input_tokens: tokens.longWrite,
      },
      output_tokens: answer(tokens),
      output_tokens_details: { thinking_tokens: tokens.reasoning },
      service_tier: "standard",
    }),
  },
  gemini: {
    kinds: tokenKinds.filter((kind) => !/Write$/.test(kind)),
    report: (tokens) => ({
      promptTokenCount: prompt(tokens),
      cachedContentTokenCount: tokens.cachedInput,
      candidatesTokenCount: sum(tokens, "textOutput", "audioOutput", "imageOutput"),
      thoughtsTokenCount: tokens.reasoning,
      totalTokenCount: prompt(tokens) + answer(tokens),
      promptTokensDetails: [
        { modality: "TEXT", tokenCount: sum(tokens, "textInput", "cachedInput") },
        ...modalities(tokens, ["AUDIO", "audioInput"], ["IMAGE", "imageInput"]),
      ],
      cacheTokensDetails: modalities(tokens, ["TEXT", "cachedInput"]),
      candidatesTokensDetails: modalities(
        tokens,
        ["TEXT", "textOutput"],
        ["AUDIO", "audioOutput"],
        ["IMAGE", "imageOutput"],
      ),
    }),
  },
  "bedrock-converse": {
    kinds: ["textInput", "cachedInput", "shortWrite", "longWrite", "textOutput"],
    report: (tokens) => ({
      inputTokens: tokens.textInput,
      outputTokens: answer(tokens),
      totalTokens: prompt(tokens) + answer(tokens),
      cacheReadInputTokens: tokens.cachedInput,
      cacheWriteInputTokens: sum(tokens, "shortWrite", "longWrite"),
      cacheDetails: [
        { inputTokens: tokens.shortWrite, ttl: "5m" },
        { inputTokens: tokens.longWrite, ttl: "1h" },
      ],
    }),
  },
} as const satisfies Record<string, Reporting>;
type ReportFormat = keyof typeof reportings;

export const reportFormats = Object.keys(reportings) as readonly ReportFormat[];

const readers: Readonly<Record<ReportFormat, (value: unknown) => Usage | undefined>> = {
  "openai-chat": readOpenai,
  "openai-responses": readResponses,
  "anthropic-messages": readAnthropic,
  gemini: readGoogle,
  "bedrock-converse": readBedrock,
};

type Random = ReturnType<typeof createRandom>;

/**
 * Tokens that this format can tell apart. Where a prompt has cached tokens, OpenAI's report does not say how
 * many of them are sound or images, so that it has none.
 */
function drawReported(format: ReportFormat, random: Random, most: number): Tokens {
  const { kinds } = reportings[format] as Reporting;
  const drawn = Object.fromEntries(
    tokenKinds.map((kind) => [kind, kinds.includes(kind) && random(3) > 0 ? random(most) : 0]),
  ) as unknown as Tokens;
  const isUnclear = format.startsWith("openai") && sum(drawn, "cachedInput", "shortWrite", "longWrite") > 0;
  return isUnclear ? { ...drawn, audioInput: 0, imageInput: 0 } : drawn;
}

const missesMax = 10;

/** Prices `count` random reports, of one format after the other. Returns the first that differ, as text. */
export function compareReports(seed: number, count: number): string[] {
  const random = createRandom(seed);
  const misses: string[] = [];
  for (let run = 0; run < count && misses.length < missesMax; run++) {
    const format = reportFormats[run % reportFormats.length] as ReportFormat;
    const price = drawPrice(random);
    const tokens = drawReported(format, random, [2, 40, 5_000, 100_000_000][random(4)] ?? 2);
    const report = JSON.stringify(reportings[format].report(tokens));
    const usage = readers[format](JSON.parse(report));
    const charge = usage === undefined ? undefined : chargeFor(usage, price);
    const second = secondOpinion(tokens, price);
    if (charge !== second)
      misses.push(`${format} costs ${charge}, by the second opinion ${second}: ${report}`);
  }
  return misses;
}
