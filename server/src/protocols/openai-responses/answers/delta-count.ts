/**
 * Counts a stream's output for estimates, from the bytes of its deltas without parsing them. Event lengths
 * cannot be used, because OpenAI pads events.
 */
import type { Delivered } from "../../../domain/money/estimate.ts";

const delta = Buffer.from('"delta"');

/** An event with more bytes of text than this surely holds more than one token. */
const smallBytesMax = 64;

const quote = 0x22;
const backslash = 0x5c;
const letterU = 0x75;

/** Bytes of the text after the quote at `from`. Escapes count roughly as the bytes they stand for. */
function textBytes(bytes: Buffer, from: number, end: number): number {
  const firstQuote = bytes.indexOf(quote, from);
  const to = firstQuote < 0 || firstQuote > end ? end : firstQuote;
  // A native search for text without escapes, as most deltas are.
  if (bytes[to - 1] !== backslash && !bytes.subarray(from, to).includes(backslash)) return to - from;
  let count = 0;
  for (let at = from; at < end && bytes[at] !== quote; at += 1) {
    count += 1;
    if (bytes[at] !== backslash) continue;
    at += 1;
    if (bytes[at] !== letterU) continue;
    // A `\\u` escape has six bytes (a surrogate pair twelve) and counts as two, which is right to within one
    // byte of UTF-8.
    at += 4;
    count += 1;
  }
  return count;
}

export class DeltaCount {
  #events = 0;
  #bytes = 0;
  #mergedBytes = 0;

  get delivered(): Delivered {
    return { events: this.#events, contentBytes: this.#bytes, mergedBytes: this.#mergedBytes };
  }

  /** Counts one event with a delta. Its data is from `dataStart` to `end`. */
  count(bytes: Buffer, dataStart: number, end: number): void {
    const found = bytes.indexOf(delta, dataStart);
    if (found < 0 || found >= end) return;
    let at = found + delta.length;
    while (at < end && bytes[at] !== quote) at += 1;
    this.add(textBytes(bytes, at + 1, end));
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
