/**
 * Pure: what upstreams charge the operator for a request, over all attempts. An unknown cost is null, never
 * 0. Independent of the account's charge.
 */
import type { Price } from "@plaza/contract/catalog.ts";
import { type NanoUsd, nanoUsd } from "@plaza/contract/money.ts";
import type { Usage } from "@plaza/contract/usage.ts";
import { chargeFor } from "./price.ts";

/** The largest whole number the database keeps. */
export const storedMax = 2n ** 63n - 1n;

export const noCost: NanoUsd = nanoUsd(0n);

/** What an upstream charges for an attempt: 0 without usage, null when its deployment has no cost. */
export function costOf(usage: Usage | undefined, cost: Price | undefined): NanoUsd | null {
  if (usage === undefined) return noCost;
  return cost === undefined ? null : chargeFor(usage, cost);
}

/** Null when either is unknown, or when the sum exceeds what can be stored. */
export function addCosts(one: NanoUsd | null, other: NanoUsd | null): NanoUsd | null {
  if (one === null || other === null) return null;
  const sum = one + other;
  return sum > storedMax ? null : nanoUsd(sum);
}
