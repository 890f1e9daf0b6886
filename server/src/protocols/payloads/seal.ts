/** How payloads of opaque reasoning are kept from those who carry them. The gateway has the real one. */

export interface Seal {
  /** The sealed text is ASCII without control characters. */
  seal(json: string): string;
  /** Returns undefined when the text was not sealed with this seal. */
  open(sealed: string): string | undefined;
}

/** Hides nothing: base64url. Where no seal is given. */
export const plainSeal: Seal = {
  seal: (json) => Buffer.from(json).toString("base64url"),
  open: (sealed) => (/^[\w-]*$/.test(sealed) ? Buffer.from(sealed, "base64url").toString("utf8") : undefined),
};
