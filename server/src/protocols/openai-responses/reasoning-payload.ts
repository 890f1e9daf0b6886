/**
 * The content of a reasoning item's `encrypted_content`. OpenAI's own is opaque text and stays as it is.
 * Opaque reasoning of other vendors is put in Plaza's payload: a version in clear text, then JSON that says
 * who can read each part (docs/wire/openai-responses.md section 5).
 */
import type { OpaqueReasoning } from "../../conversation/answer.ts";
import { isRecord, type JsonRecord, parseJson, recordOf } from "../../lib/record.ts";

/** Reasoning that only OpenAI's Responses can read: an item's own `encrypted_content`. */
export const nativeFormat = "openai-responses-v1";

/** One opaque part. `call`: the id of the tool call it belongs to. */
export interface ReasoningPart extends Omit<OpaqueReasoning, "callsBefore" | "format"> {
  readonly format?: string | undefined;
  readonly call?: string | undefined;
}

/**
 * Encrypts a payload, so that callers cannot read it, and decrypts it. A sealed payload has no control
 * characters.
 */
export interface Seal {
  seal(json: string): string;
  /** Returns undefined when the text was not sealed with this seal. */
  open(sealed: string): string | undefined;
}

/** Does not encrypt: base64url. For tests, and where nothing has to be hidden. */
export const plainSeal: Seal = {
  seal: (json) => Buffer.from(json).toString("base64url"),
  open: (sealed) => (/^[\w-]*$/.test(sealed) ? Buffer.from(sealed, "base64url").toString("utf8") : undefined),
};

const mark = "plaza-reasoning-1.";
/** The start of every payload of Plaza, of any version. */
const anyMark = /^plaza-reasoning-\d/;

/** May a body hold one of ours, which no upstream can read? */
export const holdsPayload = (body: Buffer): boolean => body.includes("plaza-reasoning-");

/** Characters of a payload; a longer one is not written, and not read. */
const payloadMax = 4 * 1024 * 1024;
const partsMax = 256;

const names = ["format", "model", "text", "signature", "data", "id", "call"] as const;

/** The payload of these parts; undefined when there are none, or it would be too long. */
export function writePayload(parts: readonly ReasoningPart[], seal: Seal): string | undefined {
  if (parts.length === 0 || parts.length > partsMax) return undefined;
  const plain = parts.map((part) =>
    Object.fromEntries(names.flatMap((name) => (part[name] === undefined ? [] : [[name, part[name]]]))),
  );
  const payload = mark + seal.seal(JSON.stringify({ parts: plain }));
  return payload.length > payloadMax ? undefined : payload;
}

/**
 * `parts`: Plaza's payload. `unreadable`: Plaza's, but of another version or seal, or truncated. `native`:
 * OpenAI's own.
 */
export type ReadPayload =
  | { readonly kind: "parts"; readonly parts: readonly ReasoningPart[] }
  | { readonly kind: "unreadable" }
  | { readonly kind: "native" };

const unreadable: ReadPayload = { kind: "unreadable" };

/** Reads an item's `encrypted_content`, from any source. Never throws. */
export function readPayload(content: string, seal: Seal): ReadPayload {
  if (!anyMark.test(content)) return { kind: "native" };
  if (!content.startsWith(mark) || content.length > payloadMax) return unreadable;
  const json = opened(content.slice(mark.length), seal);
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

function partOf(raw: JsonRecord): ReasoningPart {
  const part: Partial<Record<(typeof names)[number], string>> = {};
  for (const name of names) {
    const value = raw[name];
    if (typeof value === "string") part[name] = value;
  }
  return part;
}
