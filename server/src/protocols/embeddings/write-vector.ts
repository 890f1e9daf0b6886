/** Writes one vector as a JSON value, in either form. Knows no answer format. */
import { base64Length, writeBase64 } from "./base64.ts";
import type { VectorForm } from "./request.ts";
import { floatBytesMax, writeFloat } from "./write-floats.ts";

const [openBracket, closeBracket, quote, comma] = [0x5b, 0x5d, 0x22, 0x2c];

/**
 * Writes a vector at `from`, including brackets or quotes, and returns where it ends. All values must be
 * finite.
 */
export function writeVector(
  values: Float32Array<ArrayBuffer>,
  form: VectorForm,
  out: Buffer,
  from: number,
): number {
  let at = from;
  if (form === "base64") {
    out[at++] = quote;
    at = writeBase64(values, out, at);
    out[at++] = quote;
    return at;
  }
  out[at++] = openBracket;
  for (let index = 0; index < values.length; index += 1) {
    if (index > 0) out[at++] = comma;
    at = writeFloat(values[index] as number, out, at);
  }
  out[at++] = closeBracket;
  return at;
}

/** Most bytes of a vector with `dimensions` numbers, including brackets or quotes. */
export const vectorBytesMax = (dimensions: number, form: VectorForm): number =>
  2 + (form === "base64" ? base64Length(dimensions) : dimensions * (floatBytesMax + 1));
