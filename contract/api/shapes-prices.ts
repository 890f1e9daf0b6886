/** Schemas of displayed prices: US dollars per million tokens of a class, as decimal strings. */
import { z } from "zod";
import type { Rates } from "../catalog.ts";
import { instant, money } from "./shapes.ts";

/** A missing class costs what its fallback does (`Rates` in contract/catalog.ts). */
const rates = {
  input: money,
  output: money,
  cachedInput: money.optional(),
  cacheWrite: money.optional(),
  longCacheWrite: money.optional(),
  reasoning: money.optional(),
  audioInput: money.optional(),
  audioOutput: money.optional(),
  imageInput: money.optional(),
  imageOutput: money.optional(),
} as const satisfies Record<keyof Rates, z.ZodType>;

/** Every class with its own rate, and further charges. */
export const shownPrice = z.object({
  ...rates,
  /** Added to every charged request. */
  perRequest: money.optional(),
  /** In ascending order; for prompts larger than its size, a tier's rates replace all others. */
  tiers: z.array(z.object({ abovePromptTokens: z.number().int(), ...rates })).optional(),
});

/** A price and the time from which it applies. */
export const pricePeriod = z.object({
  validFrom: instant,
  /** Null: from then on the model has no price and is not served. */
  price: shownPrice.nullable(),
});
