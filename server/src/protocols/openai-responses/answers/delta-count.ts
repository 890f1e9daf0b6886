/**
 * Counts what a stream delivers, for estimates, by its deltas' own bytes: they are found, not parsed. Events
 * of one kind differ by more than their text (OpenAI pads them), so that their length tells nothing.
 */
import type { Delivered } from "../../../domain/money/estimate.ts";

const delta = Buffer.from('"delta"');

/** Beyond this many bytes of text an event is surely more than a token. */
const smallBytesMax = 64;

const quote = 0x22;
const backslash = 0x5c;
const letterU = 0x75;

/** Bytes of the text that begins after the quote at `from`; escapes count as what they stand for, nearly. */
function textBytes(bytes: Buffer, from: number, end: number): number {
  const firstQuote = bytes.indexOf(quote, from);
  const to = firstQuote < 0 || firstQuote > end ? end : firstQuote;
  // Native search where there are no escapes, as in most deltas.
  if (bytes[to - 1] !== backslash && !bytes.subarray(from, to).includes(backslash)) return to - from;
  let count = 0;
  for (let at = from; at < end && bytes[at] !== quote; at += 1) {
    count += 1;
    if (bytes[at] !== backslash) continue;
    at += 1;
    if (bytes[at] !== letterU) continue;
    // Six bytes, or half of a pair of them, for two in UTF-8, give or take one.
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

  /** One event with a delta; its data lies from `dataStart` to `end`. */
  count(bytes: Buffer, dataStart: number, end: number): void {
    const found = bytes.indexOf(delta, dataStart);
    if (found < 0 || found >= end) return;
    let at = found + delta.length;
    while (at < end && bytes[at] !== quote) at += 1;
    this.add(textBytes(bytes, at + 1, end));
  }

  /** Text that came otherwise. */
  add(text: number): void {
    if (text > smallBytesMax) this.#mergedBytes += text;
    else if (text > 0) {
      this.#events += 1;
      this.#bytes += text;
    }
  }
}
