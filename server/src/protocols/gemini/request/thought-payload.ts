/**
 * The content of a `thoughtSignature`. Google's own is opaque base64 and stays as it is. Opaque reasoning of
 * other vendors is put in Plaza's payload, which says who can read each part (docs/wire/gemini.md section
 * 13). It is base64 too, because clients may decode it.
 */
import { isRecord, type JsonRecord, parseJson, recordOf } from "../../../lib/record.ts";

/** One opaque part. `ofCall`: the vendor needs `data` back with the call itself. */
export interface ThoughtPiece {
  readonly format?: string | undefined;
  readonly model?: string | undefined;
  readonly text?: string | undefined;
  readonly signature?: string | undefined;
  readonly data?: string | undefined;
  readonly id?: string | undefined;
  readonly ofCall?: boolean | undefined;
}

/** Encrypts a payload, so that callers cannot read it, and decrypts it. A sealed payload is ASCII. */
export interface Seal {
  seal(json: string): string;
  /** Returns undefined when the text was not sealed with this seal. */
  open(sealed: string): string | undefined;
}

/** Does not encrypt. For tests, and where nothing has to be hidden. */
export const plainSeal: Seal = {
  seal: (json) => Buffer.from(json).toString("base64url"),
  open: (sealed) => (/^[\w-]*$/.test(sealed) ? Buffer.from(sealed, "base64url").toString("utf8") : undefined),
};

/** 18 bytes become exactly 24 characters of base64, so the payload is recognized without decoding it. */
const mark = "plaza-thoughts-01.";
const markInBase64 = Buffer.from(mark).toString("base64");
const anyMarkInBase64 = Buffer.from("plaza-thoughts-").toString("base64");

/** May a body hold one of ours, which no upstream can read? */
export const holdsPayload = (body: Buffer): boolean => body.includes(anyMarkInBase64);

/** Characters of a payload; a longer one is not written, and not read. */
const payloadMax = 4 * 1024 * 1024;
const piecesMax = 256;

const fields = ["format", "model", "text", "signature", "data", "id"] as const;

/** The payload of these parts; undefined when there are none, or it would be too long. */
export function writePayload(pieces: readonly ThoughtPiece[], seal: Seal): string | undefined {
  if (pieces.length === 0 || pieces.length > piecesMax) return undefined;
  const sealed = seal.seal(JSON.stringify({ pieces }));
  const payload = Buffer.from(mark + sealed).toString("base64");
  return payload.length > payloadMax ? undefined : payload;
}

/** `unreadable`: Plaza's, but of another version or seal, or truncated. `native`: Google's own. */
export type ReadPayload =
  | { readonly kind: "pieces"; readonly pieces: readonly ThoughtPiece[] }
  | { readonly kind: "unreadable" }
  | { readonly kind: "native" };

const unreadable: ReadPayload = { kind: "unreadable" };

/** Reads a part's signature, from any source. Never throws. */
export function readPayload(signature: string, seal: Seal): ReadPayload {
  if (!signature.startsWith(anyMarkInBase64)) return { kind: "native" };
  if (!signature.startsWith(markInBase64) || signature.length > payloadMax) return unreadable;
  const json = opened(Buffer.from(signature, "base64").toString("latin1").slice(mark.length), seal);
  const { pieces } = recordOf(json === undefined ? undefined : parseJson(json));
  if (!Array.isArray(pieces) || pieces.length > piecesMax) return unreadable;
  return { kind: "pieces", pieces: pieces.filter(isRecord).map(pieceOf) };
}

function opened(sealed: string, seal: Seal): string | undefined {
  try {
    return seal.open(sealed);
  } catch {
    return undefined;
  }
}

function pieceOf(raw: JsonRecord): ThoughtPiece {
  const piece: { -readonly [Name in keyof ThoughtPiece]: ThoughtPiece[Name] } = {};
  for (const name of fields) {
    const value = raw[name];
    if (typeof value === "string") piece[name] = value;
  }
  if (raw["ofCall"] === true) piece.ofCall = true;
  return piece;
}
