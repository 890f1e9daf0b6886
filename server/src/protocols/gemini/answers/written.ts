/** How much of parts is what the model wrote, in bytes: words, and names and arguments of calls. */
import { textBytes as quotedBytes } from "../../../lib/json/text-bytes.ts";
import { isRecord, recordOf } from "../../../lib/record.ts";

const textBytes = (value: unknown): number => (typeof value === "string" ? Buffer.byteLength(value) : 0);

/** Bytes of parsed parts, which are untrusted. Images and signatures do not count. */
export function writtenBytesIn(parts: readonly unknown[]): number {
  let bytes = 0;
  for (const part of parts) {
    if (!isRecord(part)) continue;
    bytes += textBytes(part["text"]) + textBytes(recordOf(part["executableCode"])["code"]);
    const call = part["functionCall"];
    if (isRecord(call)) bytes += textBytes(call["name"]) + textBytes(argsText(call["args"]));
  }
  return bytes;
}

function argsText(args: unknown): string {
  try {
    return args === undefined ? "" : JSON.stringify(args);
  } catch {
    // Nested too deeply to serialize.
    return "";
  }
}

const textKey = Buffer.from('"text"');
const quote = 0x22;
const colon = 0x3a;
const space = 0x20;

/** The same of an object's bytes that are not parsed: only words are counted. */
export function plainBytesIn(bytes: Buffer, start: number, end: number): number {
  let sum = 0;
  let at = bytes.indexOf(textKey, start);
  while (at >= 0 && at < end) {
    at += textKey.length;
    while (bytes[at] === space || bytes[at] === colon) at += 1;
    // Otherwise it was a value.
    if (bytes[at] === quote) {
      const length = quotedBytes(bytes, at + 1, end);
      sum += length;
      at += length;
    }
    at = bytes.indexOf(textKey, at);
  }
  return sum;
}
