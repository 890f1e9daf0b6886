/**
 * What an embeddings request asks, in no format's words: what a caller's format is read
 * into and an upstream's is written from. Types, and how a batch is divided where an
 * upstream takes fewer inputs in one call.
 */
import type { Sliced } from "../../lib/time/slices.ts";
import type { UpstreamHeaders } from "../protocol.ts";

/** How a vector is written in an answer. */
export type VectorForm = "float" | "base64";

export interface EmbeddingsRequest {
  /** At least one; none is empty. */
  readonly texts: readonly string[];
  /** How long the vectors are to be; undefined = as the model makes them. */
  readonly dimensions: number | undefined;
  /**
   * What the texts are for, in the caller's own word (`search_query`,
   * `RETRIEVAL_DOCUMENT`, …); undefined = not said.
   */
  readonly purpose: string | undefined;
  /** May what cannot be expressed be left out? Otherwise it is refused by name. */
  readonly dropsParams: boolean;
  /** Every other field the caller sent, for refusals by name. */
  readonly others: Readonly<Record<string, unknown>>;
}

/** One upstream call: which of the request's texts it is for, and its body. */
export interface EncodedEmbeddings {
  /** Index of its first text in the request. */
  readonly first: number;
  readonly count: number;
  readonly body: Buffer;
  /** Parameters that were left out. */
  readonly dropped?: readonly string[] | undefined;
}

/** What one upstream call answered. */
export interface DecodedEmbeddings {
  /** One for each text of the call, in their order. */
  readonly vectors: readonly Float32Array[];
  /** Tokens the upstream says the texts had; undefined: it says none, or none that can be true. */
  readonly inputTokens: number | undefined;
}

/** A wire format of embeddings other than the caller's. Pure; it knows neither addresses nor credentials. */
export interface EmbeddingsFormat {
  /** Texts of one call at most. A larger batch takes several calls. */
  readonly textsMax: number;
  /**
   * The calls for a request, in the order of its texts. Throws
   * `Untranslatable` for what the format cannot say.
   */
  encode(request: EmbeddingsRequest): readonly EncodedEmbeddings[];
  /** A successful answer to a call of `count` texts; undefined: it is none, and `fault` says what it is. */
  decode(body: Buffer, headers: UpstreamHeaders, count: number): Sliced<DecodedEmbeddings | undefined>;
}

/**
 * Divides a request's texts into calls of at most `textsMax`, in order. `lettersMax`: of all texts of a call
 * together, unless one alone is longer.
 */
export function divide<Part>(
  texts: readonly string[],
  textsMax: number,
  make: (texts: readonly string[], first: number) => Part,
  lettersMax = Number.POSITIVE_INFINITY,
): Part[] {
  const parts: Part[] = [];
  let first = 0;
  let letters = 0;
  for (const [index, text] of texts.entries()) {
    const isFull = index - first >= textsMax || letters + text.length > lettersMax;
    if (index > first && isFull) {
      parts.push(make(texts.slice(first, index), first));
      first = index;
      letters = 0;
    }
    letters += text.length;
  }
  parts.push(make(texts.slice(first), first));
  return parts;
}
