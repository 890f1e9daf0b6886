/**
 * Seals payloads of opaque reasoning, which callers carry from turn to turn: with the installation's key, and
 * for one account, so that no other account can read or send one back.
 */
import { seal, unseal } from "../../lib/secret.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { Seal } from "../../protocols/payloads/seal.ts";

export interface PayloadSeals {
  of(accountId: string): Seal;
}

/** How long keys are kept in memory; reading them may mean reading a file. */
const keptMs = 60_000;

/** `keys`: the installation's. Called at first use, and at most once a minute. */
export function createPayloadSeals(clock: Pick<Clock, "elapsedMs">, keys: () => Uint8Array): PayloadSeals {
  let kept: { readonly keys: Uint8Array; readonly atMs: number } | undefined;
  const current = (): Uint8Array => {
    const nowMs = clock.elapsedMs();
    if (kept === undefined || nowMs - kept.atMs > keptMs) kept = { keys: keys(), atMs: nowMs };
    return kept.keys;
  };
  return {
    of(accountId) {
      const context = `opaque reasoning\0${accountId}`;
      return {
        seal: (json) => seal(json, current(), context),
        open(sealed) {
          try {
            return unseal(sealed, current(), context);
          } catch {
            return undefined;
          }
        },
      };
    },
  };
}
