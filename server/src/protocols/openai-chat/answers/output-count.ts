/**
 * Counts a stream's output for estimates without parsing every event. Events of one shape differ in length
 * only by their text, so one of each shape is parsed and the others are measured.
 */
import type { Delivered } from "../../../domain/money/estimate.ts";
import { parseJson, recordOf } from "../../../lib/record.ts";
import { type ContentSize, sizeOfRaw } from "../../content-size.ts";
import { escapeExcess, flatTextBytes } from "./flat-text.ts";
import { sizeOfWritten, writtenIn } from "./written-text.ts";

/** Up to this length escapes do not matter, unless the upstream escapes everything that is not ASCII. */
const plainBytesMax = 12;
const escapeBytes = 6;
/** An event with more bytes of text than this surely holds more than one token. */
const smallBytesMax = 64;
/**
 * From this size on an event is measured exactly: by its text's bytes, or by parsing if they are not found at
 * once.
 */
const largeBytesMin = 4_096;
/** If an upstream has more shapes, its events are parsed. */
const shapesMax = 16;

const delta = Buffer.from('"delta"');
/** From this offset on, the first name in a delta tells its shape. */
const shapeFrom = delta.length + 1;

const backslash = 0x5c;

interface Shape {
  readonly start: number;
  readonly more: number;
  /** Bytes of an event other than its text. */
  envelope: number;
  /** True once an event of this shape had text. */
  hasText: boolean;
}

/** The texts of a chunk's deltas. */
const deltasOf = (chunk: unknown): unknown[] => {
  const { choices } = recordOf(chunk);
  return Array.isArray(choices) ? choices.map((choice) => recordOf(choice)["delta"]) : [];
};

export class OutputCount {
  /** Number of events with little text, and the bytes of their text. */
  #events = 0;
  #bytes = 0;
  /** Bytes of text in events that hold many tokens. */
  #mergedBytes = 0;
  #images = 0;
  #isEscaped = false;
  /** Offset of the delta in an event; -1 = not known yet. */
  #deltaAt = -1;
  readonly #shapes: Shape[] = [];
  /** The shape found last, which is nearly always the next one's too. */
  #lastShape: Shape | undefined = undefined;

  get delivered(): Delivered {
    return {
      events: this.#events,
      contentBytes: this.#bytes,
      mergedBytes: this.#mergedBytes,
      images: this.#images,
    };
  }

  /** Counts one event: `bytes` from `start` to `end`. Its data begins at `dataStart`. */
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
      // The shape is known, and parsing the event would leave twice its size on the heap.
      const text = at + raw < end ? flatTextBytes(bytes, at, raw) : -1;
      if (text >= 0) this.#addContent(sizeOfRaw(bytes, at, end, text));
      else this.countParsed(parseJson(bytes.toString("utf8", dataStart, end)));
    } else {
      const isLong = raw > plainBytesMax || (this.#isEscaped && raw >= escapeBytes);
      this.#add(isLong ? raw - escapesIn(bytes, at, end) : raw);
    }
  }

  /** Counts an event that was parsed for another reason. */
  countParsed(chunk: unknown): void {
    this.#addContent(sizeOfWritten(deltasOf(chunk)));
  }

  #addContent({ contentBytes, images }: ContentSize): void {
    this.#images += images;
    this.#add(contentBytes);
  }

  /** An event without text is not counted as a token. */
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

  /** Parses an event and remembers how much of it is not text. */
  #learn(bytes: Buffer, start: number, end: number, dataStart: number): void {
    const chunk = parseJson(bytes.toString("utf8", dataStart, end));
    this.countParsed(chunk);
    this.remember(chunk, bytes, start, end);
  }

  /** Remembers the shape of an event that was parsed. */
  remember(chunk: unknown, bytes: Buffer, start: number, end: number): void {
    const deltas = deltasOf(chunk);
    const found = bytes.indexOf(delta, start);
    if (found < 0 || found >= end) return;
    // The latest event decides: if the bytes before the delta change in length, the old shapes are discarded.
    this.#deltaAt = found - start;
    const at = found + shapeFrom;
    if (at + 8 > end) return;
    const { raw, rawEscaped, images } = writtenIn(deltas);
    // The next image may be as long as this one.
    if (images > 0) return;
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

/** Bytes by which the escapes in this range are longer than what they stand for. */
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
