/**
 * An embeddings request independent of any format: callers' formats are decoded into it and upstreams' are
 * encoded from it. Types, and the splitting of a batch for upstreams that accept fewer inputs per call.
 */
import type { Sliced } from "../../lib/time/slices.ts";
import type { UpstreamHeaders } from "../protocol.ts";

/** How an answer encodes a vector. */
export type VectorForm = "float" | "base64";

/**
 * What callers of Google's format may say of their texts. An upstream that has no word for one of them does
 * without it, and the caller is told.
 */
export interface EmbeddingsHints {
  /** One of Google's task types; undefined: not given. */
  readonly taskType: string | undefined;
  /** One per text; undefined: none has one. */
  readonly titles: readonly (string | undefined)[] | undefined;
  /** True when a text that is too long may be cut. */
  readonly truncates: boolean;
}

/** The hints that are given, by the caller's names for them. */
export const hintsIn = (hints: EmbeddingsHints | undefined): readonly string[] => [
  ...(hints?.taskType === undefined ? [] : ["taskType"]),
  ...(hints?.titles === undefined ? [] : ["title"]),
  ...(hints?.truncates === true ? ["autoTruncate"] : []),
];

export interface EmbeddingsRequest {
  /** At least one text; none is empty. */
  readonly texts: readonly string[];
  /** The requested length of the vectors; undefined: the model's default. */
  readonly dimensions: number | undefined;
  /**
   * The texts' purpose in the caller's word (`search_query`, `RETRIEVAL_DOCUMENT`, …); undefined: not given.
   */
  readonly purpose: string | undefined;
  /** Absent: the caller's format has none. Their task type is the purpose. */
  readonly hints?: EmbeddingsHints | undefined;
  /** True when unsupported parameters may be dropped; otherwise they are refused by name. */
  readonly dropsParams: boolean;
  /** All other fields of the request, for refusals by name. */
  readonly others: Readonly<Record<string, unknown>>;
}

/** One upstream call: the range of texts it covers, and its body. */
export interface EncodedEmbeddings {
  /** Index of its first text in the request. */
  readonly first: number;
  readonly count: number;
  readonly body: Buffer;
  /** Dropped parameters. */
  readonly dropped?: readonly string[] | undefined;
}

/** The answer of one upstream call. */
export interface DecodedEmbeddings {
  /** One vector per text of the call, in order. */
  readonly vectors: readonly Float32Array[];
  /**
   * Tokens of the texts as the upstream reports them; undefined when it reports none or an implausible
   * number.
   */
  readonly inputTokens: number | undefined;
}

/** A wire format of embeddings other than OpenAI's. Pure; knows neither addresses nor credentials. */
export interface EmbeddingsFormat {
  /** Most texts per call. A larger batch becomes several calls. */
  readonly textsMax: number;
  /**
   * The calls for a request, in the order of its texts. Throws `Untranslatable` for what the format cannot
   * express.
   */
  encode(request: EmbeddingsRequest): readonly EncodedEmbeddings[];
  /**
   * Decodes a successful answer to a call of `count` texts. Undefined: it is not one; `fault` then classifies
   * it.
   */
  decode(body: Buffer, headers: UpstreamHeaders, count: number): Sliced<DecodedEmbeddings | undefined>;
}

/**
 * Splits a request's texts into calls of at most `textsMax`, in order. `lettersMax`: limit for all texts of a
 * call together; a single longer text gets its own call.
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
