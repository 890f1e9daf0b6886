/**
 * Reads an embeddings answer in OpenAI's shape (docs/wire/openai-embeddings.md section 3) without parsing
 * its vectors: where they lie, in which form they are written, what the upstream says it used, and
 * whether there is one for each input.
 */
import { isRecord } from "../../lib/record.ts";
import type { Sliced } from "../../lib/time/slices.ts";
import { cutVectors, type VectorSpan, vectorAt } from "../embeddings/cut-vectors.ts";
import type { VectorForm } from "../embeddings/request.ts";

export interface EmbeddingsAnswer {
  /** One for each entry of the answer, in order. Empty where the entries hold something else. */
  readonly vectors: readonly VectorSpan[];
  /**
   * How they are written; undefined: in neither form (lists of vectors, sparse
   * ones), so they can only be passed on.
   */
  readonly form: VectorForm | undefined;
  /** How many entries there are. */
  readonly count: number;
  /** Has each entry a vector, or something that stands for one? */
  readonly isFilled: boolean;
  /** Does the entry at each place say that it is there, or nothing? */
  readonly isInOrder: boolean;
  /** The report of usage, for `readUsage`; undefined = none. */
  readonly usage: unknown;
}

/**
 * undefined: it is no JSON object with entries, or tells an error. What the vectors hold is not looked at.
 */
export function* readAnswer(body: Buffer): Sliced<EmbeddingsAnswer | undefined> {
  const cut = yield* cutVectors(body, ["embedding"]);
  if (cut === undefined || !isRecord(cut.rest)) return undefined;
  const { data, error, usage } = cut.rest;
  const isError = error !== undefined && error !== null;
  if (isError || !Array.isArray(data) || data.length === 0 || !data.every(isRecord)) return undefined;
  const found = data.map((entry) => vectorAt(cut, entry["embedding"]));
  const vectors = found.filter((vector) => vector !== undefined);
  const isWhole = vectors.length === data.length;
  return {
    vectors: isWhole ? vectors : [],
    form: isWhole ? formOf(vectors) : undefined,
    count: data.length,
    isFilled: isWhole || data.every(({ embedding }) => isOtherForm(embedding)),
    isInOrder: data.every(({ index }, at) => index === undefined || index === at),
    usage: usage ?? undefined,
  };
}

/** A list of vectors, or a sparse one. A list that begins with anything but a number is no vector. */
function isOtherForm(value: unknown): boolean {
  if (!Array.isArray(value)) return isRecord(value);
  return value.length > 0 && value.every((item) => typeof item === "string" || isListOrRecord(item));
}

const isListOrRecord = (value: unknown): boolean => Array.isArray(value) || isRecord(value);

function formOf(vectors: readonly VectorSpan[]): VectorForm | undefined {
  if (vectors.every(({ kind }) => kind === "numbers")) return "float";
  return vectors.every(({ kind }) => kind === "text") ? "base64" : undefined;
}

/**
 * What is wrong with an answer to a request of `inputs` inputs, for the operator's log;
 * undefined: nothing. A caller pairs entries with its inputs by their place: an answer with one
 * too few or out of order must not reach it.
 */
export function problemOf(
  { count, isFilled, isInOrder }: EmbeddingsAnswer,
  inputs: number,
): string | undefined {
  if (count !== inputs) return `an answer of ${count} vectors to ${inputs} inputs`;
  if (!isFilled) return "an entry without a vector";
  return isInOrder ? undefined : "vectors out of order";
}
