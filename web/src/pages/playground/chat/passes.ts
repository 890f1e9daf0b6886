/**
 * Passes: short-lived secrets that stand for a key in the console's own calls of `/v1`. One per key is kept
 * in memory and renewed before it ends, or when the endpoint refuses it. Never stored, never shown.
 */

/** A pass as the control plane makes it. */
export interface Pass {
  readonly secret: string;
  /** ISO 8601. */
  readonly expiresAt: string;
}

/** A pass that ends sooner than this is not begun with. */
const marginMs = 30_000;

/** Gives secrets for keys. */
export interface Passes {
  /** The secret for a key; makes one where none is good for long enough. Throws what making one throws. */
  get(keyId: string): Promise<string>;
  /** The endpoint refused this secret: the next call makes another. */
  drop(keyId: string, secret: string): void;
}

/** `make` asks the control plane; `nowMs` is the clock of this device. */
export function createPasses(make: (keyId: string) => Promise<Pass>, nowMs: () => number): Passes {
  const known = new Map<string, Pass>();
  const asking = new Map<string, Promise<Pass>>();

  async function ask(keyId: string): Promise<Pass> {
    try {
      const pass = await make(keyId);
      known.set(keyId, pass);
      return pass;
    } finally {
      asking.delete(keyId);
    }
  }

  return {
    async get(keyId) {
      const pass = known.get(keyId);
      if (pass !== undefined && Date.parse(pass.expiresAt) - nowMs() > marginMs) return pass.secret;
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
