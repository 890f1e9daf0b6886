/**
 * Writes an embeddings answer in OpenAI's format (docs/wire/openai-embeddings.md section 3) from vectors of
 * another format or of several calls. Entries are written as each call's vectors arrive and joined at the
 * end.
 */
import { joinChunks, type Sliced } from "../../lib/time/slices.ts";
import type { VectorForm } from "../embeddings/request.ts";
import { vectorBytesMax, writeVector } from "../embeddings/write-vector.ts";
import type { usageOnWire } from "./usage.ts";

/** Most bytes of an entry besides its vector. */
const entryBytesMax = 80;

/** Numbers written before yielding: three to five milliseconds. */
const sliceValues = 40_000;

/** Entries of the answer's list, separated by commas, numbered from `first`. */
export function* encodeEntries(
  vectors: readonly Float32Array[],
  first: number,
  form: VectorForm,
): Sliced<Buffer> {
  const most = vectors.reduce((bytes, { length }) => bytes + entryBytesMax + vectorBytesMax(length, form), 0);
  const out = Buffer.allocUnsafeSlow(most);
  let at = 0;
  let values = 0;
  for (const [index, vector] of vectors.entries()) {
    if (values >= sliceValues) {
      values = 0;
      yield;
    }
    values += vector.length;
    const head = `${index === 0 ? "" : ","}{"object":"embedding","index":${first + index},"embedding":`;
    at += out.write(head, at, "latin1");
    at = writeVector(vector as Float32Array<ArrayBuffer>, form, out, at);
    at += out.write("}", at, "latin1");
  }
  return out.subarray(0, at);
}

/** The answer's members other than its vectors. */
export interface AnswerHead {
  readonly model: string;
  /** Usage as written by `usageOnWire`. */
  readonly usage: ReturnType<typeof usageOnWire>;
}

/** The whole answer. `entries`: one buffer per call, in the order of the request's inputs. */
export function* encodeAnswer(entries: readonly Buffer[], { model, usage }: AnswerHead): Sliced<Buffer> {
  const parts: Buffer[] = [Buffer.from('{"object":"list","data":[')];
  for (const [index, entry] of entries.entries()) parts.push(...(index === 0 ? [] : [comma]), entry);
  parts.push(Buffer.from(`],"model":${JSON.stringify(model)},"usage":${JSON.stringify(usage)}}`));
  return yield* joinChunks(
    parts,
    parts.reduce((bytes, { length }) => bytes + length, 0),
  );
}

const comma = Buffer.from(",");
