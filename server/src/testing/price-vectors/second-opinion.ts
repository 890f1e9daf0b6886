/**
 * Promise P07: checks `chargeFor` against an independent implementation, which gets the tokens of each class
 * separately and adds up prices of single tokens in 10^-15 dollars. For tests and the rig; a seed repeats a
 * run.
 */
import type { Price, PriceTier, Rates } from "@plaza/contract/catalog.ts";
import { type NanoUsd, nanoUsd } from "@plaza/contract/money.ts";
import type { Usage } from "@plaza/contract/usage.ts";
import { chargeFor } from "../../domain/money/price.ts";

/** The rates of each kind of token, in order; the first one that a price has applies. */
const rateOf = {
  textInput: ["input"],
  audioInput: ["audioInput", "input"],
  imageInput: ["imageInput", "input"],
  cachedInput: ["cachedInput", "input"],
  shortWrite: ["cacheWrite", "input"],
  longWrite: ["longCacheWrite", "cacheWrite", "input"],
  textOutput: ["output"],
  reasoning: ["reasoning", "output"],
  audioOutput: ["audioOutput", "output"],
  imageOutput: ["imageOutput", "output"],
} as const satisfies Record<string, readonly (keyof Rates)[]>;
type Kind = keyof typeof rateOf;
/** All kinds of tokens that are priced apart, those of the prompt first. */
export const tokenKinds = Object.keys(rateOf) as readonly Kind[];
const kinds = tokenKinds;
const promptKinds = kinds.slice(0, 6);
/** Tokens by kind. */
export type Tokens = Readonly<Record<Kind, number>>;

const rates = [...new Set(Object.values(rateOf).flat())].filter(
  (name) => name !== "input" && name !== "output",
);

/** Mulberry32: a small seeded generator, good enough for test cases. */
export function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}
type Random = ReturnType<typeof createRandom>;

/** Rates of all magnitudes, including 0 and the maximum. */
function drawRate(random: Random): NanoUsd {
  const digits = random(17);
  return nanoUsd(
    digits === 16 ? 10n ** 15n : BigInt(random(10)) * 10n ** BigInt(digits % 15) + BigInt(random(3)),
  );
}

function drawRates(random: Random): Rates {
  const drawn: { -readonly [Name in keyof Rates]: NanoUsd } = {
    input: drawRate(random),
    output: drawRate(random),
  };
  for (const name of rates) if (random(2) === 0) drawn[name] = drawRate(random);
  return drawn;
}

export function drawPrice(random: Random): Price {
  const tiers: PriceTier[] = [];
  for (let above = 0; random(3) === 0 && tiers.length < 4; ) {
    above += 1 + random(40);
    tiers.push({ abovePromptTokens: above, ...drawRates(random) });
  }
  return {
    ...drawRates(random),
    ...(random(3) === 0 ? { perRequest: drawRate(random) } : {}),
    ...(tiers.length > 0 ? { tiers } : {}),
  };
}

function drawTokens(random: Random): Tokens {
  const most = [2, 40, 5_000, 300_000_000][random(4)] ?? 2;
  return Object.fromEntries(kinds.map((kind) => [kind, random(3) === 0 ? 0 : random(most)])) as Tokens;
}

/** The usage a reader would report for these tokens. */
function usageOf(tokens: Tokens): Usage {
  const { textInput, audioInput, imageInput, cachedInput, shortWrite, longWrite, reasoning } = tokens;
  const { textOutput, audioOutput, imageOutput } = tokens;
  return {
    input: textInput + audioInput + imageInput,
    audioInput,
    imageInput,
    cachedInput,
    cacheWrite: shortWrite + longWrite,
    longCacheWrite: longWrite,
    output: textOutput + reasoning + audioOutput + imageOutput,
    reasoning,
    audioOutput,
    imageOutput,
  };
}

function tierOf(tokens: Tokens, price: Price): Rates {
  const prompt = promptKinds.reduce((sum, kind) => sum + tokens[kind], 0);
  return (price.tiers ?? []).toReversed().find((tier) => prompt > tier.abovePromptTokens) ?? price;
}

/** The charge in whole NanoUsd, rounded up from 10^-15 dollars. */
export function secondOpinion(tokens: Tokens, price: Price): bigint {
  const tier = tierOf(tokens, price);
  let nanos = price.perRequest ?? 0n;
  let rest = 0n;
  for (const kind of kinds) {
    const name = rateOf[kind].find((one) => tier[one] !== undefined);
    const rate = name === undefined ? undefined : tier[name];
    if (rate === undefined) throw new Error(`no rate for ${kind}`);
    // `rate` is NanoUsd per million tokens; the rest below a million is added as single tokens.
    nanos = nanoUsd(nanos + BigInt(Math.floor(tokens[kind] / 1_000_000)) * rate);
    rest += BigInt(tokens[kind] % 1_000_000) * rate;
  }
  while (rest > 0n) {
    const carried = rest < 1_000_000n ? 1n : rest / 1_000_000n;
    nanos = nanoUsd(nanos + carried);
    rest -= carried * 1_000_000n;
  }
  return nanos;
}

/** The result of a comparison. */
export interface Comparison {
  /** Number of usages that were also priced with one more token. */
  readonly grown: number;
  /** The first cases that differ, are negative, or get cheaper with more tokens; as text. */
  readonly misses: readonly string[];
}

const missesMax = 10;

/** Prices `count` random usages at random prices with both implementations. */
export function compareRandom(seed: number, count: number): Comparison {
  const random = createRandom(seed);
  const misses: string[] = [];
  let grown = 0;
  for (let run = 0; run < count && misses.length < missesMax; run++) {
    const price = drawPrice(random);
    const tokens = drawTokens(random);
    const charge = chargeFor(usageOf(tokens), price);
    const second = secondOpinion(tokens, price);
    if (charge !== second || charge < 0n) {
      misses.push(`run ${run} costs ${charge}, by the second opinion ${second}: ${JSON.stringify(tokens)}`);
    }
    const kind = kinds[random(kinds.length)] ?? "textInput";
    const more = { ...tokens, [kind]: tokens[kind] + 1 + random(50) };
    if (tierOf(more, price) !== tierOf(tokens, price)) continue;
    grown++;
    if (chargeFor(usageOf(more), price) < charge) misses.push(`run ${run}: more ${kind} costs less`);
  }
  return { grown, misses };
}
