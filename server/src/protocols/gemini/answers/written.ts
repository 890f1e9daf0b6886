/** How much of parts is what the model made: words, names and arguments of calls, sound and images. */
import { textBytes as quotedBytes } from "../../../lib/json/text-bytes.ts";
import { isRecord, type JsonRecord, recordOf } from "../../../lib/record.ts";
import { type ContentSize, sizeOfText } from "../../content-size.ts";

const textBytes = (value: unknown): number => (typeof value === "string" ? Buffer.byteLength(value) : 0);

/**
 * Base64 characters of sound per byte of text: a second of PCM has 64,000 characters and about 20 spoken
 * tokens.
 */
const soundPerByte = 800;

const noData: ContentSize = { contentBytes: 0, images: 0 };

/** The size of a file that the model made. */
function sizeOfData({ mimeType, data }: JsonRecord): ContentSize {
  if (typeof mimeType !== "string" || typeof data !== "string" || data === "") return noData;
  if (/^image\//i.test(mimeType)) return { contentBytes: 0, images: 1 };
  const isSound = /^audio\//i.test(mimeType);
  return isSound ? { contentBytes: Math.ceil(data.length / soundPerByte), images: 0 } : noData;
}

/** The size of parsed parts, which are untrusted. Signatures do not count. */
export function writtenIn(parts: readonly unknown[]): ContentSize {
  let bytes = 0;
  let images = 0;
  for (const part of parts) {
    if (!isRecord(part)) continue;
    for (const size of [sizeOfPartText(part["text"]), sizeOfData(recordOf(part["inlineData"]))]) {
      bytes += size.contentBytes;
      images += size.images;
    }
    bytes += textBytes(recordOf(part["executableCode"])["code"]);
    const call = part["functionCall"];
    if (isRecord(call)) bytes += textBytes(call["name"]) + textBytes(argsText(call["args"]));
  }
  return { contentBytes: bytes, images };
}

const sizeOfPartText = (text: unknown): ContentSize => (typeof text === "string" ? sizeOfText(text) : noData);

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

/** By the byte under the key's last place: how far the key may move on (Horspool's search). */
const shifts = new Uint8Array(256).fill(textKey.length);
for (const [index, byte] of textKey.subarray(0, -1).entries()) shifts[byte] = textKey.length - 1 - index;

/**
 * Where the next `"text"` begins, or -1. Two calls of `Buffer.indexOf` take twice as long as this in an event
 * of 300 bytes, and they read on behind its end.
 */
function findTextKey(bytes: Buffer, start: number, end: number): number {
  const length = textKey.length;
  for (let last = start + length - 1; last < end; last += shifts[bytes[last] as number] as number) {
    let index = length - 1;
    while (index >= 0 && bytes[last - length + 1 + index] === textKey[index]) index -= 1;
    if (index < 0) return last - length + 1;
  }
  return -1;
}

/** The same of an object's bytes that are not parsed: only words are counted. */
export function plainBytesIn(bytes: Buffer, start: number, end: number): number {
  let sum = 0;
  let at = findTextKey(bytes, start, end);
  while (at >= 0) {
    at += textKey.length;
    while (at < end && (bytes[at] === space || bytes[at] === colon)) at += 1;
    // Otherwise it was a value.
    if (at < end && bytes[at] === quote) {
      const length = quotedBytes(bytes, at + 1, end);
      sum += length;
      at += length;
    }
    at = findTextKey(bytes, at, end);
  }
  return sum;
}
