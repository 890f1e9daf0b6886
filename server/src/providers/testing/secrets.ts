/**
 * For tests: what an upstream's credentials look like and what its errors quote,
 * for the search of rig P23. Types only.
 */

/** Plants texts that occur nowhere else in a run and are searched for afterwards. */
export interface Planter {
  /** A new text of 20 upper-case letters and digits. `name`: what it is part of. */
  plant(name: string): string;
  /** A text that was made elsewhere. */
  add(name: string, text: string): void;
}

/** A text an upstream's error may quote; what is planted is a part of it. */
export interface Leak {
  readonly name: string;
  readonly text: (planted: string) => string;
}

/** One kind of credential a provider takes. */
export interface CredentialKind {
  readonly credential: (planter: Planter) => string;
  /**
   * Options of an upstream with it, instead of those of `Wire.options`. `origin`: the
   * mock upstream, which gives tokens too.
   */
  readonly options?: (origin: string) => Readonly<Record<string, string>>;
  /** Where it is exchanged for a token. */
  readonly exchange?: {
    /** Is a call of this path and query the one that asks for the token? */
    readonly isAsked: (path: string) => boolean;
    readonly token: (planter: Planter) => string;
  };
  /** Calls are signed with it: no header holds it, or a token for it. */
  readonly isOnlySignedWith?: true;
}

/** What of a provider must never be shown. */
export interface SecretsMaterial {
  /** The usual kind first. */
  readonly credentials: readonly [CredentialKind, ...CredentialKind[]];
  readonly leaks: readonly Leak[];
  /** The type of a 400 that is the caller's own fault, whose text is shown. */
  readonly shownType: string;
}
