/** Apart from `holders.ts`, so that serving processes know it without loading any SQL. */

/**
 * How long after its last heartbeat a holder is thought dead, in milliseconds. The
 * gateway stops lending somewhat earlier.
 */
export const holderLifeMs = 45_000;
