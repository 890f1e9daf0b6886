/**
 * The answer to one caller: head, bytes, end, each exactly once, and events of the caller's connection. It
 * knows the headers of every answer and the error shape; it knows neither the transport nor what is being
 * answered.
 */
import { bodyFor, wireError, wireErrorEvent } from "@plaza/contract/error-wire.ts";
import type { GatewayError } from "@plaza/contract/errors.ts";
import type { Exchange, ExchangeListener } from "../../lib/net/exchange.ts";
import { KeptStream } from "./idempotency/kept-stream.ts";

/** Content type of whole answers and errors. */
export const answerType = "application/json; charset=utf-8";

/** Names the model that served, where it is not the one asked for. */
export const servedByHeader = "x-plaza-model";

/** Head of an event stream, flat: content type first. */
export const streamHeaders: readonly string[] = [
  "content-type",
  "text/event-stream; charset=utf-8",
  "cache-control",
  "no-cache, no-transform",
  "x-accel-buffering",
  "no",
];

const keepAliveComment = Buffer.from(": keep-alive\n\n");

/**
 * Hears of the caller while its answer is made. An object and not a function: V8 keeps requests that are over
 * alive through scavenges when each makes a closure for this, until it has optimised that away (measured: a
 * quarter of the CPU of a busy process's first 16,000 requests).
 */
export interface CallerWatcher {
  /** The caller's connection is gone before the answer ended; told once. */
  callerLeft(): void;
  /** A caller that was too slow has taken what was waiting. */
  callerCaughtUp?(): void;
}

export class Reply implements ExchangeListener {
  readonly requestId: string;
  /** HTTP status sent; 0 before the head. */
  status = 0;
  /** Elapsed milliseconds of the last byte written; kept by whoever writes with a clock. */
  lastWriteMs = 0;
  #isStream = false;
  #isEnded = false;
  #isGone = false;
  /**
   * Who hears of the caller. Nearly always one: no list and no closure is made for it, because each costs
   * every request.
   */
  #watcher: CallerWatcher | undefined;
  #moreWatchers: CallerWatcher[] | undefined;
  #onOver: (() => void) | undefined;
  #isOver = false;
  readonly #exchange: Exchange;
  readonly #common: string[];
  readonly #added: string[] = [];
  #kept: KeptStream | undefined;

  /** `headers`: sent with every answer besides the request's id, flat; undefined = none. */
  constructor(exchange: Exchange, requestId: string, headers?: readonly string[]) {
    this.requestId = requestId;
    this.#exchange = exchange;
    exchange.listener = this;
    this.#common =
      headers === undefined ? ["x-request-id", requestId] : ["x-request-id", requestId, ...headers];
  }

  /** Called by the exchange. */
  closed(isComplete: boolean): void {
    this.#isOver = true;
    this.#onOver?.();
    if (isComplete) return;
    this.#isGone = true;
    this.#isEnded = true;
    this.#reportDisconnect();
  }

  /** Called by the exchange. */
  drained(): void {
    const more = this.#moreWatchers?.slice();
    this.#watcher?.callerCaughtUp?.();
    for (const watcher of more ?? []) watcher.callerCaughtUp?.();
  }

  /** Tells a watcher of the caller from now on, until `unwatch`. */
  watch(watcher: CallerWatcher): void {
    if (this.#watcher === undefined) this.#watcher = watcher;
    else if (this.#moreWatchers === undefined) this.#moreWatchers = [watcher];
    else this.#moreWatchers.push(watcher);
  }

  /** Tells a watcher nothing more; one that was told nothing stays so. */
  unwatch(watcher: CallerWatcher): void {
    const more = this.#moreWatchers;
    if (this.#watcher === watcher) {
      this.#watcher = more?.shift();
      return;
    }
    const at = more?.indexOf(watcher) ?? -1;
    if (at >= 0) more?.splice(at, 1);
  }

  #reportDisconnect(): void {
    // Whoever is told may stop watching.
    const more = this.#moreWatchers?.slice();
    this.#watcher?.callerLeft();
    for (const watcher of more ?? []) watcher.callerLeft();
  }

  /** Runs `then` once the exchange is over: every byte handed to the system, or the connection gone. */
  whenOver(then: () => void): void {
    if (this.#isOver) then();
    else this.#onOver = then;
  }

  /** A header of whatever answer is going to be sent. */
  addHeader(name: string, value: string): void {
    this.#common.push(name, value);
    this.#added.push(name, value);
  }

  /** Headers that are true of this answer only, flat: not kept for a repeated call. */
  addPassingHeaders(headers: readonly string[]): void {
    this.#common.push(...headers);
  }

  /** What `addHeader` added, flat: name, value, name, value … */
  get addedHeaders(): readonly string[] {
    return this.#added;
  }

  /** From now on keeps a copy of what a stream writes, whether or not the caller still takes it. */
  keepStream(bytesMax: number): void {
    this.#kept = new KeptStream(bytesMax);
  }

  /** What was kept, with the bytes that end it; undefined when that is more than may be kept. */
  keptStream(tail: Buffer): Buffer | undefined {
    return this.#kept?.endedBy(tail);
  }

  /** Has the caller's connection closed before the answer's end? */
  get isGone(): boolean {
    return this.#isGone;
  }

  /** Has the head of an event stream been sent (so that a fault can only be told in-band)? */
  get isStream(): boolean {
    return this.#isStream;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Sends the head of an event stream. */
  beginStream(headers: readonly string[] = []): void {
    if (this.#isStream || this.#isEnded) return;
    this.#isStream = true;
    this.status = 200;
    this.#exchange.writeHead(200, [...streamHeaders, ...this.#common, ...headers]);
  }

  /** Writes bytes of the stream by reference; false = the caller is slow, wait for `callerCaughtUp`. */
  write(bytes: Buffer): boolean {
    this.#kept?.push(bytes);
    return this.#isEnded || this.#exchange.write(bytes);
  }

  /** Tells proxies and clients that the connection lives; begins the stream when nothing was sent yet. */
  comment(): void {
    if (this.#isEnded) return;
    this.beginStream();
    this.write(keepAliveComment);
  }

  /** Ends the stream, with its last bytes. */
  endStream(tail: Buffer): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#exchange.end(tail);
  }

  /** Sends a whole answer. */
  send(status: number, contentType: string, body: Buffer, headers: readonly string[] = []): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.status = status;
    this.#exchange.writeHead(status, [...this.#wholeHead(contentType, body), ...headers]);
    this.#exchange.end(body);
  }

  /** Sends an answer without a body. */
  sendEmpty(status: number, headers: readonly string[]): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.status = status;
    this.#exchange.writeHead(status, [...this.#common, ...headers]);
    this.#exchange.end();
  }

  /**
   * Sends an error in the one shape: as an answer while nothing was sent, as the stream's last event
   * afterwards.
   */
  fail(error: GatewayError, headers: readonly string[] = []): void {
    if (this.#isStream) {
      this.endStream(wireErrorEvent(error, bodyFor(error, this.#exchange.headers)));
      return;
    }
    const wire = wireError(error, bodyFor(error, this.#exchange.headers));
    this.send(wire.status, answerType, wire.body, [...wire.headers, ...headers]);
  }

  /**
   * Refuses a request whose body may still be on its way. The whole answer goes out at once, but the
   * connection is not closed on the sender while it sends: that would make its system throw the answer away.
   */
  refuse(error: GatewayError): void {
    if (this.#exchange.isReceived || this.#isStream || this.#isEnded) {
      this.fail(error);
      return;
    }
    const wire = wireError(error, bodyFor(error, this.#exchange.headers));
    this.#isEnded = true;
    this.status = wire.status;
    this.#exchange.writeHead(wire.status, [...this.#wholeHead(answerType, wire.body), ...wire.headers]);
    this.#exchange.write(wire.body);
    this.#exchange.endAfterBody();
  }

  /** Headers of a whole answer. */
  #wholeHead(contentType: string, body: Buffer): string[] {
    return ["content-type", contentType, "content-length", String(body.length), ...this.#common];
  }

  /** Another part writes the answer: this reply sends nothing from now on. */
  handOver(): void {
    this.#isEnded = true;
  }

  /** Cuts the connection: for a caller that reads nothing, or a body that must not be read on. */
  destroy(): void {
    this.#exchange.destroy();
  }

  /** Tells the client not to send another request on this connection. */
  closeAfter(): void {
    this.#exchange.closeAfter();
  }
}
