/**
 * What a `thoughtSignature` of ours holds. Google's own is opaque base64 and stays as it is; the opaque
 * reasoning of every other vendor travels in a payload that says who can read each part of it
 * (docs/wire/gemini.md section 13). It is base64, too, since clients may decode it.
 */
import { isRecord, type JsonRecord, parseJson, recordOf } from "../../../lib/record.ts";

/** One opaque piece. `ofCall`: `data` is what the vendor wants to see again with the call itself. */
export interface ThoughtPiece {
  readonly format?: string | undefined;
  readonly model?: string | undefined;
  readonly text?: string | undefined;
  readonly signature?: string | undefined;
  readonly data?: string | undefined;
  readonly id?: string | undefined;
  readonly ofCall?: boolean | undefined;
}

/** Makes a payload unreadable to callers, and readable again; ASCII. */
export interface Seal {
  seal(json: string): string;
  /** undefined: it is not of this seal. */
  open(sealed: string): string | undefined;
}

/** Hides nothing. For tests, and where nothing is to be hidden. */
export const plainSeal: Seal = {
  seal: (json) => Buffer.from(json).toString("base64url"),
  open: (sealed) => (/^[\w-]*$/.test(sealed) ? Buffer.from(sealed, "base64url").toString("utf8") : undefined),
};

/** 18 bytes are 24 characters of base64: it is known by its beginning, without being decoded. */
const mark = "plaza-thoughts-01.";
const markInBase64 = Buffer.from(mark).toString("base64");
const anyMarkInBase64 = Buffer.from("plaza-thoughts-").toString("base64");

/** Characters of a payload; a longer one is not written, and not read. */
const payloadMax = 4 * 1024 * 1024;
const piecesMax = 256;

const fields = ["format", "model", "text", "signature", "data", "id"] as const;

/** The payload of these pieces; undefined where there are none, or too much of them. */
export function writePayload(pieces: readonly ThoughtPiece[], seal: Seal): string | undefined {
  if (pieces.length === 0 || pieces.length > piecesMax) return undefined;
  const sealed = seal.seal(JSON.stringify({ pieces }));
  const payload = Buffer.from(mark + sealed).toString("base64");
  return payload.length > payloadMax ? undefined : payload;
}

/** `unreadable`: ours once, of another version or seal, or cut. `native`: Google's. */
export type ReadPayload =
  | { readonly kind: "pieces"; readonly pieces: readonly ThoughtPiece[] }
  | { readonly kind: "unreadable" }
  | { readonly kind: "native" };

const unreadable: ReadPayload = { kind: "unreadable" };

/** Reads a part's signature, whoever wrote it. Throws nothing. */
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
