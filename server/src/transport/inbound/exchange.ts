/**
 * Implements `Exchange` for one plain request on a connection of our own. An object per request, so that code
 * which still knows a request after its end cannot reach the next one on its connection.
 */
import type { BodySink, Exchange, ExchangeListener, RequestHeaders } from "../../lib/net/exchange.ts";
import { answerHead } from "./answer-head.ts";
import type { PlainHead } from "./plain.ts";

const lastChunk = "0\r\n\r\n";

/** What an exchange asks of its connection. */
export interface ExchangeConnection {
  readonly peerAddress: string | undefined;
  /** True when the current answer must announce the connection's end. Decided when its head is written. */
  closesAfter(): boolean;
  /** The value of `Date` and of `Keep-Alive`. */
  readonly date: string;
  readonly keepAliveSeconds: number;
  /** One write. False: the caller is slow, wait for `drained`. */
  send(before: string, bytes: Buffer | undefined, after: string): boolean;
  /** The answer has been written. */
  finish(): void;
  /** Reads on or not, according to `isBodyWanted`. */
  updateReading(): void;
  /** Waits for the rest of the body, then calls `end`. */
  awaitBodyEnd(): void;
  mustClose: boolean;
  destroy(): void;
}

/** Bytes of a body that are kept for a reader that has not come yet; further ones wait in the system. */
const keptBytesMax = 64 * 1024;

export class InboundExchange implements Exchange {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: RequestHeaders;
  isReceived = false;
  listener: ExchangeListener | undefined = undefined;
  /** True once `end` was called. */
  isEnded = false;
  /** Ends the answer when the body has arrived. */
  endsAfterBody = false;
  #connection: ExchangeConnection | undefined;
  #head = "";
  #isChunked = false;
  #sink: BodySink | undefined = undefined;
  #kept: Buffer[] | undefined = undefined;
  #keptBytes = 0;
  #isPaused = false;
  #isDelivering = false;
  #isBodyEnded = false;

  constructor(connection: ExchangeConnection, { method, path, query, headers }: PlainHead) {
    this.#connection = connection;
    this.method = method;
    this.path = path;
    this.query = query;
    this.headers = headers;
  }

  get peerAddress(): string | undefined {
    return this.#connection?.peerAddress;
  }

  /** False: its connection should read no more of the body now. */
  get isBodyWanted(): boolean {
    return !this.#isPaused && this.#keptBytes < keptBytesMax;
  }

  /** Called by the connection with the next bytes of the body, which may be kept; undefined at its end. */
  take(bytes: Buffer | undefined): void {
    if (bytes === undefined) this.isReceived = true;
    if (this.endsAfterBody) {
      if (bytes === undefined) this.end();
      return;
    }
    if (bytes === undefined) this.#deliver();
    else if (this.#sink !== undefined && !this.#isPaused && this.#kept === undefined) this.#sink.piece(bytes);
    else this.#keep(bytes);
  }

  #keep(bytes: Buffer): void {
    if (this.#kept === undefined) this.#kept = [bytes];
    else this.#kept.push(bytes);
    this.#keptBytes += bytes.length;
  }

  /** A sink may pause, resume or end the exchange while it takes a piece. */
  #deliver(): void {
    const sink = this.#sink;
    if (sink === undefined || this.#isDelivering) return;
    this.#isDelivering = true;
    while (!this.#isPaused && this.#kept !== undefined) {
      const bytes = this.#kept.shift() as Buffer;
      this.#keptBytes -= bytes.length;
      if (this.#kept.length === 0) this.#kept = undefined;
      sink.piece(bytes);
    }
    this.#isDelivering = false;
    if (this.#isPaused || !this.isReceived || this.#isBodyEnded || this.#sink !== sink) return;
    this.#isBodyEnded = true;
    // It may hold the whole body, and the answer may take minutes.
    this.#sink = undefined;
    sink.ended();
  }

  receive(sink: BodySink): void {
    this.#sink = sink;
    this.#deliver();
    this.#connection?.updateReading();
  }

  pause(): void {
    this.#isPaused = true;
    this.#connection?.updateReading();
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#deliver();
    this.#connection?.updateReading();
  }

  writeHead(status: number, headers: readonly string[]): void {
    const connection = this.#connection;
    if (connection === undefined) return;
    const { text, isChunked } = answerHead(status, headers, connection);
    this.#head = text;
    this.#isChunked = isChunked;
  }

  write(bytes: Buffer): boolean {
    const connection = this.#connection;
    const { length } = bytes;
    // An empty chunk would end the body.
    if (connection === undefined || length === 0) return true;
    const before = this.#takeHead();
    if (this.#isChunked) return connection.send(`${before}${length.toString(16)}\r\n`, bytes, "\r\n");
    return connection.send(before, bytes, "");
  }

  end(bytes?: Buffer): void {
    const connection = this.#connection;
    if (connection === undefined || this.isEnded) return;
    this.isEnded = true;
    let before = this.#takeHead();
    let after = "";
    if (this.#isChunked) {
      const length = bytes?.length ?? 0;
      if (length > 0) before += `${length.toString(16)}\r\n`;
      after = length > 0 ? `\r\n${lastChunk}` : lastChunk;
    }
    if (before !== "" || after !== "" || bytes !== undefined) connection.send(before, bytes, after);
    connection.finish();
  }

  /** Ends an answer of declared length with the bytes of this latin1 text. */
  endText(text: string): void {
    const connection = this.#connection;
    if (connection === undefined) return;
    this.isEnded = true;
    connection.send(this.#takeHead() + text, undefined, "");
    connection.finish();
  }

  endAfterBody(): void {
    if (this.isReceived) {
      this.end();
      return;
    }
    this.endsAfterBody = true;
    this.#sink = undefined;
    this.#kept = undefined;
    this.#keptBytes = 0;
    this.#isPaused = false;
    this.#connection?.awaitBodyEnd();
  }

  closeAfter(): void {
    if (this.#connection !== undefined) this.#connection.mustClose = true;
  }

  destroy(): void {
    this.#connection?.destroy();
  }

  /** Called by the connection, once, at the end. */
  close(isComplete: boolean): void {
    this.#connection = undefined;
    this.#sink = undefined;
    this.#kept = undefined;
    this.listener?.closed(isComplete);
  }

  #takeHead(): string {
    const head = this.#head;
    if (head !== "") this.#head = "";
    return head;
  }
}
