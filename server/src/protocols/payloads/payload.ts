/**
 * Opaque reasoning of other vendors, in a member of a caller's format that callers send back unchanged: a
 * mark with a version, then sealed JSON that says who can read each part. Each format has its own mark and
 * place (`marks.ts`).
 */
import { isRecord, type JsonRecord, parseJson, recordOf } from "../../lib/record.ts";
import type { Seal } from "./seal.ts";

/** One opaque part. */
export interface PayloadPart {
  /** Who can read it; absent: any upstream may be given its words. */
  readonly format?: string | undefined;
  /** The model that made it, if only that model accepts it back. */
  readonly model?: string | undefined;
  readonly text?: string | undefined;
  readonly signature?: string | undefined;
  readonly data?: string | undefined;
  readonly id?: string | undefined;
  /** The id of the tool call whose own signature `data` is. */
  readonly call?: string | undefined;
}

/**
 * `parts`: Plaza's payload. `unreadable`: Plaza's, but of another version or seal, or truncated. `native`: of
 * the vendor whose format it is.
 */
export type ReadPayload =
  | { readonly kind: "parts"; readonly parts: readonly PayloadPart[] }
  | { readonly kind: "unreadable" }
  | { readonly kind: "native" };

/** The payloads of one format. */
export interface Payloads {
  /** The payload of these parts; undefined when it would be too long. */
  write(parts: readonly PayloadPart[], seal: Seal): string | undefined;
  /** Reads what stands in the payload's place, from any source. Never throws. */
  read(content: string, seal: Seal): ReadPayload;
  /** True when a body may hold a payload of Plaza's, which no upstream can read. */
  isIn(body: Buffer): boolean;
}

export interface PayloadKind {
  /** The start of every payload, whatever its version. */
  readonly mark: string;
  /** The mark with the version that is written and read. */
  readonly marked: string;
  /** True when all of it is base64, which callers may decode. Both marks then have a multiple of 3 bytes. */
  readonly isBase64?: boolean;
}

/** Characters of a payload; a longer one is not written, and not read. */
const payloadMax = 4 * 1024 * 1024;
const partsMax = 256;

const names = ["format", "model", "text", "signature", "data", "id", "call"] as const;
const unreadable: ReadPayload = { kind: "unreadable" };

export function payloadsOf({ mark, marked, isBase64 = false }: PayloadKind): Payloads {
  const outside = (text: string): string => (isBase64 ? Buffer.from(text).toString("base64") : text);
  const start = outside(mark);
  const startNow = outside(marked);
  const sealedIn = (payload: string): string =>
    (isBase64 ? Buffer.from(payload, "base64").toString("latin1") : payload).slice(marked.length);
  return {
    isIn: (body) => body.includes(start),
    write(parts, seal) {
      if (parts.length > partsMax) return undefined;
      // The names are all that is written, at every depth.
      const payload = outside(marked + seal.seal(JSON.stringify({ parts }, ["parts", ...names])));
      return payload.length > payloadMax ? undefined : payload;
    },
    read(content, seal) {
      if (!content.startsWith(start)) return { kind: "native" };
      if (!content.startsWith(startNow) || content.length > payloadMax) return unreadable;
      const json = opened(sealedIn(content), seal);
      const { parts } = recordOf(json === undefined ? undefined : parseJson(json));
      if (!Array.isArray(parts) || parts.length > partsMax) return unreadable;
      return { kind: "parts", parts: parts.filter(isRecord).map(partOf) };
    },
  };
}

function opened(sealed: string, seal: Seal): string | undefined {
  try {
    return seal.open(sealed);
  } catch {
    return undefined;
  }
}

function partOf(raw: JsonRecord): PayloadPart {
  const part: Partial<Record<(typeof names)[number], string>> = {};
  for (const name of names) {
    const value = raw[name];
    if (typeof value === "string") part[name] = value;
  }
  return part;
}
