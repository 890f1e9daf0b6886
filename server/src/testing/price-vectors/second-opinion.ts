/**
 * Promise P07: `chargeFor` against a second implementation that knows nothing of parts and wholes: it is
 * given the tokens of every class apart, and adds up the price of single tokens in 10^-15 dollars. For
 * tests and the rig; a seed repeats a run.
 */
import type { Price, PriceTier, Rates } from "@plaza/contract/catalog.ts";
import { type NanoUsd, nanoUsd } from "@plaza/contract/money.ts";
import type { Usage } from "@plaza/contract/usage.ts";
import { chargeFor } from "../../domain/money/price.ts";

/** What each kind of token costs: the first of these rates that a price has. */
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
const kinds = Object.keys(rateOf) as Kind[];
const promptKinds = kinds.slice(0, 6);
type Tokens = Record<Kind, number>;

const rates = [...new Set(Object.values(rateOf).flat())].filter(
  (name) => name !== "input" && name !== "output",
);

/** Mulberry32: small, seeded, good enough to draw cases. */
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

/** Amounts of every size, 0 and the largest price included. */
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

/** The usage a reader would make of these tokens. */
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

/** Whole nano-dollars, and how many 10^-15 dollars are left over. */
function secondOpinion(tokens: Tokens, price: Price): bigint {
  const tier = tierOf(tokens, price);
  let nanos = price.perRequest ?? 0n;
  let rest = 0n;
  for (const kind of kinds) {
    const name = rateOf[kind].find((one) => tier[one] !== undefined);
    const rate = name === undefined ? undefined : tier[name];
    if (rate === undefined) throw new Error(`no rate for ${kind}`);
    // A million tokens cost `rate` nano-dollars; the others a millionth of it each.
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

/** What a comparison came to. */
export interface Comparison {
  /** Usages of which one more token of some kind was priced, too. */
  readonly grown: number;
  /** The first cases that differ, cost less than nothing, or cost less for more tokens; in words. */
  readonly misses: readonly string[];
}

const missesMax = 10;

/** Prices `count` random usages at random prices by both. */
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
