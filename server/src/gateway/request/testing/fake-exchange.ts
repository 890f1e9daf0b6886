/**
 * An exchange without a connection: records what is written, throws on calls in the wrong order, and plays
 * the caller.
 */
import assert from "node:assert/strict";
import type { BodySink, Exchange, ExchangeListener, RequestHeaders } from "../../../lib/net/exchange.ts";

export class FakeExchange implements Exchange {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: RequestHeaders;
  readonly peerAddress: string | undefined = "192.0.2.1";
  isReceived = false;
  listener: ExchangeListener | undefined;
  /** What `write` returns. */
  takes = true;
  /**
   * The calls in order: `head 200`, `write`, `end`, `end after body`, `close after`, `destroy`, `pause`,
   * `resume`.
   */
  readonly did: string[] = [];
  /** Headers of the answer, flat, as they were sent. */
  sent: readonly string[] = [];
  readonly pieces: Buffer[] = [];
  #sink: BodySink | undefined;
  #isEnded = false;

  constructor({
    method = "POST",
    path = "/v1/chat/completions",
    query = "",
    headers = {},
  }: Partial<Exchange> = {}) {
    this.method = method;
    this.path = path;
    this.query = query;
    this.headers = headers;
  }

  /** Body of the answer so far. */
  get text(): string {
    return Buffer.concat(this.pieces).toString();
  }

  /** One header of the answer. */
  header(name: string): string | undefined {
    const at = this.sent.indexOf(name);
    return at < 0 ? undefined : this.sent[at + 1];
  }

  /** The caller sends part of its body; a Buffer is given as it is. */
  send(bytes: Buffer | string): void {
    assert.ok(this.#sink, "the body is not read");
    this.#sink.piece(typeof bytes === "string" ? Buffer.from(bytes) : bytes);
  }

  /** The caller has sent its whole body. */
  finishBody(): void {
    this.isReceived = true;
    this.#sink?.ended();
  }

  /** The caller's connection breaks. */
  leave(): void {
    this.listener?.closed(false);
  }

  /** All bytes are handed to the system. */
  close(): void {
    assert.ok(this.#isEnded, "the answer was not ended");
    this.listener?.closed(true);
  }

  receive(sink: BodySink): void {
    assert.equal(this.#sink, undefined, "the body is read twice");
    this.#sink = sink;
  }

  pause(): void {
    this.did.push("pause");
  }

  resume(): void {
    this.did.push("resume");
  }

  writeHead(status: number, headers: readonly string[]): void {
    assert.deepEqual(this.sent, [], "the head is sent twice");
    assert.equal(headers.length % 2, 0);
    this.sent = headers;
    this.did.push(`head ${status}`);
  }

  write(bytes: Buffer): boolean {
    this.#take("write", bytes);
    return this.takes;
  }

  end(bytes?: Buffer): void {
    this.#take("end", bytes);
    this.#isEnded = true;
  }

  endAfterBody(): void {
    this.#take("end after body", undefined);
    this.#isEnded = true;
  }

  closeAfter(): void {
    assert.deepEqual(this.sent, [], "the head is sent already");
    this.did.push("close after");
  }

  destroy(): void {
    this.did.push("destroy");
  }

  #take(what: string, bytes: Buffer | undefined): void {
    assert.notDeepEqual(this.sent, [], "the head is not sent yet");
    assert.equal(this.#isEnded, false, "the answer has ended");
    this.did.push(what);
    // What ends the answer may still be waiting for the system, so it is not copied.
    if (bytes !== undefined) this.pieces.push(what === "end" ? bytes : Buffer.from(bytes));
  }
}
