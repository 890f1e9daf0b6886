/**
 * Counts a stream's output for estimates, from the bytes of its deltas without parsing them. Event lengths
 * cannot be used, because OpenAI pads events.
 */
import type { Delivered } from "../../../domain/money/estimate.ts";
import { textBytes } from "../../../lib/json/text-bytes.ts";
import { type ContentSize, sizeOfRaw } from "../../content-size.ts";

const delta = Buffer.from('"delta"');

/** An event with more bytes of text than this surely holds more than one token. */
const smallBytesMax = 64;

const quote = 0x22;

export class DeltaCount {
  #events = 0;
  #bytes = 0;
  #mergedBytes = 0;
  #images = 0;

  get delivered(): Delivered {
    return {
      events: this.#events,
      contentBytes: this.#bytes,
      mergedBytes: this.#mergedBytes,
      images: this.#images,
    };
  }

  /** Counts one event with a delta. Its data is from `dataStart` to `end`. */
  count(bytes: Buffer, dataStart: number, end: number): void {
    const found = bytes.indexOf(delta, dataStart);
    if (found < 0 || found >= end) return;
    let at = found + delta.length;
    while (at < end && bytes[at] !== quote) at += 1;
    const text = textBytes(bytes, at + 1, end);
    if (text <= smallBytesMax) this.add(text);
    else this.addContent(sizeOfRaw(bytes, at + 1, end, text));
  }

  /** Adds what did not come in deltas. */
  addContent({ contentBytes, images }: ContentSize): void {
    this.#images += images;
    this.add(contentBytes);
  }

  /** Adds text that did not come in deltas. */
  add(text: number): void {
    if (text > smallBytesMax) this.#mergedBytes += text;
    else if (text > 0) {
      this.#events += 1;
      this.#bytes += text;
    }
  }
}
