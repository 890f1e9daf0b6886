/**
 * Which part of a balance was granted for a time only, and what of it is left. Pure. Spending uses up
 * the grant that expires soonest first; it is taken off the grants only when somebody looks, with the
 * same outcome as taking it off at once.
 */

import { least } from "./ledger.ts";

/** A top-up that expires. */
export interface Grant {
  readonly entryId: number;
  /** NanoUsd not used when last looked at. */
  readonly remaining: bigint;
  /** Unix milliseconds. */
  readonly expiresAt: number;
}

/**
 * Takes `spent` NanoUsd off the grants, the one that expires soonest first.
 * What exceeds them was ordinary money.
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
