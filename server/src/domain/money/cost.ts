/**
 * Pure: what upstreams bill for a request, over all its attempts. An unknown cost is null, never 0.
 * Knows nothing of what the account is charged.
 */
import type { Price } from "@plaza/contract/catalog.ts";
import { type NanoUsd, nanoUsd } from "@plaza/contract/money.ts";
import type { Usage } from "@plaza/contract/usage.ts";
import { chargeFor } from "./price.ts";

/** The largest whole number the database keeps. */
export const storedMax = 2n ** 63n - 1n;

export const noCost: NanoUsd = nanoUsd(0n);

/**
 * What an upstream bills for an attempt: nothing where nothing was used,
 * null where its deployment says no cost.
 */
export function costOf(usage: Usage | undefined, cost: Price | undefined): NanoUsd | null {
  if (usage === undefined) return noCost;
  return cost === undefined ? null : chargeFor(usage, cost);
}

/** Unknown as soon as one of the two is, and where the sum is beyond anything that could be written down. */
export function addCosts(one: NanoUsd | null, other: NanoUsd | null): NanoUsd | null {
  if (one === null || other === null) return null;
  const sum = one + other;
  return sum > storedMax ? null : nanoUsd(sum);
}
