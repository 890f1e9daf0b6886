/**
 * Grants: parts of a balance that expire, and what is left of them. Pure. Spending uses the grant that
 * expires soonest first. It is deducted only when needed, with the same result as deducting it at once.
 */

import { least } from "./ledger.ts";

/** A top-up that expires. */
export interface Grant {
  readonly entryId: number;
  /** NanoUsd left when last computed. */
  readonly remaining: bigint;
  /** Unix milliseconds. */
  readonly expiresAt: number;
}

/**
 * Deducts `spent` NanoUsd from the grants, soonest expiry first. The excess was spent from ordinary balance.
 */
export function useGrants(grants: readonly Grant[], spent: bigint): Grant[] {
  let left = spent;
  return grants
    .toSorted((a, b) => a.expiresAt - b.expiresAt || a.entryId - b.entryId)
    .map((grant) => {
      const used = least(left, grant.remaining);
      left -= used;
      return { ...grant, remaining: grant.remaining - used };
    });
}
