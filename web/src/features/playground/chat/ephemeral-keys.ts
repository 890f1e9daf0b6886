/**
 * Ephemeral keys: short-lived secrets used in place of a key in the console's own calls of `/v1`. One per key
 * is kept in memory and renewed before it expires or when the endpoint refuses it. Never stored, never shown.
 */

/** An ephemeral key as the control plane makes it. */
export interface EphemeralKey {
  readonly secret: string;
  /** ISO 8601. */
  readonly expiresAt: string;
}

/** An ephemeral key that ends sooner than this is not begun with. */
const marginMs = 30_000;

/** Gives secrets for keys. */
export interface EphemeralKeys {
  /** The secret for a key; creates one if none is valid for long enough. Throws when creating one fails. */
  get(keyId: string): Promise<string>;
  /** The endpoint refused this secret: the next call makes another. */
  drop(keyId: string, secret: string): void;
}

/** `make` asks the control plane; `nowMs` is the clock of this device. */
export function createEphemeralKeys(
  make: (keyId: string) => Promise<EphemeralKey>,
  nowMs: () => number,
): EphemeralKeys {
  const known = new Map<string, EphemeralKey>();
  const asking = new Map<string, Promise<EphemeralKey>>();

  async function ask(keyId: string): Promise<EphemeralKey> {
    try {
      const made = await make(keyId);
      known.set(keyId, made);
      return made;
    } finally {
      asking.delete(keyId);
    }
  }

  return {
    async get(keyId) {
      const made = known.get(keyId);
      if (made !== undefined && Date.parse(made.expiresAt) - nowMs() > marginMs) return made.secret;
      let answer = asking.get(keyId);
      if (answer === undefined) {
        answer = ask(keyId);
        asking.set(keyId, answer);
      }
      return (await answer).secret;
    },
    drop(keyId, secret) {
      if (known.get(keyId)?.secret === secret) known.delete(keyId);
    },
  };
}
