/**
 * Parses streamed HTTP responses from bytes split anywhere: headers, chunked framing, SSE events. Strict, so
 * that a broken gateway fails the run.
 */

/** Kind of an SSE event in a chat stream. */
export type EventKind = "content" | "done" | "error" | "other";

/** Callbacks of the reader. */
export interface ReplyHandlers {
  event(kind: EventKind): void;
  /** The response ended correctly; the next one may follow on the same connection. */
  end(isKeptAlive: boolean): void;
}

const headBytesMax = 32 * 1024;
const eventBytesMax = 64 * 1024;
const noBytes: Buffer = Buffer.alloc(0);
const lineFeed = 0x0a;
const contentMarker = '"delta":{"content":"';
const quote = 0x22;

/** Classifies one event, given without its closing blank line. */
function classifyEvent(bytes: Buffer, start: number, end: number): EventKind {
  const marker = bytes.indexOf(contentMarker, start, "latin1");
  const after = marker + contentMarker.length;
  if (marker >= 0 && after < end && bytes[after] !== quote) return "content";
  return classifyText(bytes.toString("latin1", start, end));
}

/** The same for events that a gateway wrote anew: fields in another order, spaces between them. */
function classifyText(event: string): EventKind {
  if (event.startsWith("event: error")) return "error";
  const data = /^data: ?(.*)$/m.exec(event)?.[1];
  if (data === undefined) return "other";
  if (data.startsWith("[DONE]")) return "done";
  if (/^\{\s*"error"/.test(data)) return "error";
  return /"delta"\s*:\s*\{[^{}]*"content"\s*:\s*"[^"]/.test(data) ? "content" : "other";
}

type Phase = "head" | "size" | "body" | "bodyEnd" | "trailer";

/** Reads the responses of one connection, one at a time. */
export class ReplyReader {
  readonly #handlers: ReplyHandlers;
  #phase: Phase = "head";
  /** Incomplete headers, size line or trailer line. */
  #line: Buffer = noBytes;
  /** Incomplete event. */
  #event: Buffer = noBytes;
  #chunkLeft = 0;
  #isKeptAlive = true;

  constructor(handlers: ReplyHandlers) {
    this.#handlers = handlers;
  }

  /**
   * Parses the next bytes, without keeping a reference. Throws unless they are a well-framed 200 response
   * with a chunked body.
   */
  feed(bytes: Buffer): void {
    let at = 0;
    while (at < bytes.length) {
      if (this.#phase === "body") at = this.#readBody(bytes, at);
      else if (this.#phase === "head") at = this.#readHead(bytes, at);
      else at = this.#readLine(bytes, at);
    }
  }

  #readHead(bytes: Buffer, at: number): number {
    const before = this.#line.length;
    const head = Buffer.concat([this.#line, bytes.subarray(at)]);
    const end = head.indexOf("\r\n\r\n", 0, "latin1");
    if (end < 0) {
      if (head.length > headBytesMax) throw new Error("response head too long");
      this.#line = head;
      return bytes.length;
    }
    const text = head.toString("latin1", 0, end + 2);
    if (!text.startsWith("HTTP/1.1 200 ") || !/\r\ntransfer-encoding: *chunked\r\n/i.test(text)) {
      throw new Error(`not a streamed 200: ${head.toString("utf8", 0, 2000)}`);
    }
    this.#isKeptAlive = !/\r\nconnection: *close\r\n/i.test(text);
    this.#line = noBytes;
    this.#phase = "size";
    return at + end + 4 - before;
  }

  /** Reads a size line, the line end after a chunk, or a trailer line. */
  #readLine(bytes: Buffer, at: number): number {
    const end = bytes.indexOf(lineFeed, at);
    const stop = end < 0 ? bytes.length : end;
    const part = bytes.subarray(at, stop);
    const line = this.#line.length === 0 ? part : Buffer.concat([this.#line, part]);
    if (line.length > 1024) throw new Error("line too long in chunked framing");
    if (end < 0) {
      this.#line = Buffer.from(line);
      return bytes.length;
    }
    this.#line = noBytes;
    this.#takeLine(line.toString("latin1").replace(/\r$/, ""));
    return end + 1;
  }

  #takeLine(line: string): void {
    if (this.#phase === "size") {
      const digits = /^[0-9a-f]{1,8}/i.exec(line)?.[0];
      if (digits === undefined) throw new Error(`not a chunk size: ${JSON.stringify(line)}`);
      this.#chunkLeft = Number.parseInt(digits, 16);
      this.#phase = this.#chunkLeft === 0 ? "trailer" : "body";
    } else if (this.#phase === "bodyEnd") {
      if (line !== "") throw new Error("chunk longer than its size");
      this.#phase = "size";
    } else if (line === "") {
      if (this.#event.length > 0) throw new Error("body ended inside an event");
      this.#phase = "head";
      this.#handlers.end(this.#isKeptAlive);
    }
  }

  #readBody(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.length, at + this.#chunkLeft);
    this.#chunkLeft -= end - at;
    if (this.#chunkLeft === 0) this.#phase = "bodyEnd";
    if (this.#event.length === 0) this.#readEvents(bytes, at, end);
    else {
      const joined = Buffer.concat([this.#event, bytes.subarray(at, end)]);
      this.#event = noBytes;
      this.#readEvents(joined, 0, joined.length);
    }
    return end;
  }

  #readEvents(bytes: Buffer, from: number, to: number): void {
    let start = from;
    for (;;) {
      let blank = 2;
      let end = bytes.indexOf("\n\n", start, "latin1");
      if (end < 0 || end + blank > to) {
        blank = 4;
        end = bytes.indexOf("\r\n\r\n", start, "latin1");
      }
      if (end < 0 || end + blank > to) break;
      this.#handlers.event(classifyEvent(bytes, start, end));
      start = end + blank;
    }
    if (start === to) return;
    if (to - start > eventBytesMax) throw new Error("event too long");
    this.#event = Buffer.from(bytes.subarray(start, to));
  }
}
