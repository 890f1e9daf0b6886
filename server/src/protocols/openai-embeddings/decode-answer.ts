/**
 * Reads an embeddings answer in OpenAI's format (docs/wire/openai-embeddings.md section 3) without parsing
 * its vectors: their spans, their form, the usage, and whether there is one per input.
 */
import { isRecord } from "../../lib/record.ts";
import type { Sliced } from "../../lib/time/slices.ts";
import { cutVectors, type VectorSpan, vectorAt } from "../embeddings/cut-vectors.ts";
import type { VectorForm } from "../embeddings/request.ts";

export interface EmbeddingsAnswer {
  /** One span per entry of the answer, in order; empty when entries hold something else. */
  readonly vectors: readonly VectorSpan[];
  /** Their form; undefined for lists of vectors and sparse vectors, which can only be passed through. */
  readonly form: VectorForm | undefined;
  /** Number of entries. */
  readonly count: number;
  /** True when each entry has a vector, or something in its place. */
  readonly isFilled: boolean;
  /** True when each entry's index equals its position or is absent. */
  readonly isInOrder: boolean;
  /** The usage report, for `readUsage`; undefined: none. */
  readonly usage: unknown;
}

/**
 * Undefined when the body is not a JSON object with entries, or is an error. The vectors' content is not
 * checked.
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

/**
 * True for a list of vectors or a sparse vector. An array that does not begin with a number is not a plain
 * vector.
 */
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
 * What is wrong with an answer to `inputs` inputs, for the operator's log; undefined: nothing. Callers match
 * entries to inputs by position, so an answer with missing or unordered entries must not reach them.
 */
export function problemOf(
  { count, isFilled, isInOrder }: EmbeddingsAnswer,
  inputs: number,
): string | undefined {
  if (count !== inputs) return `an answer of ${count} vectors to ${inputs} inputs`;
  if (!isFilled) return "an entry without a vector";
  return isInOrder ? undefined : "vectors out of order";
}
