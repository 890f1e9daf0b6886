/**
 * How much of an answer's content is text and how much of it is images, for estimates. A model may write an
 * image into its text, as a data URL in Markdown, and Plaza does so for callers whose format has no image:
 * its base64 is no text. What is read is from an upstream and untrusted.
 */
import type { Delivered } from "../domain/money/estimate.ts";

/** `contentBytes`: of text, in UTF-8. `images`: how many the model made. */
export type ContentSize = Pick<Delivered, "contentBytes" | "images">;

export const noContent: ContentSize = { contentBytes: 0, images: 0 };

/** No image is as small as this with its address. */
const smallBytesMax = 128;
/** In bytes that are not parsed, images are looked for from this size on: each search takes time. */
const largeBytesMin = 4_096;
const addressEnd = ";base64,";
const imageAddress = /data:image\/[\w.+-]{1,60}(?:;[\w=.+-]{1,60}){0,4};base64,[\w+/=-]*/gi;

/** Bytes of a text without the images written into it, and their number. */
export function sizeOfText(text: string): ContentSize {
  const bytes = Buffer.byteLength(text);
  if (bytes < smallBytesMax || !text.includes(addressEnd)) return { contentBytes: bytes, images: 0 };
  let imageBytes = 0;
  let images = 0;
  for (const [address] of text.matchAll(imageAddress)) {
    imageBytes += address.length;
    images += 1;
  }
  return { contentBytes: bytes - imageBytes, images };
}

/**
 * The same of a text that lies in the bytes of JSON, from `start`, with at most a little after it up to
 * `end`. `textBytes`: how long it is; an image is looked for only in a large one.
 */
export function sizeOfRaw(bytes: Buffer, start: number, end: number, textBytes: number): ContentSize {
  const found = textBytes < largeBytesMin ? -1 : bytes.indexOf(addressEnd, start);
  if (found < 0 || found >= end) return { contentBytes: textBytes, images: 0 };
  return sizeOfText(bytes.toString("utf8", start, end));
}
