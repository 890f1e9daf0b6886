/** One call to an upstream: what is sent, and who receives the answer. Knows no sockets. */
import type { AnswerController, AnswerHandler } from "../../lib/net/http-client.ts";
import type { AnswerHeaders } from "./answer-headers.ts";

/** The connection a call is on. */
interface Carrier {
  pause(): void;
  resume(): void;
  drop(call: OutboundCall): void;
}

/**
 * The controller of its handler. An object per call, not the connection itself: a handler may keep its
 * controller after the answer, when the connection serves another call.
 */
export class OutboundCall implements AnswerController {
  /** Undefined before it has one, and after the end. */
  connection: Carrier | undefined = undefined;
  /** After the end the handler is not called again. */
  isOver = false;
  #isStarted = false;
  head: string;
  /** Undefined: none, or no longer needed. */
  body: Buffer | undefined;
  readonly bodyBytes: number;
  readonly #handler: AnswerHandler;

  constructor(head: string, body: Buffer | undefined, handler: AnswerHandler) {
    this.head = head;
    this.body = body;
    this.bodyBytes = body?.length ?? 0;
    this.#handler = handler;
  }

  /** Frees what was sent, which a long stream would keep in memory to its end. */
  dropSent(): void {
    this.head = "";
    this.body = undefined;
  }

  pause(): void {
    this.connection?.pause();
  }

  resume(): void {
    this.connection?.resume();
  }

  abort(reason: Error): void {
    this.fail(reason);
  }

  /** The request is about to be written. The handler may abort it then. */
  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    try {
      this.#handler.onRequestStart(this);
    } catch (error) {
      this.fail(error as Error);
    }
  }

  answer(status: number, headers: AnswerHeaders): void {
    try {
      this.#handler.onResponseStart(this, status, headers);
    } catch (error) {
      this.fail(error as Error);
    }
  }

  /** `bytes`: a view that is valid until this returns. */
  take(bytes: Buffer): void {
    try {
      this.#handler.onResponseData(this, bytes);
    } catch (error) {
      this.fail(error as Error);
    }
  }

  end(): void {
    if (this.isOver) return;
    this.isOver = true;
    try {
      this.#handler.onResponseEnd(this);
    } catch (error) {
      this.#handler.onResponseError(this, error as Error);
    }
  }

  /** There will be no answer, or no more of it. Takes the call off its connection. */
  fail(error: Error): void {
    if (this.isOver) return;
    this.isOver = true;
    this.connection?.drop(this);
    this.#handler.onResponseError(this, error);
  }
}
