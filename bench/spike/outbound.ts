/**
 * One connection to an upstream: one request at a time written, its answer read and handed on as it comes.
 * Decides whether the connection may serve another request; does not know callers.
 */
import type { Socket } from "node:net";
import { headBytesMax } from "../../server/src/transport/llhttp/engine.ts";
import type { Head } from "../../server/src/transport/llhttp/head.ts";
import type { Llhttp } from "../../server/src/transport/llhttp/llhttp.ts";
import type { MessageParser } from "../../server/src/transport/llhttp/parser.ts";
import { AreaWriter } from "../../server/src/transport/sockets/area.ts";
import { type Deadlines, never, Timed } from "../../server/src/transport/sockets/deadlines.ts";
import type { DirectWriter } from "../../server/src/transport/sockets/direct.ts";

/** Limits in milliseconds. */
export interface OutboundLimits {
  /** For TCP and TLS. */
  readonly connectMs: number;
  /** From the request's last byte to the answer's head, or while the request is not taken. */
  readonly answerMs: number;
  /** Between two pieces of the answer, while somebody takes them. */
  readonly pieceMs: number;
  /** In the pool. */
  readonly idleMs: number;
  /** From the connection's start; then it serves no further request. */
  readonly ageMs: number;
}

/**
 * `connect`: nothing was sent. `stale`: a connection that had served before ended without a byte of an
 * answer, as happens when the upstream closes it just then. `cut`: it ended, or broke, within the answer.
 * `slow`: a limit has passed. `framing`: the bytes are not an HTTP/1.1 answer.
 */
export type Failure = "connect" | "stale" | "cut" | "slow" | "framing";

/** What happens to the answer. */
export interface AnswerSink {
  /** The head, not of an 1xx. `connection.parser` has the beginning of the body, or all of it. */
  answered(connection: OutboundConnection, head: Head): void;
  /** More of the body: `parser.bodyStart` to `bodyEnd`, and the end if `parser.isComplete`. */
  piece(connection: OutboundConnection): void;
  /** After a `send` that returned false, when all of it has gone. */
  requestTaken(): void;
  /** There will be no answer, or no more of it. */
  failed(failure: Failure): void;
}

/** What the connections of one origin share. */
export interface OutboundShared {
  readonly llhttp: Llhttp;
  readonly ticker: Deadlines;
  readonly writer: AreaWriter;
  readonly limits: OutboundLimits;
  /** Takes back a connection that may serve another request. */
  give(connection: OutboundConnection): void;
  /** The connection has closed. */
  forget(connection: OutboundConnection): void;
}

export function createOutboundWriter(llhttp: Llhttp, direct: DirectWriter | undefined): AreaWriter {
  return new AreaWriter(llhttp.area, 2 * headBytesMax, direct);
}

export class OutboundConnection extends Timed {
  readonly parser: MessageParser;
  readonly #shared: OutboundShared;
  readonly #socket: Socket;
  /** From this tick on it serves no further request. */
  readonly #oldTick: number;
  #sink: AnswerSink | undefined;
  #isConnected = false;
  #isClosed = false;
  /** Has it served a request before the current one? */
  #isReused = false;
  #isSent = false;
  #hasHead = false;
  /** Has any byte of the current answer come? */
  #hasBytes = false;
  #isPaused = false;
  /** Does the current answer leave the connection open? */
  #keepsAlive = false;

  /** `connected`: the event after which bytes can be sent. The socket reads into the area, see `read`. */
  constructor(shared: OutboundShared, parser: MessageParser, socket: Socket, connected: string) {
    super();
    this.#shared = shared;
    this.parser = parser;
    this.#socket = socket;
    this.#oldTick = shared.ticker.due(shared.limits.ageMs);
    socket.on(connected, () => this.#connected());
    socket.on("drain", () => this.#drained());
    socket.on("end", () => this.#ended());
    // `close` follows.
    socket.on("error", () => {});
    socket.on("close", () => this.#closed());
    this.dueTick = shared.ticker.due(shared.limits.connectMs);
    shared.ticker.add(this);
  }

  /** True while it can take a request. */
  get isUsable(): boolean {
    return !this.#isClosed && this.#socket.writable;
  }

  /** Begins a request: `send` what there is of it, then `sent`. */
  begin(sink: AnswerSink, expectsNoBody: boolean): void {
    this.#sink = sink;
    this.#isSent = false;
    this.#hasHead = false;
    this.#hasBytes = false;
    this.parser.skipsBody = expectsNoBody;
    if (this.#isConnected) this.dueTick = never;
  }

  /** Writes a part of the request around bytes of the area. False: wait for `requestTaken`. */
  send(before: string, start: number, end: number, after: string): boolean {
    const hasRoom = this.#shared.writer.write(this.#socket, before, start, end, after);
    if (!hasRoom && this.#isConnected) this.#waitForAnswer();
    return hasRoom;
  }

  /** The whole request has been written. */
  sent(): void {
    this.#isSent = true;
    if (this.#isConnected) this.#waitForAnswer();
  }

  /** This answer is the last on the connection. */
  closeAfter(): void {
    this.#keepsAlive = false;
  }

  /** Reads no more of the answer until `resume`. */
  pause(): void {
    if (this.#isPaused || this.#sink === undefined) return;
    this.#isPaused = true;
    this.dueTick = never;
    this.#socket.pause();
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.dueTick = this.#shared.ticker.due(this.#shared.limits.pieceMs);
    this.#socket.resume();
  }

  /** Nobody wants the answer any more. The sink is not called again. */
  abort(): void {
    this.#sink = undefined;
    this.#socket.destroy();
  }

  /** Limits passed, or idle for too long. */
  override expire(): void {
    if (this.#sink === undefined) this.#socket.destroy();
    else this.#fail(this.#isConnected ? "slow" : "connect");
  }

  /** New bytes of the upstream are in the area. */
  read(bytes: number): void {
    if (this.#sink === undefined) {
      // Nothing was asked: whatever this is, it must not be taken for the next answer.
      this.#socket.destroy();
      return;
    }
    if (!this.#hasBytes) this.#hasBytes = true;
    const { parser } = this;
    for (let start = 0; start < bytes; start = parser.consumed) {
      if (!parser.execute(start, bytes)) {
        this.#fail("framing");
        return;
      }
      if (!this.#hasHead && !parser.hasHead) return;
      if (parser.hasHead && parser.head.status < 200) {
        if (this.#isInterim(parser.head)) continue;
        this.#fail("framing");
        return;
      }
      this.#handOn();
      if (this.#sink === undefined) return;
      if (parser.isComplete) {
        this.#done(parser.consumed < bytes);
        return;
      }
    }
  }

  #handOn(): void {
    const { parser } = this;
    const { ticker, limits } = this.#shared;
    // A read that was under way when the reading stopped still arrives.
    if (!this.#isPaused) this.dueTick = ticker.due(limits.pieceMs);
    if (parser.hasHead) {
      this.#hasHead = true;
      this.#keepsAlive = parser.head.keepsAlive;
      this.#sink?.answered(this, parser.head);
    } else {
      this.#sink?.piece(this);
    }
  }

  /** An interim answer is dropped; 101 would mean another protocol, which nobody asked for. */
  #isInterim(head: Head): boolean {
    return head.status !== 101 && !head.isUpgrade;
  }

  #done(hasMore: boolean): void {
    const { ticker, limits } = this.#shared;
    this.#sink = undefined;
    const isYoung = ticker.nowTick < this.#oldTick;
    if (!this.#keepsAlive || hasMore || !this.#isSent || !isYoung || !this.isUsable) {
      this.#socket.destroy();
      return;
    }
    this.#isReused = true;
    if (this.#isPaused) {
      this.#isPaused = false;
      this.#socket.resume();
    }
    this.dueTick = ticker.due(limits.idleMs);
    this.#shared.give(this);
  }

  #connected(): void {
    this.#isConnected = true;
    if (this.#isSent) this.#waitForAnswer();
    else this.dueTick = never;
  }

  #drained(): void {
    if (!this.#isSent && !this.#hasHead) this.dueTick = never;
    this.#sink?.requestTaken();
  }

  #waitForAnswer(): void {
    if (this.#hasHead) return;
    this.dueTick = this.#shared.ticker.due(this.#shared.limits.answerMs);
  }

  #fail(failure: Failure): void {
    const sink = this.#sink;
    this.#sink = undefined;
    this.#socket.destroy();
    sink?.failed(failure);
  }

  /** A body without a length ends here; any other message is cut. */
  #ended(): void {
    if (this.#sink !== undefined && this.#hasHead && this.parser.finish() && this.parser.isComplete) {
      const sink = this.#sink;
      sink.piece(this);
      this.#sink = undefined;
    }
    this.#socket.destroy();
  }

  #closed(): void {
    this.#isClosed = true;
    this.dueTick = never;
    this.#shared.ticker.delete(this);
    this.#shared.forget(this);
    this.parser.release();
    if (this.#sink === undefined) return;
    const isStale = this.#isReused && !this.#hasBytes;
    this.#fail(!this.#isConnected ? "connect" : isStale ? "stale" : "cut");
  }
}
