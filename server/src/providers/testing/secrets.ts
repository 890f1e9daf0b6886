/**
 * For tests: the forms of an upstream's credentials and the texts its errors quote, for rig P23. Types only.
 */

/** Creates texts that occur nowhere else in a run, to search for them afterwards. */
export interface Planter {
  /** A new text of 20 upper-case letters and digits. `name`: what it is part of. */
  plant(name: string): string;
  /** Adds a text that was created elsewhere. */
  add(name: string, text: string): void;
}

/** A text that an upstream's error may quote; it contains a planted text. */
export interface Leak {
  readonly name: string;
  readonly text: (planted: string) => string;
}

/** One kind of credential a provider takes. */
export interface CredentialKind {
  readonly credential: (planter: Planter) => string;
  /**
   * Options of an upstream with this credential, in place of `Wire.options`. `origin`: the mock upstream,
   * which also issues tokens.
   */
  readonly options?: (origin: string) => Readonly<Record<string, string>>;
  /** The exchange for a token, if there is one. */
  readonly exchange?: {
    /** True when a call with this path and query requests the token. */
    readonly isAsked: (path: string) => boolean;
    readonly token: (planter: Planter) => string;
  };
  /** The credential only signs calls: no header contains it or a token for it. */
  readonly isOnlySignedWith?: true;
}

/** A provider's secrets that must never be shown. */
export interface SecretsMaterial {
  /** The usual kind first. */
  readonly credentials: readonly [CredentialKind, ...CredentialKind[]];
  readonly leaks: readonly Leak[];
  /** The type of a 400 that is the caller's fault and whose text is shown. */
  readonly shownType: string;
}
