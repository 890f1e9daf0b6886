/**
 * Counts the text of a legacy completions stream for estimates, from the events' bytes without parsing them
 * (docs/wire/openai-completions.md section 4).
 */
import type { Delivered } from "../../domain/money/estimate.ts";
import { afterSpace, afterText } from "../../lib/json/spans.ts";

/** An event with more bytes of text than this surely holds more than one token. */
const smallBytesMax = 64;

const name = Buffer.from('"text"');
const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;
const letterU = 0x75;

/** UTF-8 bytes of a JSON text between its quotes; an escape counts as the bytes it stands for. */
export function textBytes(bytes: Buffer, start: number, end: number): number {
  let at = bytes.indexOf(backslash, start);
  if (at < 0 || at >= end) return end - start;
  let length = at - start;
  while (at < end) {
    if (bytes[at] !== backslash) {
      length += 1;
      at += 1;
    } else if (bytes[at + 1] !== letterU) {
      length += 1;
      at += 2;
    } else {
      const unit = Number.parseInt(bytes.toString("latin1", at + 2, at + 6), 16);
      // Half of a surrogate pair: two halves are one character of four bytes.
      const isHalf = unit >= 0xd800 && unit <= 0xdfff;
      length += unit < 0x80 ? 1 : unit < 0x800 || isHalf ? 2 : 3;
      at += 6;
    }
  }
  return length;
}

/** Bytes of all texts named `text` between `from` and `to`; an event has one per choice. */
export function namedTextBytes(bytes: Buffer, from: number, to: number): number {
  let length = 0;
  let at = bytes.indexOf(name, from);
  while (at >= 0 && at < to) {
    const after = afterSpace(bytes, at + name.length);
    const value = bytes[after] === colon ? afterSpace(bytes, after + 1) : -1;
    let next = at + name.length;
    // An escaped quote before the name belongs to a text; a number as value is a token's probability.
    if (value >= 0 && bytes[at - 1] !== backslash && bytes[value] === quote) {
      next = afterText(bytes, value);
      length += textBytes(bytes, value + 1, Math.min(next, to) - 1);
    }
    at = bytes.indexOf(name, next);
  }
  return length;
}

export class TextCount {
  /** Number of events with little text, and the bytes of their text. */
  #events = 0;
  #bytes = 0;
  /** Bytes of text in events that hold many tokens. */
  #mergedBytes = 0;
  /** Bytes of the echoed prompt still to come; it precedes the output. */
  #echoedLeft: number;

  /** `echoedBytes`: bytes of the prompt that the stream repeats; they are not output. */
  constructor(echoedBytes = 0) {
    this.#echoedLeft = echoedBytes;
  }

  get delivered(): Delivered {
    return { events: this.#events, contentBytes: this.#bytes, mergedBytes: this.#mergedBytes, images: 0 };
  }

  /** Counts an event: `bytes` from `start` to `end`. One without text is not counted as a token. */
  count(bytes: Buffer, start: number, end: number): void {
    const text = namedTextBytes(bytes, start, end);
    const echoed = Math.min(this.#echoedLeft, text);
    this.#echoedLeft -= echoed;
    const written = text - echoed;
    if (written > smallBytesMax) {
      this.#mergedBytes += written;
    } else if (written > 0) {
      this.#events += 1;
      this.#bytes += written;
    }
  }
}
