/**
 * llhttp in strict mode, in the WebAssembly build that undici ships: one instance for the whole process, some
 * dozen bytes of its memory per connection. Sockets read straight into its memory, so that parsing copies
 * nothing. It decides where messages, heads and bodies begin and end; it does not decide what is served.
 *
 * A call of `execute` ends with the bytes, with a message, or with an error. It only records what it found:
 * nothing is called back while the parser runs, so that an owner may close its connection at any point.
 */
import { type Callbacks, type Engine, headBytesMax, type MessageKind, refusal } from "./engine.ts";
import { fieldsMax, Head } from "./head.ts";

/**
 * Chunk sizes, extensions and trailers may take this much, and this many times the body's bytes: a body of
 * one-byte chunks has five bytes of framing for each.
 */
const framingBytesFree = 16 * 1024;
const framingPerByte = 8;
/** What a long body saves up for later framing. */
const framingCreditMax = 1024 * 1024 * 1024;

const codePaused = 21;
/** What a callback returns to stop the parser for a reason of ours. */
const codeRefused = 24;

/** The span that was reported last: a span cut by the end of a read is reported in parts. */
const noSpan = 0;
const targetSpan = 1;
const fieldSpan = 2;
const valueSpan = 3;

/** Reads the messages of one connection. The `on` methods are llhttp's, all others the owner's. */
export class MessageParser implements Callbacks {
  readonly #engine: Engine;
  /** llhttp's struct; 0 once released. */
  #at: number;
  /** True between a head and the end of its message. */
  isInBody = false;
  #isPaused = false;
  #framingBytes = 0;
  /** The head's own copy, when it did not come in one read; with how many of its bytes. */
  #slow: Head | undefined;
  /** Why the connection cannot go on; `refusal` or llhttp's number. */
  error: number = refusal.none;
  /** Set by the owner before an answer's head: an answer to HEAD has no body, whatever it says. */
  skipsBody = false;
  /** True when fields came after the body; they are dropped. */
  hasTrailers = false;
  /** The head of the current message; with `hasHead`, complete. */
  head: Head;
  #slowBytes = 0;
  /** What to add to an address of llhttp's to get an offset into `head.source`. */
  #shift = 0;
  /** The offset where this message's head starts. */
  #origin = 0;
  #span = noSpan;
  #spanEnd = 0;
  readonly #released: () => void;

  constructor(engine: Engine, kind: MessageKind, released: () => void) {
    this.#engine = engine;
    this.#released = released;
    this.#at = engine.exports.llhttp_alloc(kind);
    this.head = engine.shared;
  }

  /** True when the last call of `execute` completed a head. */
  get hasHead(): boolean {
    return this.#engine.found.hasHead;
  }

  /** True when it ended with the end of a message. */
  get isComplete(): boolean {
    return this.#engine.found.isComplete;
  }

  /** The body bytes it found, in the area, moved together if they came in several chunks. */
  get bodyStart(): number {
    return this.#engine.found.bodyStart;
  }

  get bodyEnd(): number {
    return this.#engine.found.bodyEnd;
  }

  /** Where in the area the next message starts, or the end of the bytes. */
  get consumed(): number {
    return this.#engine.found.consumed;
  }

  /** True while a head has begun and is not complete. */
  get isInHead(): boolean {
    return this.#slow !== undefined && !this.hasHead;
  }

  /**
   * Bytes kept of a head that came in several reads, before the current one: the beginning of `head.source`,
   * until the next call of `execute`.
   */
  get keptHeadBytes(): number {
    return this.#slowBytes;
  }

  /**
   * What the last call read, as it was, if it found a head and then moved pieces of the body together.
   * Undefined: the area is unchanged.
   */
  readBefore: Buffer | undefined = undefined;
  #readStart = 0;
  #readEnd = 0;

  /**
   * Reads the bytes of the area from `start`, up to the end of the message. False: see `error`; a head and
   * body bytes before the error have been found all the same.
   */
  execute(start: number, end: number): boolean {
    const { exports, running, areaAt, found } = this.#engine;
    this.#clear();
    this.#readStart = start;
    this.#readEnd = end;
    if (!this.isInBody) this.#beginHead(start);
    if (this.#isPaused) {
      this.#isPaused = false;
      exports.llhttp_resume(this.#at);
    }
    running.parser = this;
    const code = exports.llhttp_execute(this.#at, areaAt + start, end - start);
    running.parser = undefined;
    if (code === 0) {
      found.consumed = end;
    } else if (code === codePaused && this.isComplete) {
      this.#isPaused = true;
      found.consumed = exports.llhttp_get_error_pos(this.#at) - areaAt;
    } else {
      if (this.error === refusal.none) this.error = code;
      if (this.hasHead && this.#slow !== undefined) this.#completeSlow(start, end);
      return false;
    }
    if (!this.hasHead && !this.isInBody && !this.isComplete) return this.#keepHead(start, end);
    if (this.hasHead && this.#slow !== undefined) this.#completeSlow(start, end);
    return this.#isFramingBounded(start);
  }

  /**
   * The other end has sent everything. False when a message is incomplete. Completes a body that ends with
   * the connection (`isComplete`).
   */
  finish(): boolean {
    const { exports, running } = this.#engine;
    this.#clear();
    if (this.isInHead) return false;
    if (this.#isPaused) return true;
    running.parser = this;
    const code = exports.llhttp_finish(this.#at);
    running.parser = undefined;
    return code === 0 || this.isComplete;
  }

  #clear(): void {
    const { found } = this.#engine;
    if (this.readBefore !== undefined) this.readBefore = undefined;
    found.hasHead = false;
    found.isComplete = false;
    found.bodyStart = 0;
    found.bodyEnd = 0;
  }

  /** Gives the memory back; the parser must not be used afterwards. */
  release(): void {
    if (this.#at === 0) return;
    this.#engine.exports.llhttp_free(this.#at);
    this.#at = 0;
    this.#slow = undefined;
    this.#released();
  }

  #beginHead(start: number): void {
    const { areaAt, shared } = this.#engine;
    if (this.#slow === undefined) {
      shared.clear();
      this.head = shared;
      this.#origin = start;
      this.#shift = -areaAt;
      this.#span = noSpan;
      this.#framingBytes = 0;
      this.hasTrailers = false;
    } else {
      this.head = this.#slow;
      this.#origin = 0;
      this.#shift = this.#slowBytes - start - areaAt;
    }
  }

  /** Copies what there is of a head whose rest comes with the next read. */
  #keepHead(start: number, end: number): boolean {
    const { area } = this.#engine;
    const bytes = end - start;
    if (this.#slowBytes + bytes > headBytesMax) {
      this.error = refusal.headTooLarge;
      return false;
    }
    if (this.#slow === undefined) {
      // Only empty lines so far, which may come before a request: nothing has begun.
      if (this.#span === noSpan && isLineEnd(area, start, end)) return true;
      const slow = new Head(Buffer.allocUnsafeSlow(headBytesMax));
      const { shared } = this.#engine;
      for (let index = 0; index < shared.count * 4; index++) {
        slow.spans[index] = (shared.spans[index] as number) - start;
      }
      slow.count = shared.count;
      slow.targetStart = shared.targetStart - start;
      slow.targetEnd = shared.targetEnd - start;
      this.#spanEnd -= start;
      this.#slow = slow;
      this.head = slow;
    }
    area.copy(this.#slow.source, this.#slowBytes, start, end);
    this.#slowBytes += bytes;
    return true;
  }

  /** Adds the last part of a kept head, which its offsets already point into. */
  #completeSlow(start: number, end: number): void {
    const room = headBytesMax - this.#slowBytes;
    this.#engine.area.copy(this.head.source, this.#slowBytes, start, Math.min(end, start + room));
    this.#slow = undefined;
    this.#slowBytes = 0;
  }

  /** In the read with the head, it begins behind the last field. */
  #isFramingBounded(readStart: number): boolean {
    const start = this.hasHead ? this.#spanEnd - this.#shift - this.#engine.areaAt : readStart;
    const bodyBytes = this.bodyEnd - this.bodyStart;
    const framingBytes = this.#framingBytes + this.consumed - start - bodyBytes * (1 + framingPerByte);
    this.#framingBytes = Math.max(framingBytes, -framingCreditMax);
    if (this.#framingBytes <= framingBytesFree) return true;
    this.error = refusal.framingTooLarge;
    return false;
  }

  onTarget(at: number, length: number): number {
    const start = at + this.#shift;
    const { head } = this;
    if (this.#span !== targetSpan) head.targetStart = start;
    head.targetEnd = start + length;
    return this.#took(targetSpan, start + length);
  }

  onField(at: number, length: number): number {
    if (this.isInBody) {
      this.hasTrailers = true;
      return 0;
    }
    const start = at + this.#shift;
    const end = start + length;
    const { head } = this;
    const isContinued = this.#span === fieldSpan && start === this.#spanEnd;
    if (!isContinued) {
      if (head.count === fieldsMax) return this.#refuse(refusal.headTooLarge);
      head.spans[head.count * 4] = start;
      head.count++;
    }
    const last = (head.count - 1) * 4;
    head.spans[last + 1] = end;
    head.spans[last + 2] = end;
    head.spans[last + 3] = end;
    return this.#took(fieldSpan, end);
  }

  onValue(at: number, length: number): number {
    if (this.isInBody) return 0;
    const start = at + this.#shift;
    const { spans, count } = this.head;
    const last = (count - 1) * 4;
    if (this.#span !== valueSpan) spans[last + 2] = start;
    // A value continues at another offset only when folded into a second line, which RFC 9112 5.2 forbids.
    else if (start !== this.#spanEnd) return this.#refuse(refusal.folded);
    spans[last + 3] = start + length;
    return this.#took(valueSpan, start + length);
  }

  onHead(status: number, isUpgrade: boolean, keepsAlive: boolean): number {
    const { exports } = this.#engine;
    const { head } = this;
    head.status = status;
    head.isUpgrade = isUpgrade;
    head.keepsAlive = keepsAlive;
    head.major = exports.llhttp_get_http_major(this.#at);
    head.minor = exports.llhttp_get_http_minor(this.#at);
    if (status === 0) head.method = exports.llhttp_get_method(this.#at);
    this.#engine.found.hasHead = true;
    this.isInBody = true;
    return this.skipsBody ? 1 : 0;
  }

  onBody(at: number, length: number): number {
    const { areaAt, area, found } = this.#engine;
    const start = at - areaAt;
    if (found.bodyStart === found.bodyEnd) found.bodyStart = found.bodyEnd = start;
    // What lies between two chunks has been read: the next chunk takes its place.
    else if (start !== found.bodyEnd) {
      if (found.hasHead && this.readBefore === undefined)
        this.readBefore = Buffer.from(area.subarray(this.#readStart, this.#readEnd));
      area.copyWithin(found.bodyEnd, start, start + length);
    }
    found.bodyEnd += length;
    return 0;
  }

  onComplete(): number {
    this.#engine.found.isComplete = true;
    this.isInBody = false;
    return codePaused;
  }

  #took(span: number, end: number): number {
    this.#span = span;
    this.#spanEnd = end;
    return end - this.#origin > headBytesMax ? this.#refuse(refusal.headTooLarge) : 0;
  }

  #refuse(error: number): number {
    this.error = error;
    return codeRefused;
  }
}

function isLineEnd(area: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    if (area[at] !== 0x0d && area[at] !== 0x0a) return false;
  }
  return true;
}
