/**
 * One connection to an upstream: one request at a time written, its answer read and handed on as it comes.
 * Decides whether the connection may serve another request. Knows neither the pool's order nor what is said.
 */
import type { Socket } from "node:net";
import type { Head } from "../llhttp/head.ts";
import type { MessageParser } from "../llhttp/parser.ts";
import { type Deadlines, never, Timed } from "../sockets/deadlines.ts";
import type { DirectWriter } from "../sockets/direct.ts";
import { headersOf } from "./answer-headers.ts";
import type { OutboundCall } from "./call.ts";
import { connectFailure, failure } from "./failure.ts";

/** Limits in milliseconds. How long an answer may take is the handler's to say. */
export interface OutboundLimits {
  /** For a proxy's tunnel, TCP and TLS together. */
  readonly connectMs: number;
  /** In the pool, unless the upstream says how long it keeps connections. */
  readonly idleMs: number;
  /** The most that is believed when it does. */
  readonly idleMsMax: number;
  /** From the connection's start; then it serves no further request. */
  readonly ageMs: number;
}

/** What the connections of one origin share. */
export interface OutboundShared {
  readonly area: Buffer;
  readonly deadlines: Deadlines;
  readonly limits: OutboundLimits;
  /** Writes texts past the streams of plain TCP sockets; undefined: through them. */
  readonly direct: DirectWriter | undefined;
  /** Takes back a connection that may serve another request. */
  give(connection: OutboundConnection): void;
  /** The connection has closed. */
  forget(connection: OutboundConnection): void;
}

/**
 * Up to here head and body leave as one latin1 string: Node keeps 16 KB on its stack and tries to send at
 * once, so that no Buffer is made and one system call does.
 */
const joinedBytesMax = 15 * 1024;
/** Larger bodies are written in pieces of this size, so that the rest need not be sent after a refusal. */
const pieceBytes = 256 * 1024;
/** More interim answers (1xx) than this are not meant well. */
const interimMax = 32;
/** The upstream closes a connection at its limit; it must not get a request on the way. */
const hintMarginMs = 2_000;

export class OutboundConnection extends Timed {
  readonly #shared: OutboundShared;
  readonly #parser: MessageParser;
  /** Undefined while a proxy's tunnel is being made. */
  #socket: Socket | undefined;
  #dialing: { destroy(): void } | undefined;
  /** From this tick on it serves no further request. */
  readonly #oldTick: number;
  #call: OutboundCall | undefined;
  #isConnected = false;
  #isClosed = false;
  /** True when it has served a request before the current one. */
  #isReused = false;
  /** True once a byte of the current request was given to the system. */
  #isWritten = false;
  /** How much of the current request's body has been written. */
  #writtenBytes = 0;
  /** Undefined: the socket's stream writes everything. */
  #direct: DirectWriter | undefined;
  /** True while the system has not taken all of a text; `drain` follows. */
  #isSending = false;
  #hasHead = false;
  #interims = 0;
  #isPaused = false;
  /** True when the current answer leaves the connection open. */
  #keepsAlive = false;
  #idleMs: number;
  /** The last `keep-alive` field read, and what it said. */
  #hint = "";
  #hintMs = 0;
  #error: NodeJS.ErrnoException | undefined;

  /** `call`: sent as soon as it is connected. Expects `use`, or `refuse`. */
  constructor(shared: OutboundShared, parser: MessageParser, call: OutboundCall) {
    super();
    this.#shared = shared;
    this.#parser = parser;
    this.#call = call;
    this.#idleMs = shared.limits.idleMs;
    call.connection = this;
    this.#oldTick = shared.deadlines.due(shared.limits.ageMs);
    this.dueTick = shared.deadlines.due(shared.limits.connectMs);
    shared.deadlines.add(this);
  }

  /** True while it can take a request. */
  get isUsable(): boolean {
    return !this.#isClosed && this.#socket?.writable === true;
  }

  /** Something that has to happen before there is a socket; destroyed when no call waits any more. */
  dial(dialing: { destroy(): void }): void {
    this.#dialing = dialing;
  }

  /**
   * The connection's socket, which reads into the area and calls `read`. `connected`: the event after which
   * bytes can be sent; undefined: they can be now.
   */
  use(socket: Socket, connected: "connect" | "secureConnect" | undefined): void {
    this.#dialing = undefined;
    this.#socket = socket;
    if (connected === "connect") this.#direct = this.#shared.direct;
    socket.on("drain", () => this.#drained());
    socket.on("end", () => this.#ended());
    socket.on("error", (error: NodeJS.ErrnoException) => {
      this.#error = error;
    });
    socket.on("close", () => this.#closed());
    if (connected === undefined) this.#connected();
    else socket.on(connected, () => this.#connected());
  }

  /** There will be no socket. */
  refuse(error: NodeJS.ErrnoException): void {
    if (this.#isClosed) return;
    this.#error = error;
    this.#closed();
  }

  /**
   * Sends a request. False: the connection broke before any byte of it was given to the system, and the call
   * can be sent on another one.
   */
  begin(call: OutboundCall): boolean {
    const socket = this.#socket as Socket;
    this.#call = call;
    call.connection = this;
    this.#isWritten = false;
    this.#writtenBytes = 0;
    this.#hasHead = false;
    this.#interims = 0;
    this.dueTick = never;
    call.start();
    if (this.#call !== call) return true;
    this.#isWritten = true;
    this.#write(socket, call);
    // Set at once when the very first write fails; then nothing has left.
    if (socket.errored === null || !this.#isReused) {
      if (this.#writtenBytes === call.bodyBytes) call.dropSent();
      return true;
    }
    this.#call = undefined;
    call.connection = undefined;
    return false;
  }

  /** Reads no more of the answer until `resume`. What is being read may still arrive. */
  pause(): void {
    if (this.#isPaused || this.#call === undefined) return;
    this.#isPaused = true;
    this.#socket?.pause();
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#socket?.resume();
  }

  /** The caller no longer wants the answer. A connection that was not written to serves another call. */
  drop(call: OutboundCall): void {
    if (this.#call !== call) return;
    this.#call = undefined;
    call.connection = undefined;
    if (this.#isConnected && !this.#isWritten && this.isUsable) this.#rest();
    else if (this.#isConnected || this.#isClosed) this.#destroy();
  }

  /** Ends it, and its call if it has one. */
  close(error: Error): void {
    const call = this.#call;
    this.#call = undefined;
    if (call !== undefined) call.connection = undefined;
    this.#destroy();
    call?.fail(error);
  }

  override expire(): void {
    if (this.#isConnected) this.#destroy();
    else this.close(failure("ETIMEDOUT"));
  }

  /** New bytes of the upstream are in the area, from its start. */
  read(bytes: number): void {
    const call = this.#call;
    if (call === undefined || !this.#isWritten) {
      // Nobody asked: whatever this is, it must not be taken for the next answer.
      this.#destroy();
      return;
    }
    const parser = this.#parser;
    for (let start = 0; start < bytes; ) {
      const isSound = parser.execute(start, bytes);
      const { hasHead, isComplete, bodyStart, bodyEnd, consumed } = parser;
      if (hasHead && parser.head.status < 200 && isSound) {
        start = consumed;
        if (this.#skipInterim(parser.head)) continue;
        this.close(failure("UPSTREAM_FRAMING"));
        return;
      }
      if (hasHead && parser.head.status >= 200) this.#takeHead(call, parser.head);
      if (bodyEnd > bodyStart && this.#call === call) {
        call.take(this.#shared.area.subarray(bodyStart, bodyEnd));
      }
      if (this.#call !== call) return;
      if (!isSound) {
        this.close(failure("UPSTREAM_FRAMING"));
        return;
      }
      if (isComplete) {
        this.#done(call, consumed < bytes);
        return;
      }
      start = consumed;
    }
  }

  #takeHead(call: OutboundCall, head: Head): void {
    this.#hasHead = true;
    this.#keepsAlive = head.keepsAlive && !isBodyDenied(head);
    this.#readHint(head);
    // An early refusal: the server will not read the rest.
    if (head.status >= 300 && this.#writtenBytes < call.bodyBytes) {
      this.#keepsAlive = false;
      this.#writtenBytes = call.bodyBytes;
    }
    call.answer(head.status, headersOf(head));
  }

  /** Interim answers are dropped; 101 would mean another protocol, which Plaza never asks for. */
  #skipInterim(head: Head): boolean {
    this.#interims++;
    return head.status !== 101 && !head.isUpgrade && this.#interims <= interimMax;
  }

  /** `Keep-Alive: timeout=5`: so long does the upstream keep an idle connection. */
  #readHint(head: Head): void {
    const { limits } = this.#shared;
    this.#idleMs = limits.idleMs;
    for (let field = 0; field < head.count; field++) {
      if (head.nameLength(field) !== 10 || !head.isNamed(field, "keep-alive")) continue;
      const hint = head.trimmedValue(field);
      if (hint !== this.#hint) {
        this.#hint = hint;
        const seconds = /timeout=\s*(\d{1,6})/i.exec(hint)?.[1];
        this.#hintMs = seconds === undefined ? limits.idleMs : Number(seconds) * 1_000 - hintMarginMs;
      }
      this.#idleMs = Math.min(this.#hintMs, limits.idleMsMax);
    }
  }

  #write(socket: Socket, { head, body }: OutboundCall): void {
    if (body === undefined) {
      this.#writeText(socket, head);
    } else if (head.length + body.length <= joinedBytesMax) {
      this.#writtenBytes = body.length;
      this.#writeText(socket, head + body.toString("latin1"));
    } else {
      socket.cork();
      socket.write(head, "latin1");
      this.#writePiece(socket, body);
      socket.uncork();
    }
  }

  #writeText(socket: Socket, text: string): void {
    const isSent = this.#direct?.write(socket, text);
    if (isSent === undefined) socket.write(text, "latin1");
    else if (!isSent) this.#isSending = true;
  }

  /** By reference: the body stays as it is until it has been sent. False: wait for `drain`. */
  #writePiece(socket: Socket, body: Buffer): boolean {
    const start = this.#writtenBytes;
    const end = Math.min(start + pieceBytes, body.length);
    this.#writtenBytes = end;
    return socket.write(start === 0 && end === body.length ? body : body.subarray(start, end));
  }

  #drained(): void {
    this.#isSending = false;
    const call = this.#call;
    const body = call?.body;
    if (call === undefined || body === undefined || !this.#isWritten) return;
    while (this.#writtenBytes < body.length && this.#writePiece(this.#socket as Socket, body));
    if (this.#writtenBytes === body.length) call.dropSent();
  }

  #done(call: OutboundCall, hasMore: boolean): void {
    this.#call = undefined;
    call.connection = undefined;
    const isWritten = this.#writtenBytes === call.bodyBytes;
    const isSent = isWritten && !this.#isSending && this.#socket?.writableLength === 0;
    const isYoung = this.#shared.deadlines.nowTick < this.#oldTick;
    if (!this.#keepsAlive || hasMore || !isSent || !isYoung || this.#idleMs <= 0 || !this.isUsable) {
      this.#destroy();
    } else {
      this.#isReused = true;
      this.#rest();
    }
    call.end();
  }

  #rest(): void {
    this.resume();
    this.dueTick = this.#shared.deadlines.due(this.#idleMs);
    this.#shared.give(this);
  }

  #connected(): void {
    this.#isConnected = true;
    const call = this.#call;
    if (call === undefined) this.#rest();
    else this.begin(call);
  }

  /** A body without a length ends here; any other message is cut. */
  #ended(): void {
    const call = this.#call;
    if (call !== undefined && this.#hasHead && this.#parser.finish() && this.#parser.isComplete) {
      this.#keepsAlive = false;
      this.#done(call, false);
      return;
    }
    this.close(failure("UPSTREAM_CLOSED"));
  }

  #destroy(): void {
    this.dueTick = never;
    if (this.#socket !== undefined) {
      this.#socket.destroy();
      return;
    }
    this.#dialing?.destroy();
    this.#closed();
  }

  #closed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.dueTick = never;
    this.#shared.deadlines.delete(this);
    this.#shared.forget(this);
    this.#parser.release();
    const call = this.#call;
    if (call === undefined) return;
    const error = this.#error ?? failure("UPSTREAM_CLOSED");
    call.fail(this.#isConnected ? error : connectFailure(error));
  }
}

/** A 204 or 304 that speaks of a body has perhaps sent one, which would be read as the next answer. */
function isBodyDenied(head: Head): boolean {
  if (head.status !== 204 && head.status !== 304) return false;
  for (let field = 0; field < head.count; field++) {
    const length = head.nameLength(field);
    if (length === 17 && head.isNamed(field, "transfer-encoding")) return true;
    if (length === 14 && head.isNamed(field, "content-length") && Number(head.value(field)) !== 0)
      return true;
  }
  return false;
}
