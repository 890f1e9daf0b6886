/**
 * Writes the answer to one caller (head, bytes and end, each exactly once) and reports events of its
 * connection. Knows the common headers and the error shape, but neither the transport nor the content.
 */
import type { GatewayError } from "@plaza/contract/errors.ts";
import type { Exchange, ExchangeListener } from "../../lib/net/exchange.ts";
import type { StreamFrame, StreamReader, WireProtocol } from "../../protocols/wire-protocol.ts";
import { formatOfPath } from "../endpoints/path-families.ts";
import { type ErrorContext, errorAnswer, failureOf } from "./error-answer.ts";
import { KeptStream } from "./idempotency/kept-stream.ts";

/** Content type of whole answers and errors. */
export const answerType = "application/json; charset=utf-8";

/** Names the model that served, when it is not the one asked for. */
export const servedByHeader = "x-plaza-model";

const streamHeadersOf = (contentType: string): readonly string[] => [
  "content-type",
  contentType,
  "cache-control",
  "no-cache, no-transform",
  "x-accel-buffering",
  "no",
];

/** Head of an event stream, flat: content type first. */
export const streamHeaders = streamHeadersOf("text/event-stream; charset=utf-8");

const keepAliveComment = Buffer.from(": keep-alive\n\n");

/**
 * Receives events of the caller's connection while its answer is made. An object, not a function: one closure
 * per request kept finished requests alive through young-generation collections until V8 optimised it away
 * (measured: a quarter of a busy process's CPU over its first 16,000 requests).
 */
export interface CallerWatcher {
  /** The caller disconnected before the answer ended. Called at most once. */
  callerLeft(): void;
  /** The caller has read what was buffered after `write` returned false. */
  callerCaughtUp?(): void;
}

export class Reply implements ExchangeListener {
  readonly requestId: string;
  /** HTTP status sent; 0 before the head. */
  status = 0;
  /** Monotonic time of the last write, in milliseconds; set by the writer, which has the clock. */
  lastWriteMs = 0;
  #isStream = false;
  #isEnded = false;
  #isGone = false;
  /** Almost always there is one watcher. A list or closure here would cost every request. */
  #watcher: CallerWatcher | undefined;
  #moreWatchers: CallerWatcher[] | undefined;
  #onOver: (() => void) | undefined;
  #isOver = false;
  readonly #exchange: Exchange;
  readonly #common: string[];
  readonly #added: string[] = [];
  #kept: KeptStream | undefined;
  /** What the caller speaks; undefined = no endpoint has said it yet. Errors are then told by the path. */
  #format: WireProtocol | undefined;
  /** Reads the stream whose content is being sent. */
  #reader: StreamReader | undefined;
  #frame: StreamFrame | undefined;

  /** `headers`: a flat list, sent with every answer next to the request id; undefined = none. */
  constructor(exchange: Exchange, requestId: string, headers?: readonly string[]) {
    this.requestId = requestId;
    this.#exchange = exchange;
    exchange.listener = this;
    this.#common =
      headers === undefined ? ["x-request-id", requestId] : ["x-request-id", requestId, ...headers];
  }

  /** From now on answers in this format. */
  speak(format: WireProtocol): void {
    const before = this.#format?.errors;
    this.#format = format;
    if (before === format.errors) return;
    const headers = format.errors?.headers?.(this.requestId);
    if (headers !== undefined) this.#common.push(...headers);
  }

  /** Tells what reads the stream whose content is sent from now on: it knows how that ends where it fails. */
  follow(reader: StreamReader): void {
    this.#reader = reader;
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

  /** Reports connection events to this watcher until `unwatch`. */
  watch(watcher: CallerWatcher): void {
    if (this.#watcher === undefined) this.#watcher = watcher;
    else if (this.#moreWatchers === undefined) this.#moreWatchers = [watcher];
    else this.#moreWatchers.push(watcher);
  }

  /** Stops reporting to this watcher. Does nothing when it was not watching. */
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
    // Copied first, because a watcher may unwatch inside its callback.
    const more = this.#moreWatchers?.slice();
    this.#watcher?.callerLeft();
    for (const watcher of more ?? []) watcher.callerLeft();
  }

  /** Runs `then` once every byte is handed to the system, or the connection has closed. */
  whenOver(then: () => void): void {
    if (this.#isOver) then();
    else this.#onOver = then;
  }

  /** Adds a header to whatever answer is sent. */
  addHeader(name: string, value: string): void {
    this.#common.push(name, value);
    this.#added.push(name, value);
  }

  /** Adds headers (flat) that a stored answer must not keep, such as rate limits. */
  addPassingHeaders(headers: readonly string[]): void {
    this.#common.push(...headers);
  }

  /** What `addHeader` added, flat: name, value, name, value … */
  get addedHeaders(): readonly string[] {
    return this.#added;
  }

  /** Starts keeping a copy of the stream, also after the caller disconnects. */
  keepStream(bytesMax: number): void {
    this.#kept = new KeptStream(bytesMax);
  }

  /** Returns the kept copy followed by `tail`; undefined when it exceeds the limit. */
  keptStream(tail: Buffer): Buffer | undefined {
    const events = this.#kept?.endedBy(tail);
    return events === undefined ? undefined : (this.#format?.streamFrame?.create().end(events) ?? events);
  }

  /** Head of this caller's streams, flat: content type first. */
  get streamHeaders(): readonly string[] {
    const frame = this.#format?.streamFrame;
    return frame === undefined ? streamHeaders : streamHeadersOf(frame.contentType);
  }

  /** The events that end a stream which fails after what was sent. */
  failureOf(error: GatewayError): Buffer {
    return failureOf(error, { ...this.#errorContext(), headers: {} }, this.#reader);
  }

  /** An error before any endpoint was chosen is written in the format of the path that was called. */
  #errorContext(): ErrorContext {
    if (this.#format === undefined) {
      const format = formatOfPath(this.#exchange.path, this.#exchange.headers);
      if (format !== undefined) this.speak(format);
    }
    return { format: this.#format, requestId: this.requestId, headers: this.#exchange.headers };
  }

  /** True when the caller disconnected before the end of its answer. */
  get isGone(): boolean {
    return this.#isGone;
  }

  /** True once a stream has begun; errors can then only be sent inside it. */
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
    this.#frame = this.#format?.streamFrame?.create();
    this.#exchange.writeHead(200, [...this.streamHeaders, ...this.#common, ...headers]);
  }

  /**
   * Writes a piece of the stream, whose memory may be used again when this returns. False: wait for
   * `callerCaughtUp` before writing more.
   */
  write(bytes: Buffer): boolean {
    this.#kept?.push(bytes);
    if (this.#isEnded) return true;
    return this.#exchange.write(this.#frame === undefined ? bytes : this.#frame.push(bytes));
  }

  /** Keeps proxies and clients from timing out. Begins the stream if nothing was sent yet. */
  comment(): void {
    if (this.#isEnded) return;
    this.beginStream();
    this.write(this.#format?.keepAlive ?? keepAliveComment);
  }

  /** Ends the stream with its last bytes. */
  endStream(tail: Buffer): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#exchange.end(this.#frame === undefined ? tail : this.#frame.end(tail));
  }

  /** Sends a whole answer. */
  send(status: number, contentType: string, body: Buffer, headers: readonly string[] = []): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.status = status;
    this.#exchange.writeHead(status, this.#wholeHead(contentType, body, headers));
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

  /** Sends an error: as a whole answer if nothing was sent yet, otherwise as the stream's last event. */
  fail(error: GatewayError, headers: readonly string[] = []): void {
    if (this.#isStream) {
      this.endStream(failureOf(error, this.#errorContext(), this.#reader));
      return;
    }
    const wire = errorAnswer(error, this.#errorContext());
    this.send(wire.status, answerType, wire.body, [...wire.headers, ...headers]);
  }

  /**
   * Refuses a request whose body may still be arriving. The error is sent at once, but the connection stays
   * open until the body has been received: closing earlier makes the client's system discard the error.
   */
  refuse(error: GatewayError): void {
    if (this.#exchange.isReceived || this.#isStream || this.#isEnded) {
      this.fail(error);
      return;
    }
    const wire = errorAnswer(error, this.#errorContext());
    this.#isEnded = true;
    this.status = wire.status;
    this.#exchange.writeHead(wire.status, this.#wholeHead(answerType, wire.body, wire.headers));
    this.#exchange.write(wire.body);
    this.#exchange.endAfterBody();
  }

  #wholeHead(contentType: string, body: Buffer, headers: readonly string[]): string[] {
    const length = String(body.length);
    return ["content-type", contentType, "content-length", length, ...this.#common, ...headers];
  }

  /** Stops this reply from writing, because other code writes the answer. */
  handOver(): void {
    this.#isEnded = true;
  }

  /** Cuts the connection, for a caller that does not read or a body that must not be read. */
  destroy(): void {
    this.#exchange.destroy();
  }

  /** Asks the client to open a new connection for its next request. */
  closeAfter(): void {
    this.#exchange.closeAfter();
  }
}
