/** Computes the most a chat request may use; its hold is based on this. Pure functions. */
import type { Price } from "@plaza/contract/catalog.ts";
import { capabilitiesOf } from "../../../domain/catalog/model-facts.ts";
import { estimateInput } from "../../../domain/money/estimate.ts";
import { holdFor } from "../../../domain/money/hold.ts";
import { compileWords, findWords } from "../../../lib/json/word-search.ts";
import { alwaysThinks, type ThinkingApart, thinkingApartOf } from "../../../providers/thinking-apart.ts";
import type { WorstCase } from "../../money/worst-case.ts";
import type { LiveModel } from "../../snapshot.ts";
import { chatBounds, largest, leastOutputOf, outputTokensUsual, readOf } from "./output-bounds.ts";
import type { Spending } from "./spending.ts";

/** What the estimate needs of a request, in any format. */
export interface GenerationFields {
  /** The fields that decide the cost. */
  readonly spending: Spending;
  /** Most input tokens of files that the request names by URL or id. */
  readonly addressedTokens: number;
  /** Tokens of the caller's predicted output, whose rejected part is billed as output; 0 = none. */
  readonly predictionTokens: number;
  /** True when letters are escaped, so that a search for words in the bytes may miss some. */
  readonly hasEscapedLetter: boolean;
}

/** Media kinds with their own rates, in any price tier. Only these must be searched for in the body. */
interface Apart {
  readonly audio: boolean;
  readonly images: boolean;
}

const apartByPrice = new WeakMap<Price, Apart>();

function apartOf(price: Price): Apart {
  let found = apartByPrice.get(price);
  if (found === undefined) {
    const cards = [price, ...(price.tiers ?? [])];
    found = {
      audio: cards.some(({ audioInput, audioOutput }) => (audioInput ?? audioOutput) !== undefined),
      images: cards.some(({ imageInput, imageOutput }) => (imageInput ?? imageOutput) !== undefined),
    };
    apartByPrice.set(price, found);
  }
  return found;
}

/** Fields of file parts, which do not say what kind of file it is. */
const fileWords = [
  '"file"',
  '"input_file"',
  ...["data", "id", "url", "uri"].flatMap((end) => [`"file_${end}"`, `"file${end}"`]),
  '"inline_data"',
  '"inlinedata"',
  '"media"',
];
const [audio, images] = [1, 2];
const mediaWords = compileWords([
  ["audio", audio],
  ["image", images],
  ['"document"', images],
  ...["video", ...fileWords].map((word): [string, number] => [word, audio | images]),
]);

/**
 * Maximum bytes of a body that are unescaped for the search. A larger one is assumed to contain every kind.
 */
const unescapedBytesMax = 256 * 1024;

/**
 * Returns the media kinds the body may contain. They are found by these words in any case and escaping, so
 * ordinary text may match too; that only makes the hold larger.
 */
function mediaIn(body: Buffer, { hasEscapedLetter }: GenerationFields): number {
  if (hasEscapedLetter && body.length > unescapedBytesMax) return mediaWords.all;
  const found = findWords(mediaWords, body);
  if (!hasEscapedLetter || found === mediaWords.all) return found;
  const text = body
    .toString("latin1")
    .replace(/\\u00([4-7][0-9a-f])/gi, (_, digits: string) =>
      String.fromCharCode(Number.parseInt(digits, 16)),
    );
  return findWords(mediaWords, Buffer.from(text, "latin1"));
}

/** True when the model may output images without being asked to. */
function makesImages({ model }: LiveModel, { imageOutput, tiers }: Price): boolean {
  const hasRate = imageOutput !== undefined || tiers?.some((tier) => tier.imageOutput !== undefined) === true;
  return hasRate && model.modalities?.output.includes("image") !== false;
}

/** How the model's thinking exceeds the output limit. "within": it never does. */
interface Thinking extends ThinkingApart {
  readonly canBeOff: boolean;
}

const thinkingByModel = new WeakMap<LiveModel, Thinking | "within">();

function thinkingOf(live: LiveModel): Thinking | "within" {
  let found = thinkingByModel.get(live);
  if (found === undefined) {
    const mayThink = capabilitiesOf(live.model)?.includes("reasoning") ?? true;
    found = "within";
    for (const { deployment, live: place } of mayThink ? live.deployments : []) {
      const here = thinkingApartOf(place.upstream.preset);
      if (here === undefined) continue;
      const before: Thinking = found === "within" ? { ...here, canBeOff: true } : found;
      found = {
        most: Math.max(before.most, here.most),
        wholeBounds: before.wholeBounds.filter((name) => here.wholeBounds.includes(name)),
        canBeOff: before.canBeOff && !alwaysThinks.test(deployment.model),
      };
    }
    thinkingByModel.set(live, found);
  }
  return found;
}

/** Thinking tokens per choice that no output limit covers. */
function thoughtBeside(live: LiveModel, { tokens, thinking, isThinkingOff }: Spending): number {
  const named = largest(thinking, readOf(live), 0);
  const apart = thinkingOf(live);
  if (apart === "within") return Math.min(named, live.model.maxOutput ?? outputTokensUsual);
  if (isThinkingOff && apart.canBeOff) return 0;
  if (tokens.some(({ path }) => apart.wholeBounds.includes(path))) return 0;
  const most = Math.min(apart.most, live.model.context ?? apart.most);
  return named > 0 ? Math.min(named, most) : most;
}

/**
 * The whole body counts as input, since tool definitions and schemas do. A body larger than the context
 * window (base64 images) counts as a full one. Output is the largest limit under any name the upstreams read,
 * capped by the model's own.
 */
export function worstCaseOf(
  live: LiveModel,
  price: Price,
  fields: GenerationFields,
  body: Buffer,
  bounds: ReadonlySet<string> = chatBounds,
): WorstCase {
  const { context, maxOutput } = live.model;
  const { tokens, choices } = fields.spending;
  const apart = apartOf(price);
  const read = readOf(live);
  const usual = maxOutput ?? outputTokensUsual;
  // Only these two names limit the output everywhere. Other names only show that the caller wants no more.
  const own = tokens.filter(({ path }) => bounds.has(path));
  const isAsked = own.length > 0;
  const asked = Math.max(largest(own, "all", 0), largest(tokens, read, isAsked ? 0 : usual));
  const capped = Math.min(asked, maxOutput ?? (asked === Number.POSITIVE_INFINITY ? usual : asked));
  const least = isAsked ? leastOutputOf(live) : 0;
  const outputTokens = Math.max(Math.min(capped, context ?? capped), least);
  const media = apart.audio || apart.images ? mediaIn(body, fields) : 0;
  const inputMax = context ?? Number.POSITIVE_INFINITY;
  const sent = estimateInput(body.length);
  const most = {
    inputTokens: Math.min(sent + fields.addressedTokens, inputMax),
    sentTokens: Math.min(sent, inputMax),
    outputTokens,
    furtherTokens: thoughtBeside(live, fields.spending) + fields.predictionTokens,
    answers: largest(choices, read, 1),
    isAsked,
    hasAudio: apart.audio && (media & audio) !== 0,
    hasImages: (apart.images && (media & images) !== 0) || makesImages(live, price),
  };
  const isOpen = asked > outputTokens || (!isAsked && maxOutput === undefined);
  return { ...most, outputLimit: isOpen && holdFor({ price, ...most }) > 0n ? outputTokens : undefined };
}
