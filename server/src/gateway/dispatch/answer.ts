/**
 * A whole (non-streamed) answer: collected, checked to be one, and handed over byte for byte.
 * Nothing reaches the caller before it is complete, so every fault keeps its status and
 * another deployment may still be tried.
 */
import { type Delivered, noDelivery } from "../../domain/money/estimate.ts";
import type { Fault, UpstreamHeaders } from "../../protocols/protocol.ts";
import { Attempt } from "./attempt.ts";
import { mediaTypeOf } from "./media-type.ts";

/** Up to here bytes are blank: upstreams that are busy send such ones, to keep a connection open. */
const blankMax = 0x20;

export class AnswerAttempt extends Attempt {
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  #hasBegun = false;

  protected acceptHead(headers: UpstreamHeaders): Fault | undefined {
    const type = String(headers["content-type"] ?? "");
    if (/^(?:application\/(?:[\w.+-]+\+)?json|text\/plain)\b/i.test(type) || type === "") return undefined;
    return { kind: "server", status: 200, note: `content type ${mediaTypeOf(headers)}` };
  }

  protected takeBody(chunk: Buffer): void {
    if (!this.#hasBegun) this.#hasBegun = chunk.some((byte) => byte > blankMax);
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes > this.context.settings.answerBytesMax) {
      this.fail({ kind: "server", note: `answer larger than ${this.context.settings.answerBytesMax} bytes` });
    }
  }

  protected takeEnd(): void {
    const only = this.#chunks[0];
    const arrived =
      this.#chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.#chunks, this.#bytes);
    const { translation, protocol } = this.options;
    const body = translation === undefined ? arrived : translation.whole(arrived);
    if (body === undefined) {
      this.failWith(200, {}, arrived.subarray(0, 64 * 1024).toString("utf8"));
      return;
    }
    const answer = protocol.readWhole(body);
    if (answer === undefined) {
      this.failWith(200, {}, body.subarray(0, 64 * 1024).toString("utf8"));
      return;
    }
    const usage = this.readUsage(answer.usage);
    const delivered =
      usage === undefined
        ? { ...noDelivery, contentBytes: protocol.contentBytes(body, answer.content) }
        : noDelivery;
    this.usage = usage;
    if (!this.claim()) return;
    this.options.choice?.answered(this.context.clock.elapsedMs());
    this.end({ kind: "answer", body, usage, delivered });
  }

  protected delivered(): Delivered {
    return noDelivery;
  }

  protected isAwaitingContent(): boolean {
    return !this.#hasBegun;
  }

  protected hasDelivered(): boolean {
    return false;
  }

  protected onReadingOn(): void {}

  protected onTick(): void {}
}
