/** Schemas of prices as they are shown: US dollars per million tokens of a class, decimal strings. */
import { z } from "zod";
import type { Rates } from "../catalog.ts";
import { instant, money } from "./shapes.ts";

/** A class that is left out costs what its fallback does (`Rates` in contract/catalog.ts). */
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

/** Every class with a rate of its own, and what comes on top or instead. */
export const shownPrice = z.object({
  ...rates,
  /** Added to every charged request. */
  perRequest: money.optional(),
  /** In ascending order; above its size of prompt a tier's rates replace all others. */
  tiers: z.array(z.object({ abovePromptTokens: z.number().int(), ...rates })).optional(),
});

/** A price and from when on it applies. */
export const pricePeriod = z.object({
  validFrom: instant,
  /** null: from then on the model has no price and is not served. */
  price: shownPrice.nullable(),
});
