/**
 * Seals payloads of opaque reasoning, which callers carry from turn to turn: with the installation's key, and
 * for one account, so that no other account can read or send one back.
 */
import { seal, unseal } from "../../../lib/secret.ts";
import type { Clock } from "../../../lib/time/clock.ts";
import type { Seal, SealKeys } from "../../../protocols/payloads/seal.ts";

export interface PayloadSeals {
  of(accountId: string): Seal;
}

/** How long keys are kept in memory; reading them may mean reading a file. */
const keptMs = 60_000;

/** A seal made of keys. */
class KeyedSeal implements Seal {
  readonly #keys: () => Uint8Array;
  readonly #context: string;

  constructor(keys: () => Uint8Array, context: string) {
    this.#keys = keys;
    this.#context = context;
  }

  seal(json: string): string {
    return seal(json, this.#keys(), this.#context);
  }

  open(sealed: string): string | undefined {
    try {
      return unseal(sealed, this.#keys(), this.#context);
    } catch {
      return undefined;
    }
  }

  keys(): SealKeys {
    // A copy: the memory around a small buffer is not its own.
    return { keys: new Uint8Array(this.#keys()), context: this.#context };
  }
}

/** The seal that these keys are of, in another thread. */
export const sealOf = ({ keys, context }: SealKeys): Seal => new KeyedSeal(() => keys, context);

/** `keys`: the installation's. Called at first use, and at most once a minute. */
export function createPayloadSeals(clock: Pick<Clock, "elapsedMs">, keys: () => Uint8Array): PayloadSeals {
  let kept: { readonly keys: Uint8Array; readonly atMs: number } | undefined;
  const current = (): Uint8Array => {
    const nowMs = clock.elapsedMs();
    if (kept === undefined || nowMs - kept.atMs > keptMs) kept = { keys: keys(), atMs: nowMs };
    return kept.keys;
  };
  return { of: (accountId) => new KeyedSeal(current, `opaque reasoning\0${accountId}`) };
}
