/**
 * Counts the text that a stream of legacy completions delivers, for estimates, by the bytes
 * of its events: they are not parsed (docs/wire/openai-completions.md section 4). It does
 * not know what becomes of the numbers.
 */
import type { Delivered } from "../../domain/money/estimate.ts";
import { afterSpace, afterText } from "../../lib/json/spans.ts";

/** Beyond this many bytes of text an event is surely more than a token. */
const smallBytesMax = 64;

const name = Buffer.from('"text"');
const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;
const letterU = 0x75;

/** UTF-8 bytes of a JSON text between its quotes: an escape stands for fewer bytes than it takes. */
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
      // Half of a pair: two such are one character of four bytes.
      const isHalf = unit >= 0xd800 && unit <= 0xdfff;
      length += unit < 0x80 ? 1 : unit < 0x800 || isHalf ? 2 : 3;
      at += 6;
    }
  }
  return length;
}

/** Bytes of all texts named `text` from `from` to `to`: an event has one for each of its choices. */
export function namedTextBytes(bytes: Buffer, from: number, to: number): number {
  let length = 0;
  let at = bytes.indexOf(name, from);
  while (at >= 0 && at < to) {
    const after = afterSpace(bytes, at + name.length);
    const value = bytes[after] === colon ? afterSpace(bytes, after + 1) : -1;
    let next = at + name.length;
    // An escaped quote before the name is a text's; a number behind it is a token's probability.
    if (value >= 0 && bytes[at - 1] !== backslash && bytes[value] === quote) {
      next = afterText(bytes, value);
      length += textBytes(bytes, value + 1, Math.min(next, to) - 1);
    }
    at = bytes.indexOf(name, next);
  }
  return length;
}

export class TextCount {
  /** Events with little text, and the bytes of it. */
  #events = 0;
  #bytes = 0;
  /** Text of events that carry many tokens. */
  #mergedBytes = 0;
  /** Of the prompt, which comes first where it is repeated. */
  #echoedLeft: number;

  /** `echoedBytes`: text of the prompt that the stream repeats, which is no output. */
  constructor(echoedBytes = 0) {
    this.#echoedLeft = echoedBytes;
  }

  get delivered(): Delivered {
    return { events: this.#events, contentBytes: this.#bytes, mergedBytes: this.#mergedBytes };
  }

  /** Counts an event: `bytes` from `start` to `end`. One without text is no token. */
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
