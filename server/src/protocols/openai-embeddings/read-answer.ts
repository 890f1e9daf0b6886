/**
 * Reads one answer in OpenAI's format as it arrives: it must be JSON, with a vector per input, of the
 * requested length and form. Answers may have a hundred megabytes, so every step is short.
 */
import type { JsonList, JsonScanner } from "../../lib/json/scan-shapes.ts";
import type { Sliced } from "../../lib/time/slices.ts";
import type { AnswerReader, ReadAnswer } from "../wire-protocol.ts";
import { convertAnswer } from "./convert-answer.ts";
import { type EmbeddingsAnswer, problemOf, readAnswer } from "./decode-answer.ts";
import type { EmbeddingsFields } from "./decode-request.ts";
import { createAnswerScanner } from "./openai-embeddings.ts";

/** Length assumed when the request does not set one: longer than nearly all models' vectors. */
const usualDimensions = 4_096;
/** Most bytes of a number: 17 digits of a double, an exponent, a comma and a space. */
const numberBytes = 26;
/** Bytes around a vector, with room to spare. */
const entryBytes = 512;
/** Upper limit for any request, as a multiple of the limit for all other answers. */
const timesMax = 4;

type Asked = Pick<EmbeddingsFields, "inputs" | "form" | "dimensions">;

/**
 * Most bytes of an answer to this request, in either form. `set`: the limit for other answers; a batch of
 * 2,048 vectors of 3,072 numbers may need twice that.
 */
export function answerBytesMax({ inputs, dimensions }: Asked, set: number): number {
  const each = (dimensions ?? usualDimensions) * numberBytes + entryBytes;
  return Math.min(timesMax * set, Math.max(set, inputs.items.length * each));
}

/** Bytes scanned before yielding: a third of a millisecond. */
const sliceBytes = 64 * 1024;

export class EmbeddingsReader implements AnswerReader {
  readonly #asked: Asked;
  readonly #scanner: JsonScanner = createAnswerScanner();
  /** False once a scanned byte was not valid JSON. */
  #isSound = true;

  constructor(asked: Asked) {
    this.#asked = asked;
  }

  push(chunk: Buffer): void {
    for (let at = 0; this.#isSound && at < chunk.length; at += sliceBytes) {
      this.#isSound = this.#scanner.push(chunk.subarray(at, at + sliceBytes)) === undefined;
    }
  }

  *finish(body: Buffer): Sliced<ReadAnswer> {
    const scan = this.#isSound ? this.#scanner.end() : undefined;
    if (scan === undefined || scan.reason !== undefined) return undefined;
    const answer = yield* readAnswer(body);
    if (answer === undefined) return undefined;
    const { inputs, dimensions, form } = this.#asked;
    const note =
      problemOf(answer, inputs.items.length) ?? lengthProblem(body, answer, scan.lists, dimensions);
    if (note !== undefined) return { note };
    const { usage } = answer;
    if (answer.form === undefined || answer.form === form) return { body, usage };
    const converted = yield* convertAnswer(body, answer, form);
    return converted === undefined
      ? { note: "vectors that are not finite numbers, or not of one length" }
      : { body: converted, usage };
  }
}

/**
 * What is wrong with the lengths of vectors that may be passed through. `lists`: lengths the scan found where
 * vectors are, and possibly of other lists. For base64 every length is known.
 */
function lengthProblem(
  body: Buffer,
  { vectors, form }: EmbeddingsAnswer,
  lists: readonly JsonList[],
  dimensions: number | undefined,
): string | undefined {
  const [first] = vectors;
  if (first === undefined || form === undefined) return undefined;
  const length =
    form === "base64"
      ? Buffer.byteLength(body.toString("latin1", first.start, first.end), "base64") / 4
      : lists.find(({ closeAt }) => closeAt === first.end)?.values;
  if (dimensions !== undefined && length !== dimensions) {
    return `vectors of ${length} numbers where ${dimensions} were asked for`;
  }
  if (form === "base64") {
    const isEven = vectors.every(({ start, end }) => end - start === first.end - first.start);
    return isEven ? undefined : unequal;
  }
  let at = 0;
  for (const { end } of vectors) {
    while ((lists[at]?.closeAt ?? end) < end) at += 1;
    const list = lists[at];
    if (list?.closeAt !== end || !list.isNumbers) return "vectors with something else than numbers";
    if (list.values !== length) return unequal;
  }
  return undefined;
}

const unequal = "vectors of different lengths";
