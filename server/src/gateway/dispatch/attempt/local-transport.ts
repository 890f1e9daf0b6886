/**
 * Plays a local provider's script through the same handler calls as an HTTP answer, pauses included, so the
 * rest of the gateway needs no special case.
 */
import type { AnswerController, AnswerHandler } from "../../../lib/net/http-client.ts";
import type { Script } from "../../../providers/provider.ts";

class Player implements AnswerController {
  readonly #script: Script;
  readonly #handler: AnswerHandler;
  #next = 0;
  #timer: NodeJS.Timeout | undefined;
  #isPaused = false;
  #isOver = false;
  #hasHead = false;

  constructor(script: Script, handler: AnswerHandler) {
    this.#script = script;
    this.#handler = handler;
  }

  start(): void {
    this.#handler.onRequestStart(this);
    this.#plan();
  }

  pause(): void {
    this.#isPaused = true;
    clearTimeout(this.#timer);
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#plan();
  }

  abort(reason: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#handler.onResponseError(this, reason);
  }

  #plan(): void {
    if (this.#isOver || this.#isPaused) return;
    const step = this.#script.steps[this.#next];
    if (step === undefined) {
      setImmediate(() => this.#finish());
      return;
    }
    this.#timer = setTimeout(() => this.#play(), step.afterMs);
  }

  #play(): void {
    const step = this.#script.steps[this.#next];
    if (step === undefined || this.#isOver) return;
    this.#next += 1;
    this.#sendHead();
    if (!this.#isOver) this.#handler.onResponseData(this, step.bytes);
    this.#plan();
  }

  #sendHead(): void {
    if (this.#hasHead) return;
    this.#hasHead = true;
    this.#handler.onResponseStart(this, this.#script.status, this.#script.headers);
  }

  #finish(): void {
    if (this.#isOver || this.#isPaused || this.#script.ending === "hang") return;
    if (this.#script.ending === "cut") {
      this.abort(new Error("the script cut the connection"));
      return;
    }
    this.#sendHead();
    if (this.#isOver) return;
    this.#isOver = true;
    this.#handler.onResponseEnd(this);
  }
}

/** Starts playing. Every outcome is reported to the handler. */
export function playScript(script: Script, handler: AnswerHandler): void {
  new Player(script, handler).start();
}
