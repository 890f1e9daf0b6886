/**
 * How much a request for written text can use at most, before anything was used: the numbers its hold is
 * made of. Pure.
 */
import type { Price } from "@plaza/contract/catalog.ts";
import { capabilitiesOf } from "../../../domain/catalog/model-facts.ts";
import { estimateInput } from "../../../domain/money/estimate.ts";
import { holdFor } from "../../../domain/money/hold.ts";
import { compileWords, findWords } from "../../../lib/json/word-search.ts";
import { alwaysThinks, type ThinkingApart, thinkingApartOf } from "../../../providers/thinking-apart.ts";
import type { WorstCase } from "../../money/worst-case.ts";
import type { LiveModel } from "../../snapshot.ts";
import { chatBounds, largest, outputTokensUsual, readOf } from "./output-bounds.ts";
import type { Spending } from "./spending.ts";

/** What it needs to know of a request, whatever its format. */
export interface GenerationFields {
  /** What decides how much it may cost. */
  readonly spending: Spending;
  /** Most tokens of files that only have an address in the request. */
  readonly addressedTokens: number;
  /** Of a guess at the answer, whose rejected part is billed as output; 0 = none. */
  readonly predictionTokens: number;
  /** Letters are written as escapes, so that words may stand there which the bytes do not show. */
  readonly hasEscapedLetter: boolean;
}

/**
 * Which kinds a price, in any tier, has rates of its own for; of the others nobody needs to look for tokens.
 */
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

/** Parts that name a file say nothing of what is in it. */
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
 * A body with letters written as escapes is read for its words up to this size; of
 * a larger one the dearest is thought.
 */
const unescapedBytesMax = 256 * 1024;

/**
 * Which kinds of parts and modalities there could be. They are named by these words, whatever their case and
 * however they are escaped; a word in a text says too much rather than too little.
 */
function mediaIn(body: Buffer, { hasEscapedLetter }: GenerationFields): number {
  const found = findWords(mediaWords, body);
  if (!hasEscapedLetter || found === mediaWords.all) return found;
  if (body.length > unescapedBytesMax) return mediaWords.all;
  const text = body
    .toString("latin1")
    .replace(/\\u00([4-7][0-9a-f])/gi, (_, digits: string) =>
      String.fromCharCode(Number.parseInt(digits, 16)),
    );
  return findWords(mediaWords, Buffer.from(text, "latin1"));
}

/** A model that makes images needs no word to make one. */
function makesImages({ model }: LiveModel, { imageOutput, tiers }: Price): boolean {
  const hasRate = imageOutput !== undefined || tiers?.some((tier) => tier.imageOutput !== undefined) === true;
  return hasRate && model.modalities?.output.includes("image") !== false;
}

/** How this model thinks beside its answer's bound; undefined: it does not. */
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

/** Tokens of thinking of one choice that no bound of the output covers. */
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
 * The whole body counts as prompt, because tool definitions and schemas do; a body larger than the context
 * (images in base64) counts as a full context. The output is the largest that was asked for under any name
 * its upstreams read, at most the model's own cap. `bounds`: the format's own names for a bound of the
 * output, which every upstream obeys because it is told them in its own words.
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
  // Of other names it is only sure that more is not meant.
  const own = tokens.filter(({ path }) => bounds.has(path));
  const isAsked = own.length > 0;
  const asked = Math.max(largest(own, "all", 0), largest(tokens, read, isAsked ? 0 : usual));
  const capped = Math.min(asked, maxOutput ?? (asked === Number.POSITIVE_INFINITY ? usual : asked));
  const outputTokens = Math.min(capped, context ?? capped);
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
  return { ...most, told: isOpen && holdFor({ price, ...most }) > 0n ? outputTokens : undefined };
}
