/** Counts the model's output in an answer, in bytes of text. The input is from an upstream and untrusted. */

import { type ContentSize, sizeOfText } from "../../content-size.ts";

/** Members whose texts are names, audio or images, not output text. */
const unwritten: ReadonlySet<string> = new Set([
  "role",
  "type",
  "id",
  "data",
  "url",
  "format",
  "signature",
  "encrypted_content",
  "thought_signature",
]);

/**
 * Base64 characters of audio per byte of text: a second of PCM has 64,000 characters and about 20 spoken
 * tokens.
 */
const soundPerByte = 800;

/**
 * The size of texts, and how many images stand beside them. `raw`: in JSON without quotes; `rawEscaped`: with
 * everything outside ASCII escaped.
 */
export interface WrittenText {
  readonly bytes: number;
  readonly images: number;
  readonly raw: number;
  readonly rawEscaped: number;
}

interface Texts {
  readonly texts: readonly string[];
  readonly soundBytes: number;
  readonly images: number;
}

/**
 * Every text in a value, at any depth and including tool calls; the value of its audio in bytes of text; and
 * its images.
 */
function textsIn(value: unknown): Texts {
  const texts: string[] = [];
  let soundBytes = 0;
  let images = 0;
  // A work list instead of recursion, because the upstream decides the depth.
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === "string") {
      texts.push(next);
    } else if (typeof next === "object" && next !== null) {
      // For arrays the names are indices.
      for (const [name, part] of Object.entries(next)) {
        if (imageNames.has(name)) {
          images += imagesIn(part);
          continue;
        }
        if (isWritten(name)) waiting.push(part);
        if (name === "audio") soundBytes += soundIn(part);
      }
    }
  }
  return { texts, soundBytes, images };
}

/** Beside the text, and as a part of it. */
const imageNames: ReadonlySet<string> = new Set(["images", "image_url"]);

function imagesIn(value: unknown): number {
  if (Array.isArray(value)) return value.filter((one) => one !== null && one !== "").length;
  return value === null || value === "" ? 0 : 1;
}

/** True when a member of this name can be output text. */
export const isWritten = (name: string): boolean => !unwritten.has(name);

/** The size of every text in a value, without copying any. */
export function sizeOfWritten(value: unknown): ContentSize {
  const { texts, soundBytes, images: beside } = textsIn(value);
  let contentBytes = soundBytes;
  let images = beside;
  for (const text of texts) {
    const size = sizeOfText(text);
    contentBytes += size.contentBytes;
    images += size.images;
  }
  return { contentBytes, images };
}

/** The same, plus the texts' length in JSON, for which each one is serialized. */
export function writtenIn(value: unknown): WrittenText {
  const { texts, soundBytes, images } = textsIn(value);
  let bytes = soundBytes;
  let raw = 0;
  let rawEscaped = 0;
  for (const text of texts) {
    bytes += Buffer.byteLength(text);
    const written = JSON.stringify(text);
    const length = Buffer.byteLength(written);
    raw += length - 2;
    rawEscaped += length === written.length ? length - 2 : escapedLength(written);
  }
  return { bytes, images, raw, rawEscaped };
}

/** Length of a JSON text without its quotes, with six characters for each unit outside ASCII. */
function escapedLength(written: string): number {
  let length = -2;
  for (let at = 0; at < written.length; at += 1) length += written.charCodeAt(at) < 0x80 ? 1 : 6;
  return length;
}

function soundIn(part: unknown): number {
  const { data } = (typeof part === "object" && part !== null ? part : {}) as { data?: unknown };
  return typeof data === "string" ? Math.ceil(data.length / soundPerByte) : 0;
}
