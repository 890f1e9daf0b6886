/**
 * Counts what a stream delivers, for estimates, without reading every event: events of one shape differ
 * in length by their text alone, so one of each shape is parsed and the others are measured. It does
 * not know what becomes of the numbers.
 */
import type { Delivered } from "../../../domain/money/estimate.ts";
import { parseJson, recordOf } from "../../../lib/record.ts";
import { escapeExcess, flatTextBytes } from "./flat-text.ts";
import { writtenBytesIn, writtenIn } from "./written-text.ts";

/** Up to here escapes among the text do not matter, unless this upstream escapes all that is not ASCII. */
const plainBytesMax = 12;
const escapeBytes = 6;
/** Beyond this many bytes of text an event is surely more than a token. */
const smallBytesMax = 64;
/**
 * From here on an event is measured exactly, by its text's own bytes or, where
 * these are not found at once, parsed.
 */
const largeBytesMin = 4_096;
/** An upstream with more shapes than this is parsed event by event. */
const shapesMax = 16;

const delta = Buffer.from('"delta"');
/** From there on the first name in a delta tells what it carries. */
const shapeFrom = delta.length + 1;

const backslash = 0x5c;

interface Shape {
  readonly start: number;
  readonly more: number;
  /** Bytes of an event around its text. */
  envelope: number;
  /** Has it ever been read with a text in it? */
  hasText: boolean;
}

/** The texts of a chunk's deltas. */
const deltasOf = (chunk: unknown): unknown[] => {
  const { choices } = recordOf(chunk);
  return Array.isArray(choices) ? choices.map((choice) => recordOf(choice)["delta"]) : [];
};

export class OutputCount {
  /** Events with little text, and the bytes of it. */
  #events = 0;
  #bytes = 0;
  /** Text of events that carry many tokens. */
  #mergedBytes = 0;
  #isEscaped = false;
  /** Where an event has its delta, from the event's start; -1 = not known yet. */
  #deltaAt = -1;
  readonly #shapes: Shape[] = [];
  /** The one found last, which is nearly always the next one's. */
  #lastShape: Shape | undefined = undefined;

  get delivered(): Delivered {
    return { events: this.#events, contentBytes: this.#bytes, mergedBytes: this.#mergedBytes };
  }

  /** One event: `bytes` from `start` to `end`; its data begins at `dataStart`. */
  countPlain(bytes: Buffer, start: number, end: number, dataStart: number): void {
    const at = start + this.#deltaAt + shapeFrom;
    if (this.#deltaAt < 0 || at + 8 > end) {
      this.#learn(bytes, start, end, dataStart);
      return;
    }
    const first = bytes.readInt32LE(at);
    const more = bytes.readInt32LE(at + 4);
    const shape = this.#find(first, more);
    const raw = shape === undefined ? -1 : end - start - shape.envelope;
    if (shape === undefined || raw < 0 || (raw === 0 && shape.hasText)) {
      this.#learn(bytes, start, end, dataStart);
    } else if (raw >= largeBytesMin) {
      // There is nothing to learn from one whose shape is known, and to read it whole
      // leaves twice its size on the heap.
      const text = at + raw < end ? flatTextBytes(bytes, at, raw) : -1;
      if (text >= 0) this.#add(text);
      else this.countParsed(parseJson(bytes.toString("utf8", dataStart, end)));
    } else {
      const isLong = raw > plainBytesMax || (this.#isEscaped && raw >= escapeBytes);
      this.#add(isLong ? raw - escapesIn(bytes, at, end) : raw);
    }
  }

  /** An event that was parsed anyhow. */
  countParsed(chunk: unknown): void {
    this.#add(writtenBytesIn(deltasOf(chunk)));
  }

  /** An event without text is no token. */
  #add(text: number): void {
    if (text > smallBytesMax) {
      this.#mergedBytes += text;
    } else if (text > 0) {
      this.#events += 1;
      this.#bytes += text;
    }
  }

  #find(start: number, more: number): Shape | undefined {
    const last = this.#lastShape;
    if (last !== undefined && last.start === start && last.more === more) return last;
    for (let index = 0; index < this.#shapes.length; index += 1) {
      const shape = this.#shapes[index] as Shape;
      if (shape.start === start && shape.more === more) {
        this.#lastShape = shape;
        return shape;
      }
    }
    return undefined;
  }

  /** Reads an event and remembers how much of it was not text. */
  #learn(bytes: Buffer, start: number, end: number, dataStart: number): void {
    const chunk = parseJson(bytes.toString("utf8", dataStart, end));
    this.countParsed(chunk);
    this.remember(chunk, bytes, start, end);
  }

  /** Remembers the shape of an event whose chunk is known. */
  remember(chunk: unknown, bytes: Buffer, start: number, end: number): void {
    const deltas = deltasOf(chunk);
    const found = bytes.indexOf(delta, start);
    if (found < 0 || found >= end) return;
    // The last to be read decides: a new length of what stands before the delta
    // makes the shapes of the old one unknown.
    this.#deltaAt = found - start;
    const at = found + shapeFrom;
    if (at + 8 > end) return;
    const { raw, rawEscaped } = writtenIn(deltas);
    const isEscaped = raw !== rawEscaped && !hasHighByte(bytes, at, end);
    this.#isEscaped ||= isEscaped;
    const length = isEscaped ? rawEscaped : raw;
    const envelope = end - start - length;
    const [first, more] = [bytes.readInt32LE(at), bytes.readInt32LE(at + 4)];
    const known = this.#find(first, more);
    if (known !== undefined) {
      known.envelope = Math.min(known.envelope, envelope);
      known.hasText ||= length > 0;
    } else if (this.#shapes.length < shapesMax) {
      this.#shapes.push({ start: first, more, envelope, hasText: length > 0 });
    }
  }
}

function hasHighByte(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if ((bytes[at] as number) >= 0x80) return true;
  return false;
}

/** How many bytes the escapes in there have more than what they stand for. */
function escapesIn(bytes: Buffer, start: number, end: number): number {
  let more = 0;
  let at = start;
  while (at < end) {
    if (bytes[at] !== backslash) {
      at += 1;
      continue;
    }
    more += escapeExcess(bytes, at);
    at += 2;
  }
  return more;
}
