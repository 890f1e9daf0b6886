/**
 * Promise P07, for tests: usage as a provider reports it, and what it must cost. The split into classes
 * was made by hand from `docs/wire/`, and the sum by exact fractions outside this code base, so that
 * neither knows our readers or `chargeFor`.
 */
import type { PriceName } from "./prices.ts";

export interface PriceVector {
  readonly name: string;
  readonly price: PriceName;
  /** The provider's own usage object, as its JSON. */
  readonly usage: string;
  /** Tokens × US dollars per million tokens, class by class; a term without × is the price per request. */
  readonly working: string;
  /** NanoUsd, rounded up once. */
  readonly charge: bigint;
}
