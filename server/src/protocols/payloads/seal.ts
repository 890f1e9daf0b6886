/** How payloads of opaque reasoning are kept from those who carry them. The gateway has the real one. */

export interface Seal {
  /** The sealed text is ASCII without control characters. */
  seal(json: string): string;
  /** Returns undefined when the text was not sealed with this seal. */
  open(sealed: string): string | undefined;
  /** What the same seal is made of in another thread. Absent where it hides nothing. */
  keys?(): SealKeys;
}

/** The keys of a seal and the context that it is bound to. Can be cloned; never logged. */
export interface SealKeys {
  readonly keys: Uint8Array;
  readonly context: string;
}

/** Hides nothing: base64url. Where no seal is given. */
export const plainSeal: Seal = {
  seal: (json) => Buffer.from(json).toString("base64url"),
  open: (sealed) => (/^[\w-]*$/.test(sealed) ? Buffer.from(sealed, "base64url").toString("utf8") : undefined),
};
