/**
 * One connection of a caller: requests read one after the other, each handed to the application with what the
 * read brought of its body, answers written. Requests sent ahead wait until the answer before them has ended.
 * Decides when the connection ends; does not know what is served.
 */
import type { Socket } from "node:net";
import { areaBytes, headBytesMax, messageKind, refusal } from "../../server/src/transport/llhttp/engine.ts";
import type { Head } from "../../server/src/transport/llhttp/head.ts";
import type { Llhttp } from "../../server/src/transport/llhttp/llhttp.ts";
import type { MessageParser } from "../../server/src/transport/llhttp/parser.ts";
import { AreaWriter, adopt } from "../../server/src/transport/sockets/area.ts";
import { type Deadlines, never, Timed } from "../../server/src/transport/sockets/deadlines.ts";
import type { DirectWriter } from "../../server/src/transport/sockets/direct.ts";

/** Requests sent ahead are kept up to this size; then the connection is not read until their turn. */
const aheadBytesMax = 64 * 1024;

/** Limits in milliseconds. */
export interface InboundLimits {
  /** From the first byte of a head, or the connection's start, to its last. */
  readonly headMs: number;
  /** Between two pieces of a body. */
  readonly bodyMs: number;
  /** Between an answer and the next request. */
  readonly idleMs: number;
  /** A caller who does not read. */
  readonly stalledMs: number;
  /** For what a caller still sends after its answer, and for its end after ours. */
  readonly lingerMs: number;
}

/** What happens to the request being served. */
export interface RequestSink {
  /** More of the body: `parser.bodyStart` to `bodyEnd`, and the end if `parser.isComplete`. */
  body(parser: MessageParser): void;
  /** After a write that returned false, when all of it was sent. */
  drained(): void;
  /** The caller has gone; nothing more is called. */
  left(): void;
}

export interface Application {
  /**
   * A request with sound framing. `connection.parser` has the beginning of its body. Sets `connection.sink`
   * unless it answers at once.
   */
  serve(connection: InboundConnection, head: Head): void;
}

/** What all connections of a listener share. */
export interface InboundShared {
  readonly llhttp: Llhttp;
  readonly ticker: Deadlines;
  readonly writer: AreaWriter;
  readonly limits: InboundLimits;
  readonly application: Application;
  readonly connections: Set<InboundConnection>;
  /** Do sockets read into the area (see `adopt`)? If not, each read is copied into it. */
  readonly adopts: boolean;
}

export function createInboundWriter(llhttp: Llhttp, direct: DirectWriter | undefined): AreaWriter {
  return new AreaWriter(llhttp.area, 2 * headBytesMax, direct);
}

/** `discard`: the answer has ended, the rest of the body is dropped. `linger`: so is all that comes. */
type Phase = "idle" | "head" | "body" | "answer" | "discard" | "linger" | "closed";

export class InboundConnection extends Timed {
  readonly parser: MessageParser;
  sink: RequestSink | undefined = undefined;
  readonly #socket: Socket;
  readonly #shared: InboundShared;
  #phase: Phase = "idle";
  #mustClose = false;
  /** Has the answer of the current request begun? */
  #hasWritten = false;
  /** Does the socket hold bytes that the caller has not taken? */
  #isFull = false;
  /** Is the body not to be read, and is what is sent ahead too much? */
  #isPaused = false;
  #isHeld = false;
  #ahead: Buffer | undefined;
  /** Has the caller said that it sends no more? */
  #hasEnded = false;

  /** Takes over a connection just accepted. Undefined when it is gone, or one too many. */
  static open(shared: InboundShared, accepted: Socket): InboundConnection | undefined {
    const parser = shared.llhttp.open(messageKind.request);
    let connection: InboundConnection | undefined;
    const callback = (bytes: number): boolean => {
      connection?.read(bytes);
      return true;
    };
    const { area } = shared.llhttp;
    const socket = shared.adopts ? parser && adopt(accepted, { buffer: area, callback }) : accepted;
    if (socket === undefined || parser === undefined) {
      parser?.release();
      accepted.destroy();
      return undefined;
    }
    connection = new InboundConnection(shared, socket, parser);
    if (!shared.adopts) {
      socket.on("data", (bytes) => {
        area.set(bytes);
        callback(bytes.length);
      });
    }
    return connection;
  }

  private constructor(shared: InboundShared, socket: Socket, parser: MessageParser) {
    super();
    this.#shared = shared;
    this.#socket = socket;
    this.parser = parser;
    socket.setNoDelay(true);
    socket.on("drain", () => this.#drained());
    socket.on("end", () => this.#ended());
    // `close` follows.
    socket.on("error", () => {});
    socket.on("close", () => this.#closed());
    this.dueTick = shared.ticker.due(shared.limits.headMs);
    shared.ticker.add(this);
    shared.connections.add(this);
  }

  /** Must the answer say that the connection closes after it? */
  get mustClose(): boolean {
    return this.#mustClose;
  }

  closeAfter(): void {
    this.#mustClose = true;
  }

  /** Writes a part of the answer. False: the caller is slow, wait for `drained`. */
  write(text: string): boolean {
    return this.#wrote(this.#shared.writer.write(this.#socket, text, 0, 0, ""));
  }

  /** The same around bytes of the area. */
  writeArea(before: string, start: number, end: number, after: string): boolean {
    return this.#wrote(this.#shared.writer.write(this.#socket, before, start, end, after));
  }

  /** The answer has been written. */
  finish(): void {
    const { ticker, limits } = this.#shared;
    this.sink = undefined;
    if (this.#phase === "closed") return;
    if (this.#phase === "body") {
      // Closing now would lose the answer: the system resets connections with unread bytes.
      this.#phase = "discard";
      this.dueTick = ticker.due(limits.lingerMs);
      this.resume();
    } else if (this.#phase === "answer") {
      this.#next();
    }
  }

  /** Answers a request that cannot be served, or cannot be read, and closes. */
  refuse(answer: string): void {
    this.#mustClose = true;
    this.write(answer);
    this.finish();
  }

  /** Reads no more of the body until `resume`. */
  pause(): void {
    if (this.#phase !== "body") return;
    this.#isPaused = true;
    this.dueTick = never;
    this.#socket.pause();
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    if (this.#phase === "body") this.dueTick = this.#shared.ticker.due(this.#shared.limits.bodyMs);
    if (!this.#isHeld) this.#socket.resume();
  }

  /** Closes at once. What was written before still goes out. */
  destroy(): void {
    this.sink = undefined;
    if (this.#phase === "closed") return;
    this.#phase = "closed";
    this.dueTick = this.#shared.ticker.due(this.#shared.limits.lingerMs);
    this.#socket.destroySoon();
  }

  override expire(): void {
    if ((this.#phase === "head" || this.#phase === "body") && !this.#hasWritten) {
      this.#leave();
      this.#refuseEmpty("408 Request Timeout");
    } else {
      // Idle for too long, a stalled reader, or one that does not end.
      this.#socket.destroy();
    }
  }

  /** New bytes of the caller are in the area. */
  read(bytes: number): void {
    const phase = this.#phase;
    if (phase === "linger" || phase === "closed") return;
    if (phase === "answer" || this.#ahead !== undefined || (phase === "idle" && this.#isFull)) {
      this.#keepAhead(0, bytes);
    } else {
      this.#parse(0, bytes);
    }
  }

  #parse(from: number, end: number): void {
    const { parser } = this;
    let start = from;
    while (start < end) {
      if (!parser.execute(start, end)) {
        this.#refuseFraming();
        return;
      }
      start = parser.consumed;
      if (parser.hasHead) this.#begin();
      else if (parser.isInBody || parser.isComplete) this.#takeBody();
      else this.#awaitHead();
      if (this.#phase === "answer" || (this.#phase === "idle" && this.#isFull)) {
        if (start < end) this.#keepAhead(start, end);
        return;
      }
      if (this.#phase === "linger" || this.#phase === "closed") return;
    }
  }

  #awaitHead(): void {
    if (this.#phase === "head" || !this.parser.isInHead) return;
    this.#phase = "head";
    this.dueTick = this.#shared.ticker.due(this.#shared.limits.headMs);
  }

  #begin(): void {
    const { parser } = this;
    const { ticker, limits, application } = this.#shared;
    this.#phase = parser.isComplete ? "answer" : "body";
    this.dueTick = parser.isComplete ? never : ticker.due(limits.bodyMs);
    if (!parser.head.keepsAlive) this.#mustClose = true;
    application.serve(this, parser.head);
  }

  #takeBody(): void {
    const { parser } = this;
    const { ticker, limits } = this.#shared;
    if (this.#phase === "discard") {
      if (parser.isComplete) this.#next();
      return;
    }
    if (parser.isComplete) {
      this.#phase = "answer";
      if (!this.#isFull) this.dueTick = never;
    } else if (!this.#isFull) {
      this.dueTick = ticker.due(limits.bodyMs);
    }
    this.sink?.body(parser);
  }

  #refuseFraming(): void {
    const isTooLarge = this.parser.error === refusal.headTooLarge;
    const isAnswered = this.#hasWritten;
    this.#leave();
    // When the answer has begun, nothing can be said any more.
    if (isAnswered) this.#socket.destroy();
    else this.#refuseEmpty(isTooLarge ? "431 Request Header Fields Too Large" : "400 Bad Request");
  }

  #refuseEmpty(status: string): void {
    this.write(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
    this.#linger();
  }

  /** Ends our side and waits for the caller's end, so that it can still read what was written. */
  #linger(): void {
    if (this.#phase === "closed") return;
    this.#phase = "linger";
    this.dueTick = this.#shared.ticker.due(this.#shared.limits.lingerMs);
    this.#ahead = undefined;
    this.#isHeld = false;
    this.#isPaused = false;
    this.#socket.resume();
    this.#socket.end();
    if (this.#hasEnded) this.#socket.destroySoon();
  }

  /** After an answer and the whole of its request. */
  #next(): void {
    if (this.#mustClose || this.#hasEnded) {
      this.#linger();
      return;
    }
    this.#phase = "idle";
    this.#hasWritten = false;
    if (this.#isFull) return;
    this.dueTick = this.#shared.ticker.due(this.#shared.limits.idleMs);
    this.#takeAheadSoon();
  }

  /** Not at once: the area may hold an answer's bytes, and its reader is still at work on them. */
  #takeAheadSoon(): void {
    if (this.#ahead !== undefined) setImmediate(() => this.#takeAhead());
  }

  #keepAhead(start: number, end: number): void {
    const bytes = this.#shared.llhttp.area.subarray(start, end);
    this.#ahead = this.#ahead === undefined ? Buffer.from(bytes) : Buffer.concat([this.#ahead, bytes]);
    if (this.#ahead.length < aheadBytesMax || this.#isHeld) return;
    this.#isHeld = true;
    this.#socket.pause();
  }

  #takeAhead(): void {
    const ahead = this.#ahead;
    if (ahead === undefined || this.#phase === "answer" || this.#phase === "closed") return;
    if (this.#phase === "idle" && this.#isFull) return;
    const bytes = ahead.copy(this.#shared.llhttp.area, 0, 0, areaBytes);
    const rest = ahead.subarray(bytes);
    this.#ahead = undefined;
    this.#parse(0, bytes);
    if (rest.length > 0) {
      this.#ahead = this.#ahead === undefined ? rest : Buffer.concat([this.#ahead, rest]);
      this.#takeAheadSoon();
    } else if (this.#ahead === undefined && this.#isHeld) {
      this.#isHeld = false;
      if (!this.#isPaused) this.#socket.resume();
    }
  }

  #wrote(hasRoom: boolean): boolean {
    if (!this.#hasWritten) this.#hasWritten = true;
    if (!hasRoom && !this.#isFull) {
      this.#isFull = true;
      this.dueTick = this.#shared.ticker.due(this.#shared.limits.stalledMs);
    }
    return hasRoom;
  }

  #drained(): void {
    const { ticker, limits } = this.#shared;
    this.#isFull = false;
    if (this.#phase === "idle") {
      this.dueTick = ticker.due(limits.idleMs);
      this.#takeAheadSoon();
    } else if (this.#phase === "body") {
      this.dueTick = ticker.due(limits.bodyMs);
    } else if (this.#phase === "answer") {
      this.dueTick = never;
    }
    this.sink?.drained();
  }

  /** The caller ended its side. With a request open this means that it has gone, as nginx takes it too. */
  #ended(): void {
    this.#hasEnded = true;
    if (this.sink !== undefined) this.#leave();
    this.#socket.destroySoon();
  }

  #leave(): void {
    const { sink } = this;
    this.sink = undefined;
    sink?.left();
  }

  #closed(): void {
    this.#phase = "closed";
    this.#ahead = undefined;
    this.dueTick = never;
    this.#shared.ticker.delete(this);
    this.#shared.connections.delete(this);
    this.parser.release();
    this.#leave();
  }
}
