/**
 * One connection of a caller, as long as all its requests are plain: reads them one after the other, keeps
 * the limits of each phase, and hands the socket over at the first request that is not plain. Knows nothing
 * of what is served.
 */
import type { Socket } from "node:net";
import type { Llhttp } from "../llhttp/llhttp.ts";
import type { MessageParser } from "../llhttp/parser.ts";
import { type Deadlines, never, Timed } from "../sockets/deadlines.ts";
import type { AnswerWriter } from "./answer-writer.ts";
import { ArrivingBody } from "./arriving-body.ts";
import { type ExchangeConnection, InboundExchange } from "./exchange.ts";
import { type PlainHead, readPlain, type Served } from "./plain.ts";
import { RepeatedHead } from "./repeated-head.ts";

/** What is sent ahead of its turn is kept up to this size; then the socket is not read until its turn. */
const aheadBytesMax = 64 * 1024;

/** Limits in milliseconds. */
export interface InboundLimits {
  /** For a head: from its first byte, or from the connection's start, to its last. */
  readonly headMs: number;
  /** Between an answer and the next request. */
  readonly idleMs: number;
  /** For a body that is not wanted, and for a caller's end after ours. */
  readonly lingerMs: number;
}

/** Why a connection cannot go on; node:http's codes. */
export type BrokenCode = "ERR_HTTP_REQUEST_TIMEOUT" | "HPE_INVALID";

/** What serves the requests. */
export interface InboundApplication extends Served {
  /** While true, answers say that the connection closes. */
  readonly isDraining: boolean;
  /** The value of the `Date` field now. */
  date(): string;
  /** A request; its body comes afterwards. Must not throw. */
  serve(exchange: InboundExchange, socket: Socket): void;
  /** The last request given to `serve` is over, for whatever reason. */
  over(socket: Socket): void;
  /** Answers what is not HTTP, or comes too late, and ends the socket. */
  refuse(socket: Socket, code: BrokenCode): void;
  /** The connection is no longer ours: `unread` is what was read and not served. */
  handOver(socket: Socket, unread: Buffer): void;
}

/** What all connections of a listener share. */
export interface InboundShared {
  readonly llhttp: Llhttp;
  readonly deadlines: Deadlines;
  readonly writer: AnswerWriter;
  readonly limits: InboundLimits;
  readonly keepAliveSeconds: number;
  readonly application: InboundApplication;
  readonly connections: Set<InboundConnection>;
  /** Frees a socket from its connection, so that node:http can have it. */
  release(socket: Socket): Socket | undefined;
}

/**
 * What of a request has been read. `complete`: all of it, while its answer is under way. `refused`: nothing
 * is read any more. `leaving`: waits for its turn to be handed over.
 */
type Phase = "idle" | "head" | "body" | "complete" | "refused" | "leaving" | "closed";

/** What a read has brought of a body: a part of the area. */
interface BodySpan {
  readonly bodyStart: number;
  readonly bodyEnd: number;
  readonly isComplete: boolean;
}

export class InboundConnection extends Timed implements ExchangeConnection {
  /** True when the connection closes after the current answer. */
  mustClose = false;
  readonly #socket: Socket;
  readonly #shared: InboundShared;
  readonly #parser: MessageParser;
  #phase: Phase = "idle";
  /** The request that is being answered; undefined between requests, and while a body is discarded. */
  #exchange: InboundExchange | undefined;
  #hasServed = false;
  #isPaused = false;
  /** A write has returned false, and no `drain` has come since. */
  #isFull = false;
  /** True when the caller has ended its side. */
  #hasEnded = false;
  /** Bytes behind the current request. */
  #ahead: Buffer | undefined;
  readonly #repeated = new RepeatedHead();
  readonly #body = new ArrivingBody();

  constructor(shared: InboundShared, socket: Socket, parser: MessageParser) {
    super();
    this.#shared = shared;
    this.#socket = socket;
    this.#parser = parser;
    socket.on("drain", this.#onDrain);
    socket.on("end", this.#onEnd);
    socket.on("error", ignore);
    socket.on("close", this.#onClose);
    shared.deadlines.add(this);
    this.dueTick = shared.deadlines.due(shared.limits.headMs);
    shared.connections.add(this);
  }

  get peerAddress(): string | undefined {
    return this.#socket.remoteAddress;
  }

  get date(): string {
    return this.#shared.application.date();
  }

  get keepAliveSeconds(): number {
    return this.#shared.keepAliveSeconds;
  }

  /** Only the last of several requests that were sent may close the connection. */
  closesAfter(): boolean {
    if (this.#shared.application.isDraining && this.#ahead === undefined) this.mustClose = true;
    return this.mustClose;
  }

  send(before: string, bytes: Buffer | undefined, after: string): boolean {
    if (!this.#shared.writer.write(this.#socket, before, bytes, after, this.#isFull)) this.#isFull = true;
    return !this.#isFull;
  }

  /** The answer is over when the system has taken all of it; only then is the next request read. */
  finish(): void {
    const socket = this.#socket;
    // `close` follows.
    if (socket.destroyed || socket.errored !== null) return;
    if (!this.#isFull && socket.writableLength === 0) this.#answered();
    else socket.write("", "latin1", (error) => error ?? this.#answered());
  }

  #answered(): void {
    const exchange = this.#exchange;
    if (exchange === undefined || this.#phase === "closed") return;
    this.#exchange = undefined;
    this.#body.end();
    this.#shared.application.over(this.#socket);
    exchange.close(true);
    if (this.mustClose) this.#close();
    else if (this.#phase === "complete") this.#next();
    else this.#discard(this.#shared.limits.idleMs);
  }

  /** The rest of the body is not wanted, but what follows it may be. */
  #discard(ms: number): void {
    this.dueTick = this.#shared.deadlines.due(ms);
    this.updateReading();
  }

  awaitBodyEnd(): void {
    this.#discard(this.#shared.limits.lingerMs);
  }

  /** Closing at once would lose the answer while the caller sends: the system resets such a connection. */
  #close(): void {
    if (this.#phase === "body" && !this.#hasEnded) {
      this.#socket.end();
      this.#discard(this.#shared.limits.lingerMs);
      return;
    }
    this.#refuseReading();
    this.#socket.destroySoon();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /** Closes the connection if no request has begun on it. */
  closeIfIdle(): void {
    if (this.#phase === "idle") this.#socket.destroy();
  }

  /** After an answer and all of its request. */
  #next(): void {
    this.#phase = "idle";
    const ahead = this.#ahead;
    if (this.#hasEnded) {
      this.#refuseReading();
      this.#socket.destroySoon();
    } else if (ahead !== undefined) {
      // A second request before the first answer: no client does that, and node:http has limits for it.
      this.#ahead = undefined;
      this.#leave(ahead);
    } else {
      this.dueTick = this.#shared.deadlines.due(this.#shared.limits.idleMs);
    }
  }

  updateReading(): void {
    const isWanted = this.#exchange === undefined || this.#exchange.isBodyWanted;
    const isAheadFull = this.#ahead !== undefined && this.#ahead.length >= aheadBytesMax;
    const mustPause = this.#phase === "leaving" || isAheadFull || (this.#phase === "body" && !isWanted);
    if (mustPause === this.#isPaused) return;
    this.#isPaused = mustPause;
    if (mustPause) this.#socket.pause();
    else this.#socket.resume();
  }

  /** New bytes of the caller are at the start of the area. */
  read(bytes: number): void {
    const phase = this.#phase;
    if (phase === "refused" || phase === "closed") return;
    if (phase === "complete" || phase === "leaving") {
      this.#keepAhead(0, bytes);
      return;
    }
    const { area } = this.#shared.llhttp;
    if (phase === "idle") {
      const repeated = this.#repeated.find(area, bytes);
      if (repeated !== undefined) {
        this.#begin(repeated, { bodyStart: this.#repeated.bodyStart, bodyEnd: bytes, isComplete: true });
        return;
      }
    }
    const parser = this.#parser;
    const keptHeadBytes = parser.keptHeadBytes;
    const isSound = parser.execute(0, bytes);
    // The parsers share what they found: read before anything else is called.
    const { hasHead, isComplete, consumed, bodyStart, bodyEnd } = parser;
    if (!isSound) {
      if (phase === "body") this.#refuse("HPE_INVALID");
      else this.#leave(this.#unread(keptHeadBytes, bytes));
    } else if (phase === "body") {
      if (isComplete && consumed < bytes) this.#keepAhead(consumed, bytes);
      this.#takeBody(bodyStart, bodyEnd, isComplete);
    } else if (hasHead) {
      const plain = readPlain(parser.head, this.#shared.application);
      if (plain === undefined) {
        this.#leave(this.#unread(keptHeadBytes, bytes));
        return;
      }
      if (isComplete && consumed < bytes) this.#keepAhead(consumed, bytes);
      else if (isComplete && parser.head.source === area) this.#repeated.keep(parser.head, plain, bodyStart);
      if (!isComplete) this.#body.begin(Number(plain.headers["content-length"] ?? 0), bodyEnd - bodyStart);
      this.mustClose = !parser.head.keepsAlive;
      this.#begin(plain, { bodyStart, bodyEnd, isComplete });
    } else if (parser.isInHead && phase === "idle") {
      this.#phase = "head";
      // The head of the first request had to begin in time too.
      if (this.#hasServed) this.dueTick = this.#shared.deadlines.due(this.#shared.limits.headMs);
    }
  }

  /** A request whose head was read, with what has come of its body. */
  #begin(plain: PlainHead, { bodyStart, bodyEnd, isComplete }: BodySpan): void {
    this.#phase = isComplete ? "complete" : "body";
    this.dueTick = never;
    this.#hasServed = true;
    const exchange = new InboundExchange(this, plain);
    this.#exchange = exchange;
    if (bodyEnd > bodyStart) exchange.take(this.#copy(bodyStart, bodyEnd));
    if (isComplete) exchange.take(undefined);
    this.#shared.application.serve(exchange, this.#socket);
  }

  #copy(start: number, end: number): Buffer {
    return this.#body.copy(this.#shared.llhttp.area, start, end);
  }

  /** What was read of a request that is not plain: the kept part of its head, and the current read. */
  #unread(keptHeadBytes: number, bytes: number): Buffer {
    const { readBefore, head } = this.#parser;
    const read = readBefore ?? this.#shared.llhttp.area.subarray(0, bytes);
    return Buffer.concat([head.source.subarray(0, keptHeadBytes), read]);
  }

  #takeBody(start: number, end: number, isComplete: boolean): void {
    const exchange = this.#exchange;
    if (isComplete) this.#phase = "complete";
    if (exchange !== undefined) {
      if (end > start) exchange.take(this.#copy(start, end));
      if (isComplete) this.#body.end();
      if (isComplete && exchange === this.#exchange) exchange.take(undefined);
      this.updateReading();
    } else if (isComplete) {
      if (this.mustClose) this.#close();
      else this.#next();
    } else if (!this.mustClose) {
      this.dueTick = this.#shared.deadlines.due(this.#shared.limits.idleMs);
    }
  }

  #keepAhead(start: number, end: number): void {
    const bytes = this.#shared.llhttp.area.subarray(start, end);
    this.#ahead = Buffer.concat(this.#ahead === undefined ? [bytes] : [this.#ahead, bytes]);
    this.updateReading();
  }

  /** Not at once: the socket is being read. */
  #leave(unread: Buffer): void {
    this.#phase = "leaving";
    this.dueTick = never;
    this.updateReading();
    setImmediate(() => this.#handOver(unread));
  }

  #handOver(unread: Buffer): void {
    if (this.#phase !== "leaving") return;
    const late = this.#ahead;
    const socket = this.#socket;
    socket.off("drain", this.#onDrain);
    socket.off("end", this.#onEnd);
    socket.off("close", this.#onClose);
    socket.off("error", ignore);
    this.#leaveShared();
    const { application, release } = this.#shared;
    const free = release(socket);
    if (free === undefined) return;
    application.handOver(free, late === undefined ? unread : Buffer.concat([unread, late]));
  }

  override expire(): void {
    const isFirst = this.#phase === "idle" && !this.#hasServed;
    if (isFirst || this.#phase === "head") this.#refuse("ERR_HTTP_REQUEST_TIMEOUT");
    // Idle for too long, or an unwanted body that does not end.
    else this.#socket.destroy();
  }

  /** Says that the bytes are not HTTP, or came too late, and closes. */
  #refuse(code: BrokenCode): void {
    this.#refuseReading();
    this.#shared.application.refuse(this.#socket, code);
    this.#abandon();
  }

  #refuseReading(): void {
    this.#phase = "refused";
    this.#ahead = undefined;
    this.dueTick = this.#shared.deadlines.due(this.#shared.limits.lingerMs);
    this.updateReading();
  }

  /** Ends the request without its answer. */
  #abandon(): void {
    const exchange = this.#exchange;
    if (exchange === undefined) return;
    this.#exchange = undefined;
    this.#shared.application.over(this.#socket);
    exchange.close(false);
  }

  readonly #onDrain = (): void => {
    this.#isFull = false;
    const exchange = this.#exchange;
    if (exchange?.isEnded === false) exchange.listener?.drained();
  };

  /**
   * The caller ended its side. Nothing tells whether it only has no more to say or has gone; with a request
   * open it is taken for gone, as node:http does.
   */
  readonly #onEnd = (): void => {
    this.#hasEnded = true;
    const phase = this.#phase;
    if (phase === "head" || phase === "body") {
      this.#refuse("HPE_INVALID");
    } else if (this.#exchange?.isEnded !== true && phase !== "leaving") {
      this.#refuseReading();
      this.#abandon();
      this.#socket.destroySoon();
    }
  };

  readonly #onClose = (): void => {
    this.#leaveShared();
    this.#abandon();
  };

  #leaveShared(): void {
    if (this.#phase === "closed") return;
    this.#phase = "closed";
    this.#ahead = undefined;
    this.dueTick = never;
    this.#shared.deadlines.delete(this);
    this.#shared.connections.delete(this);
    this.#parser.release();
  }
}

/** `close` follows. */
function ignore(): void {}
