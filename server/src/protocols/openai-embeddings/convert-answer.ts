/**
 * Rewrites an answer's vectors in the other form, for upstreams that do not support the form the caller asked
 * for (docs/wire/openai-embeddings.md section 4). All other bytes stay. Works in slices, so that a large
 * batch does not block other requests, and without making a JavaScript value of every number.
 */
import type { Sliced } from "../../lib/time/slices.ts";
import { readBase64 } from "../embeddings/base64.ts";
import { readFloats } from "../embeddings/read-floats.ts";
import type { VectorForm } from "../embeddings/request.ts";
import { vectorBytesMax, writeVector } from "../embeddings/write-vector.ts";
import type { EmbeddingsAnswer } from "./decode-answer.ts";

/** Numbers per slice: two to six milliseconds of work. */
const sliceValues = 40_000;
/** Longest vector accepted; no model has longer ones. */
const dimensionsMax = 65_536;

class AnswerConversion {
  readonly #body: Buffer;
  readonly #answer: EmbeddingsAnswer;
  readonly #to: VectorForm;
  #out: Buffer | undefined;
  #length = 0;
  #next = 0;
  /** Bytes of the body before this offset are written. */
  #copied = 0;
  #values: Float32Array<ArrayBuffer> = new Float32Array(0);
  /** Length of every vector; -1 = not known yet. */
  #dimensions = -1;

  /** `answer`: what was read from `body`. All of its vectors are in the form other than `to`. */
  constructor(body: Buffer, answer: EmbeddingsAnswer, to: VectorForm) {
    this.#body = body;
    this.#answer = answer;
    this.#to = to;
  }

  /**
   * Converts a slice. `more`: call it again. `failed`: a vector contains anything but finite 32-bit floats,
   * or differs in length.
   */
  step(): "more" | "done" | "failed" {
    const { vectors } = this.#answer;
    let values = 0;
    while (this.#next < vectors.length) {
      if (values >= sliceValues) return "more";
      if (!this.#convert(this.#next)) return "failed";
      this.#next += 1;
      values += this.#dimensions;
    }
    this.#copyTo(this.#body.length);
    return "done";
  }

  /** The converted answer, once `step` returned `done`. */
  get result(): Buffer {
    return (this.#out ?? this.#body).subarray(0, this.#length);
  }

  #convert(index: number): boolean {
    const { start, end } = this.#answer.vectors[index] as EmbeddingsAnswer["vectors"][number];
    const count = this.#read(start, end);
    if (count <= 0 || (this.#dimensions >= 0 && count !== this.#dimensions)) return false;
    this.#dimensions = count;
    this.#out ??= this.#allocate(count);
    // The bracket or quote on each side is replaced too.
    this.#copyTo(start - 1);
    this.#write(this.#values.subarray(0, count));
    this.#copied = end + 1;
    return true;
  }

  #read(start: number, end: number): number {
    const most = this.#to === "base64" ? (end - start + 1) / 2 : ((end - start) / 4) * 3;
    const needed = this.#dimensions >= 0 ? this.#dimensions : Math.min(Math.ceil(most), dimensionsMax);
    if (this.#values.length < needed) this.#values = new Float32Array(needed);
    return this.#to === "base64"
      ? readFloats(this.#body, start, end, this.#values)
      : readBase64(this.#body, start, end, this.#values);
  }

  /**
   * All vectors have the length of the first, so one buffer is enough. Its size is exact for base64 and an
   * upper bound for numbers.
   */
  #allocate(dimensions: number): Buffer {
    const { vectors } = this.#answer;
    const each = vectorBytesMax(dimensions, this.#to);
    const around = vectors.reduce((bytes, { start, end }) => bytes - (end - start), this.#body.length);
    return Buffer.allocUnsafeSlow(around + vectors.length * each);
  }

  #copyTo(end: number): void {
    this.#length += this.#body.copy(this.#out as Buffer, this.#length, this.#copied, end);
    this.#copied = end;
  }

  #write(values: Float32Array<ArrayBuffer>): void {
    this.#length = writeVector(values, this.#to, this.#out as Buffer, this.#length);
  }
}

/**
 * The answer with its vectors in the other form; undefined when they cannot be converted, so that it is not
 * an answer.
 */
export function* convertAnswer(
  body: Buffer,
  answer: EmbeddingsAnswer,
  to: VectorForm,
): Sliced<Buffer | undefined> {
  const conversion = new AnswerConversion(body, answer, to);
  for (;;) {
    const state = conversion.step();
    if (state !== "more") return state === "done" ? conversion.result : undefined;
    yield;
  }
}
