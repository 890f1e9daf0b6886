/** For tests: a call that reached an upstream and is answered by the test. */
import type { AnswerController, AnswerHandler, HttpCall } from "../../../lib/net/http-client.ts";
import { passChunk } from "../../../lib/net/testing/pass-chunk.ts";

export class FakeCall implements AnswerController {
  readonly upstream: string;
  readonly body: string;
  readonly headers: readonly string[];
  /** Why the gateway aborted it. */
  aborted: string | undefined;
  isPaused = false;
  readonly #handler: AnswerHandler;

  constructor(upstream: string, call: HttpCall, handler: AnswerHandler) {
    this.upstream = upstream;
    this.body = call.body.toString();
    this.headers = call.headers;
    this.#handler = handler;
  }

  connect(): this {
    this.#handler.onRequestStart(this);
    return this;
  }

  head(status = 200, headers: Record<string, string> = { "content-type": "text/event-stream" }): this {
    this.#handler.onResponseStart(this, status, headers);
    return this;
  }

  bytes(text: string): this {
    passChunk(this.#handler, this, Buffer.from(text));
    return this;
  }

  /** Events of a stream, in one piece. */
  events(...words: readonly string[]): this {
    return this.bytes(words.map((word) => `data: ${word}\n\n`).join(""));
  }

  end(): void {
    this.#handler.onResponseEnd(this);
  }

  /** The connection breaks. */
  break(code = "ECONNRESET"): void {
    this.#handler.onResponseError(this, Object.assign(new Error(code), { code }));
  }

  /** A whole answer with a usage of 10 and 5 tokens. */
  answer(body = '{"said":"hi","used":{"in":10,"out":5}}'): void {
    this.head(200, { "content-type": "application/json" }).bytes(body).end();
  }

  /** An error answer. */
  refuse(status: number, error: object = {}, headers: Record<string, string> = {}): void {
    this.head(status, { "content-type": "application/json", ...headers })
      .bytes(JSON.stringify({ error }))
      .end();
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
  }

  abort(reason: Error): void {
    if (this.aborted !== undefined) return;
    this.aborted = reason.message;
    this.#handler.onResponseError(this, reason);
  }
}
