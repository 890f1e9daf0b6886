/**
 * What the `signature` of a thinking block holds. Anthropic's own is opaque text and stays as it is. The
 * opaque reasoning of every other vendor travels in a payload of ours: a version in clear text, then JSON
 * that says who can read each part of it (docs/wire/anthropic-messages.md section 13).
 */
import type { OpaqueReasoning } from "../../conversation/answer.ts";
import { isRecord, type JsonRecord, parseJson, recordOf } from "../../lib/record.ts";

/** One opaque piece. `call`: the id of the tool call whose signature `data` is. */
export interface ThoughtPart extends Omit<OpaqueReasoning, "callsBefore" | "format"> {
  readonly format?: string | undefined;
  readonly call?: string | undefined;
}

/** Makes the payload unreadable to callers, and readable again; a text without control characters. */
export interface Seal {
  seal(json: string): string;
  /** undefined: it is not of this seal. */
  open(sealed: string): string | undefined;
}

/** Hides nothing: base64url. For tests, and where nothing is to be hidden. */
export const plainSeal: Seal = {
  seal: (json) => Buffer.from(json).toString("base64url"),
  open: (sealed) => (/^[\w-]*$/.test(sealed) ? Buffer.from(sealed, "base64url").toString("utf8") : undefined),
};

const mark = "plaza-thinking-1.";
/** Anything that begins so is ours, of whatever version. */
const anyMark = /^plaza-thinking-\d/;

/** Characters of a payload; a longer one is not written, and not read. */
const payloadMax = 4 * 1024 * 1024;
const partsMax = 256;

const names = ["format", "model", "text", "signature", "data", "id", "call"] as const;

/** The payload of these pieces, none of them included; empty where it is too much. */
export function writePayload(parts: readonly ThoughtPart[], seal: Seal): string {
  if (parts.length > partsMax) return "";
  const plain = parts.map((part) =>
    Object.fromEntries(names.flatMap((name) => (part[name] === undefined ? [] : [[name, part[name]]]))),
  );
  const payload = mark + seal.seal(JSON.stringify({ parts: plain }));
  return payload.length > payloadMax ? "" : payload;
}

/** `parts`: ours. `unreadable`: ours once, of another version or seal, or cut. `native`: Anthropic's. */
export type ReadPayload =
  | { readonly kind: "parts"; readonly parts: readonly ThoughtPart[] }
  | { readonly kind: "unreadable" }
  | { readonly kind: "native" };

const unreadable: ReadPayload = { kind: "unreadable" };

/** Reads a block's `signature`, whoever wrote it. Throws nothing. */
export function readPayload(signature: string, seal: Seal): ReadPayload {
  if (!anyMark.test(signature)) return { kind: "native" };
  if (!signature.startsWith(mark) || signature.length > payloadMax) return unreadable;
  const json = opened(signature.slice(mark.length), seal);
  const { parts } = recordOf(json === undefined ? undefined : parseJson(json));
  if (!Array.isArray(parts) || parts.length > partsMax) return unreadable;
  return { kind: "parts", parts: parts.filter(isRecord).map(partOf) };
}

function opened(sealed: string, seal: Seal): string | undefined {
  try {
    return seal.open(sealed);
  } catch {
    return undefined;
  }
}

function partOf(raw: JsonRecord): ThoughtPart {
  const part: Partial<Record<(typeof names)[number], string>> = {};
  for (const name of names) {
    const value = raw[name];
    if (typeof value === "string") part[name] = value;
  }
  return part;
}
