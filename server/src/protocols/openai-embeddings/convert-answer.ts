/**
 * Writes an answer's vectors in the other form, where an upstream does not know the one its caller asked for
 * (docs/wire/openai-embeddings.md section 4). All other bytes stay as they are. The work is done in slices,
 * so that a large batch does not keep other requests waiting, and never makes a JavaScript value of a number.
 */
import type { Sliced } from "../../lib/time/slices.ts";
import { readBase64 } from "../embeddings/base64.ts";
import { readFloats } from "../embeddings/read-floats.ts";
import type { VectorForm } from "../embeddings/request.ts";
import { vectorBytesMax, writeVector } from "../embeddings/write-vector.ts";
import type { EmbeddingsAnswer } from "./decode-answer.ts";

/** Numbers of one slice: two to six milliseconds of work. */
const sliceValues = 40_000;
/** No model has longer vectors. */
const dimensionsMax = 65_536;

class AnswerConversion {
  readonly #body: Buffer;
  readonly #answer: EmbeddingsAnswer;
  readonly #to: VectorForm;
  #out: Buffer | undefined;
  #length = 0;
  #next = 0;
  /** The body's bytes before it are written. */
  #copied = 0;
  #values: Float32Array<ArrayBuffer> = new Float32Array(0);
  /** Of every vector; -1 = not known yet. */
  #dimensions = -1;

  /** `answer`: what was read of `body`; its vectors are all in the one form that `to` is not. */
  constructor(body: Buffer, answer: EmbeddingsAnswer, to: VectorForm) {
    this.#body = body;
    this.#answer = answer;
    this.#to = to;
  }

  /**
   * Converts a slice. `more`: call it again. `failed`: a vector holds something else than finite 32-bit
   * floats, or not as many as the others.
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

  /** The converted answer, once `step` said `done`. */
  get result(): Buffer {
    return (this.#out ?? this.#body).subarray(0, this.#length);
  }

  #convert(index: number): boolean {
    const { start, end } = this.#answer.vectors[index] as EmbeddingsAnswer["vectors"][number];
    const count = this.#read(start, end);
    if (count <= 0 || (this.#dimensions >= 0 && count !== this.#dimensions)) return false;
    this.#dimensions = count;
    this.#out ??= this.#allocate(count);
    // The bracket or quote at each side goes, too.
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
   * All vectors are as long as the first, so that one buffer is enough; of base64 its size is
   * exact, of numbers the largest possible.
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
 * The answer with its vectors in the other form; undefined: they cannot be converted, so this is no answer.
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
