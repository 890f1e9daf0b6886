/**
 * Finds the vectors in an answer's bytes and parses only the rest, so that millions of numbers are neither
 * parsed nor copied. Native searches find where a vector ends; each vector is replaced by a placeholder in
 * the parsed text. Knows no answer format: the caller names the members that hold vectors.
 */
import { afterSpace } from "../../lib/json/spans.ts";
import { parseJson } from "../../lib/record.ts";
import type { Sliced } from "../../lib/time/slices.ts";

/** One vector: bytes `start` (inclusive) to `end` (exclusive), without brackets or quotes. */
export interface VectorSpan {
  readonly start: number;
  readonly end: number;
  /** `numbers`: a JSON array. `text`: a JSON string with base64. */
  readonly kind: "numbers" | "text";
}

/** An answer without its vectors. */
export interface CutAnswer {
  /** The parsed answer, with a placeholder for each vector. */
  readonly rest: unknown;
  readonly vectors: readonly VectorSpan[];
}

/** Most bytes besides the vectors; a larger rest is not an embeddings answer and is not parsed. */
const restBytesMax = 8 * 1024 * 1024;
/** Most vectors in one answer, with room for answers that contain each vector twice. */
const vectorsMax = 16_384;

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;
const comma = 0x2c;
const open = 0x5b;
const close = 0x5d;
const minus = 0x2d;
const zero = 0x30;
const nine = 0x39;

/** Bytes searched before yielding: about a millisecond. */
const sliceBytes = 8 * 1024 * 1024;

/** The placeholder: a text that no upstream writes by accident. */
const mark = (index: number): string => `"\\u0000vector ${index}"`;
const marked = /^\0vector (\d{1,5})$/;

/** The vector whose placeholder `value` is; undefined for any other value. */
export function vectorAt({ vectors }: CutAnswer, value: unknown): VectorSpan | undefined {
  const index = typeof value === "string" ? marked.exec(value)?.[1] : undefined;
  return index === undefined ? undefined : vectors[Number(index)];
}

/** Start of the value whose quoted name is at `at`; -1 when it is not a member name. */
function valueAfter(body: Buffer, at: number, length: number): number {
  if (body[at - 1] === backslash) return -1;
  const after = afterSpace(body, at + length);
  return body[after] === colon ? afterSpace(body, after + 1) : -1;
}

/** Finds the next of several names, including their quotes. */
class NameSearch {
  readonly #body: Buffer;
  readonly #names: readonly Buffer[];
  readonly #next: number[];

  constructor(body: Buffer, names: readonly string[]) {
    this.#body = body;
    this.#names = names.map((name) => Buffer.from(`"${name}"`));
    this.#next = this.#names.map(() => -1);
  }

  /** Start of the value of the next name at or after `from`; -1 when there is none. */
  find(from: number): number {
    let searched = from;
    for (;;) {
      let at = -1;
      let length = 0;
      for (const [index, name] of this.#names.entries()) {
        if ((this.#next[index] as number) < searched) {
          const found = this.#body.indexOf(name, searched);
          this.#next[index] = found < 0 ? Number.POSITIVE_INFINITY : found;
        }
        const next = this.#next[index] as number;
        if (next < (at < 0 ? Number.POSITIVE_INFINITY : at)) [at, length] = [next, name.length];
      }
      if (at < 0) return -1;
      const value = valueAfter(this.#body, at, length);
      if (value >= 0) return value;
      searched = at + 1;
    }
  }
}

class Cutter {
  readonly vectors: VectorSpan[] = [];
  readonly #body: Buffer;
  #text = "";
  /** Everything before this offset is in `#text`. */
  #copied = 0;
  #isRefused = false;

  constructor(body: Buffer) {
    this.#body = body;
  }

  /** The text around the vectors; undefined when it or the number of vectors is too large. */
  rest(): string | undefined {
    this.#copy(this.#body.length);
    return this.#isRefused ? undefined : this.#text;
  }

  /** Cuts the vector or list of vectors whose value begins at `start`. Returns where to continue. */
  cut(start: number): number {
    const first = this.#body[start];
    if (first === quote) return this.#cutOne(start, quote, "text");
    if (first !== open) return start;
    const inner = afterSpace(this.#body, start + 1);
    // Not a list of vectors; its members are searched by their own names.
    if (this.#body[inner] === open) return this.#cutList(inner);
    return this.#beginsNumber(inner) ? this.#cutOne(start, close, "numbers") : inner;
  }

  /** Cuts the vectors of a list, up to the first item that is not a vector. */
  #cutList(first: number): number {
    let at = first;
    while (this.#body[at] === open && this.#beginsNumber(afterSpace(this.#body, at + 1))) {
      at = afterSpace(this.#body, this.#cutOne(at, close, "numbers"));
      if (this.#body[at] !== comma) break;
      at = afterSpace(this.#body, at + 1);
    }
    return at;
  }

  #beginsNumber(at: number): boolean {
    const byte = this.#body[at] ?? 0;
    return byte === minus || (byte >= zero && byte <= nine);
  }

  /**
   * Cuts from the bracket or quote at `start` to the next `ending`, which neither numbers nor base64 can
   * contain.
   */
  #cutOne(start: number, ending: number, kind: VectorSpan["kind"]): number {
    const end = this.#body.indexOf(ending, start + 1);
    if (end < 0 || this.vectors.length >= vectorsMax || this.#isRefused) {
      this.#isRefused = true;
      return this.#body.length;
    }
    this.#copy(start);
    this.#text += mark(this.vectors.length);
    this.#copied = end + 1;
    this.vectors.push({ start: start + 1, end, kind });
    return end + 1;
  }

  #copy(end: number): void {
    if (this.#text.length + end - this.#copied > restBytesMax) this.#isRefused = true;
    else this.#text += this.#body.toString("utf8", this.#copied, end);
  }
}

/**
 * Cuts the vectors under `names` out of an answer. A name's value may be a vector, a list of vectors, or
 * anything else, which is kept. The numbers are not checked. Undefined: not JSON, or too much data besides
 * vectors.
 */
export function* cutVectors(body: Buffer, names: readonly string[]): Sliced<CutAnswer | undefined> {
  const search = new NameSearch(body, names);
  const cutter = new Cutter(body);
  let sliceEnd = sliceBytes;
  let at = search.find(0);
  while (at >= 0) {
    at = search.find(cutter.cut(at));
    if (at < sliceEnd) continue;
    sliceEnd = at + sliceBytes;
    yield;
  }
  const text = cutter.rest();
  const rest = text === undefined ? undefined : parseJson(text);
  return rest === undefined ? undefined : { rest, vectors: cutter.vectors };
}
