/**
 * Vectors as base64 of their 32-bit floats in little-endian order, as OpenAI writes them. Reads and writes
 * bytes; knows no answer format.
 */

const isLittleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;
const backslash = 0x5c;

/** Length in bytes of the base64 of `count` floats. */
export const base64Length = (count: number): number => 4 * Math.ceil((count * 4) / 3);

/** Writes the floats as base64 at `at` and returns where it ends. */
export function writeBase64(values: Float32Array<ArrayBuffer>, out: Buffer, at: number): number {
  const bytes = Buffer.from(values.buffer, values.byteOffset, values.byteLength);
  const text = (isLittleEndian ? bytes : Buffer.from(bytes).swap32()).toString("base64");
  return at + out.write(text, at, "latin1");
}

/**
 * Reads base64 from `start` to `end` of a JSON text (where a slash may be escaped) into floats. Returns their
 * number; -1 when the text is not base64 of finite floats, or `into` is too small.
 */
export function readBase64(
  bytes: Buffer,
  start: number,
  end: number,
  into: Float32Array<ArrayBuffer>,
): number {
  let text = bytes.toString("latin1", start, end);
  if (bytes.subarray(start, end).includes(backslash)) text = text.replaceAll("\\/", "/");
  const decoded = Buffer.from(text, "base64");
  // The decoder skips invalid characters, so invalid base64 gives fewer bytes than its length implies.
  const isWhole = text.length === base64Length(decoded.length / 4) && decoded.length % 4 === 0;
  const count = decoded.length / 4;
  if (!isWhole || count > into.length) return -1;
  if (!isLittleEndian) decoded.swap32();
  new Uint8Array(into.buffer, into.byteOffset).set(decoded);
  for (let index = 0; index < count; index += 1) if (!Number.isFinite(into[index])) return -1;
  return count;
}
