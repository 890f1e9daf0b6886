/**
 * Reads `text/event-stream` for the relay: finds complete events and which of them need parsing, without
 * decoding text or parsing JSON. Only whole events are cut out, so no character is split. The result does not
 * depend on how the bytes are chunked. Does not know what the events mean.
 */
import { compileMarks, findMarks, type Marks } from "./marks.ts";

/** No data line: a comment, or only `id:`, `retry:` or `event:`. Always the event's only flag. */
export const flagComment = 1 << 24;
/** Several data lines: the buffer has no single payload; use `dataText`. */
export const flagMultiData = 1 << 25;
/** Has an `event:` line; see `eventName`. */
export const flagNamed = 1 << 26;
/** The body ended before the event did. The buffer contains it with the missing line ends added. */
export const flagUnterminated = 1 << 27;

export interface SseReaderOptions {
  /**
   * JSON keys to find (at most 24): bit i of an event's flags is set when its data seems to contain the i-th
   * key, at any depth, with a value other than null. `marks.ts` says what is found.
   */
  readonly marks: readonly string[];
  /** Larger events are refused, complete or not. */
  readonly eventBytesMax: number;
}

export interface SseReaderFactory {
  /** Creates a reader for one body. */
  create(): SseReader;
}

/**
 * The reader of one body. What it reports is valid until the next `push` or `end`. The reader
 * never changes the bytes of `buffer`, but does not own them either: they may be the chunk's.
 *
 * Blank lines between events, and a byte order mark at the start, belong to no event.
 *
 * A blank line that ends in CR at a chunk's end may be half of CRLF. If the line before ended in CRLF, the
 * event waits for the next byte; otherwise (`\r\r`) it is complete at once, and a following line feed belongs
 * to no event.
 */
export interface SseReader {
  /**
   * Adds a chunk. Returns false when an event is too large; earlier events are still reported, and nothing
   * after it.
   */
  push(chunk: Buffer): boolean;
  /** Ends the body. A last event without its blank line counts if it has a data line. */
  end(): void;
  /** What the offsets refer to: the chunk itself, unless bytes were pending before it. */
  readonly buffer: Buffer;
  /** Events completed by the last `push` or `end`. */
  readonly count: number;
  /** Offset of the event's first byte. */
  eventStart(index: number): number;
  /** End of the event (exclusive), including its blank line. */
  eventEnd(index: number): number;
  /** Start of the event's only data line, without `data:` and one space; -1 when it has none or several. */
  dataStart(index: number): number;
  /** End of that payload (exclusive); -1 when there is none. */
  dataEnd(index: number): number;
  /** Bits of the marks found, and the flags above. 0: one data line without marks. */
  flags(index: number): number;
  /** The event's data as text, with lines joined by a line feed. */
  dataText(index: number): string;
  /** The value of the event's last `event:` line. */
  eventName(index: number): string | undefined;
  /** Number of bytes of the incomplete event. */
  readonly pendingBytes: number;
}

/** Prepares the marks once, so that each `create` is cheap. */
export function createSseReaderFactory(options: SseReaderOptions): SseReaderFactory {
  const marks = compileMarks(options.marks);
  return { create: () => new Reader(marks, options.eventBytesMax) };
}

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const COLON = 0x3a;

const EMPTY = Buffer.alloc(0);
const DATA = Buffer.from("data");
const EVENT = Buffer.from("event");
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const MISSING_END = Buffer.from("\n\n");

/** Numbers stored per event: start, end, data start, data end, flags. */
const STRIDE = 5;
/**
 * Line ends within this many bytes are searched byte by byte, then by native search, whose call costs as much
 * as some hundred bytes.
 */
const NEAR = 512;

/**
 * The rest of joined chunks is kept in place when it is at least this fraction of its memory, so that it
 * holds no 64 KiB for a few bytes. The rest of a chunk is always copied: its memory is read into again.
 */
const KEPT_SHARE = 4;
const ROOM_MIN = 512;

class Reader implements SseReader {
  buffer: Buffer = EMPTY;
  count = 0;
  pendingBytes = 0;
  private readonly marks: Marks;
  private readonly eventBytesMax: number;
  private events = new Int32Array(4 * STRIDE);
  /**
   * Its first `pendingBytes` bytes are the incomplete event. Becomes `buffer` when an event is complete. May
   * be the end of an earlier one; then it has no room and is never written to.
   */
  private store: Buffer = EMPTY;
  private isStart = true;
  private isEnd = false;
  private isRefused = false;

  // Scan positions: offsets into the scanned bytes, then into `store`.
  private scanned = 0;
  private lineStart = 0;
  private eventAt = 0;

  // State of the incomplete event.
  private hasLine = false;
  private isNamed = false;
  private dataLines = 0;
  private dataFrom = 0;
  private dataTo = 0;
  /** The last line ended in CRLF. */
  private isCrlf = false;
  /** The last line ended in CR at the end of the bytes; a line feed that follows belongs to it. */
  private mayBeCrlf = false;
  /** The blank line may still get a line feed. */
  private isWaiting = false;

  // Next line ends found by native search in the scanned bytes; -1: not searched.
  private nextLf = -1;
  private nextCr = -1;

  constructor(marks: Marks, eventBytesMax: number) {
    this.marks = marks;
    this.eventBytesMax = eventBytesMax;
  }

  push(chunk: Buffer): boolean {
    this.count = 0;
    if (this.isRefused) return false;
    const pending = this.pendingBytes;
    this.buffer = pending === 0 ? chunk : this.append(chunk);
    this.scan(this.buffer, this.buffer.length);
    this.keep(this.buffer, pending > 0);
    return !this.isRefused;
  }

  end(): void {
    this.isEnd = true;
    if (this.pendingBytes === 0) {
      this.count = 0;
      return;
    }
    const isComplete = this.isWaiting;
    this.push(MISSING_END);
    if (this.count === 0 || isComplete) return;
    if ((this.flags(0) & flagComment) !== 0) this.count = 0;
    else this.events[4] = this.flags(0) | flagUnterminated;
  }

  eventStart(index: number): number {
    return this.events[index * STRIDE] as number;
  }

  eventEnd(index: number): number {
    return this.events[index * STRIDE + 1] as number;
  }

  dataStart(index: number): number {
    return this.events[index * STRIDE + 2] as number;
  }

  dataEnd(index: number): number {
    return this.events[index * STRIDE + 3] as number;
  }

  flags(index: number): number {
    return this.events[index * STRIDE + 4] as number;
  }

  dataText(index: number): string {
    const start = this.dataStart(index);
    if (start >= 0) return this.buffer.toString("utf8", start, this.dataEnd(index));
    return valuesOf("data", this.buffer, this.eventStart(index), this.eventEnd(index)).join("\n");
  }

  eventName(index: number): string | undefined {
    if ((this.flags(index) & flagNamed) === 0) return undefined;
    return valuesOf("event", this.buffer, this.eventStart(index), this.eventEnd(index)).at(-1);
  }

  /**
   * Appends the chunk to the pending bytes. The buffer doubles when full, so a long event is copied only a
   * few times.
   */
  private append(chunk: Buffer): Buffer {
    const end = this.pendingBytes + chunk.length;
    if (end > this.store.length) {
      const grown = Buffer.allocUnsafe(Math.max(end, this.store.length * 2));
      this.store.copy(grown, 0, 0, this.pendingBytes);
      this.store = grown;
    }
    chunk.copy(this.store, this.pendingBytes);
    return this.store.subarray(0, end);
  }

  /** Keeps the incomplete event for the next push, in place only in bytes of the reader's own. */
  private keep(bytes: Buffer, isStore: boolean): void {
    const from = this.eventAt;
    this.pendingBytes = bytes.length - from;
    if (this.pendingBytes > this.eventBytesMax && !this.isEnd) this.isRefused = true;
    if (this.isRefused) this.pendingBytes = 0;
    else if (isStore && from === 0) return;
    if (this.pendingBytes === 0) this.store = EMPTY;
    else if (isStore && this.pendingBytes * KEPT_SHARE >= bytes.buffer.byteLength) {
      this.store = bytes.subarray(from);
    } else {
      // Grows only when more bytes arrive: most events are complete with the next chunk.
      this.store = Buffer.allocUnsafe(Math.max(this.pendingBytes, ROOM_MIN));
      bytes.copy(this.store, 0, from);
    }
    this.eventAt = 0;
    this.scanned -= from;
    this.lineStart -= from;
    this.dataFrom -= from;
    this.dataTo -= from;
  }

  /** Scans line by line to the end of the bytes. */
  private scan(bytes: Buffer, end: number): void {
    if (this.isStart && this.isAwaitingByteOrderMark(bytes, end)) return;
    this.nextLf = -1;
    this.nextCr = -1;
    this.isWaiting = false;
    let at = this.scanned;
    if (this.mayBeCrlf && at < end) {
      this.mayBeCrlf = false;
      this.isCrlf = bytes[at] === LF;
      if (this.isCrlf) this.lineStart = ++at;
    }
    for (;;) {
      at = this.lineEnd(bytes, at, end);
      if (at === end) break;
      const isCr = bytes[at] === CR;
      const isCrlf = isCr && at + 1 < end && bytes[at + 1] === LF;
      if (at > this.lineStart) {
        this.takeLine(bytes, this.lineStart, at);
        this.isCrlf = isCrlf;
        this.mayBeCrlf = isCr && at + 1 === end;
        at += isCrlf ? 2 : 1;
      } else if (this.hasLine) {
        if (isCr && this.isCrlf && at + 1 === end) {
          this.isWaiting = true;
          break;
        }
        at += isCrlf && this.isCrlf ? 2 : 1;
        this.finish(bytes, at);
        if (this.isRefused) break;
      } else this.eventAt = ++at;
      this.lineStart = at;
    }
    this.scanned = at;
  }

  /** At the start of the body: skips a byte order mark. Returns true when the bytes may end inside it. */
  private isAwaitingByteOrderMark(bytes: Buffer, end: number): boolean {
    const length = Math.min(end, BYTE_ORDER_MARK.length);
    if (length === 0) return true;
    const isMark = bytes.compare(BYTE_ORDER_MARK, 0, length, 0, length) === 0;
    if (isMark && length < BYTE_ORDER_MARK.length) return true;
    this.isStart = false;
    if (isMark) {
      this.scanned = length;
      this.lineStart = length;
      this.eventAt = length;
    }
    return false;
  }

  /** The next LF or CR at or after `from`; `end` when there is none. */
  private lineEnd(bytes: Buffer, from: number, end: number): number {
    const nearEnd = Math.min(from + NEAR, end);
    let at = from;
    while (at < nearEnd) {
      at = skipHigh(bytes, at, nearEnd);
      if (at === nearEnd) break;
      if (bytes[at] === LF || bytes[at] === CR) return at;
      at++;
    }
    if (at === end) return end;
    if (this.nextLf < at) this.nextLf = indexOf(bytes, LF, at, end);
    if (this.nextCr < at) this.nextCr = indexOf(bytes, CR, at, end);
    return Math.min(this.nextLf, this.nextCr);
  }

  private takeLine(bytes: Buffer, from: number, to: number): void {
    this.hasLine = true;
    const afterData = fieldEnd(DATA, bytes, from, to);
    if (afterData < 0) {
      if (fieldEnd(EVENT, bytes, from, to) >= 0) this.isNamed = true;
      return;
    }
    this.dataLines++;
    this.dataFrom = afterData < to && bytes[afterData] === SPACE ? afterData + 1 : afterData;
    this.dataTo = to;
  }

  /** The event's blank line ended just before `to`. */
  private finish(bytes: Buffer, to: number): void {
    const from = this.eventAt;
    if (to - from > this.eventBytesMax && !this.isEnd) {
      this.isRefused = true;
      return;
    }
    const isSingle = this.dataLines === 1;
    let flags = flagComment;
    if (this.dataLines > 0) {
      flags = this.isNamed ? flagNamed : 0;
      if (isSingle) flags |= findMarks(this.marks, bytes, this.dataFrom, this.dataTo);
      else {
        const joined = Buffer.from(valuesOf("data", bytes, from, to).join("\n"));
        flags |= flagMultiData | findMarks(this.marks, joined, 0, joined.length);
      }
    }
    let at = this.count * STRIDE;
    if (at === this.events.length) this.grow();
    this.events[at++] = from;
    this.events[at++] = to;
    this.events[at++] = isSingle ? this.dataFrom : -1;
    this.events[at++] = isSingle ? this.dataTo : -1;
    this.events[at] = flags;
    this.count++;
    this.eventAt = to;
    this.hasLine = false;
    this.isNamed = false;
    this.dataLines = 0;
  }

  private grow(): void {
    const grown = new Int32Array(this.events.length * 2);
    grown.set(this.events);
    this.events = grown;
  }
}

/** Skips bytes that cannot be line ends, four per step (three times faster than single bytes). */
function skipHigh(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (
    at + 3 < end &&
    (bytes[at] as number) > CR &&
    (bytes[at + 1] as number) > CR &&
    (bytes[at + 2] as number) > CR &&
    (bytes[at + 3] as number) > CR
  ) {
    at += 4;
  }
  while (at < end && (bytes[at] as number) > CR) at++;
  return at;
}

/**
 * The index after `name` and its colon when the line is that field (a field without a colon is empty);
 * otherwise -1.
 */
function fieldEnd(name: Uint8Array, bytes: Uint8Array, from: number, to: number): number {
  const length = name.length;
  if (to - from < length) return -1;
  for (let i = 0; i < length; i++) if (bytes[from + i] !== name[i]) return -1;
  if (to - from === length) return to;
  return bytes[from + length] === COLON ? from + length + 1 : -1;
}

/** The index of `byte` at or after `from`; `end` when it does not occur. */
function indexOf(bytes: Buffer, byte: number, from: number, end: number): number {
  const at = bytes.indexOf(byte, from);
  return at < 0 ? end : at;
}

/** The slow path: decodes a field's values in one event. */
function valuesOf(name: "data" | "event", bytes: Buffer, from: number, to: number): string[] {
  const values: string[] = [];
  for (const line of bytes.toString("utf8", from, to).split(/\r\n|\n|\r/)) {
    if (line === name) values.push("");
    else if (line.startsWith(`${name}:`)) values.push(line.slice(name.length + 1).replace(/^ /, ""));
  }
  return values;
}
