/**
 * A whole (non-streamed) answer: collected, checked to be one, and handed over byte for byte. Nothing reaches the caller
 * before it is complete, so every fault keeps its status and another deployment may still be tried.
 */
import type { Usage } from "@plaza/contract/usage.ts";
import { type Delivered, noDelivery } from "../../domain/money/estimate.ts";
import { findField } from "../../lib/json/json-scan.ts";
import type { JsonScanner } from "../../lib/json/json-scan-shapes.ts";
import { recordOf } from "../../lib/record.ts";
import { saidBytesIn } from "../../protocols/openai-chat/answers/said.ts";
import type { Fault, UpstreamHeaders } from "../../protocols/protocol.ts";
import { Attempt, type AttemptContext, type AttemptOptions } from "./attempt.ts";
import { mediaTypeOf } from "./media-type.ts";

/** UTF-8 bytes of every text in the choices' messages: what the model wrote, tool calls included. */
function contentLength(choices: unknown): number {
  if (!Array.isArray(choices)) return 0;
  return saidBytesIn(choices.map((choice) => recordOf(choice)["message"]));
}

/** Up to here bytes are blank: upstreams that are busy send such ones, to keep a connection open. */
const blankMax = 0x20;

export class AnswerAttempt extends Attempt {
  readonly #scanners: () => JsonScanner;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  #hasBegun = false;

  constructor(context: AttemptContext, options: AttemptOptions, scanners: () => JsonScanner) {
    super(context, options);
    this.#scanners = scanners;
  }

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
    const { translation } = this.options;
    const body = translation === undefined ? arrived : translation.whole(arrived);
    if (body === undefined) {
      this.failWith(200, {}, arrived.subarray(0, 64 * 1024).toString("utf8"));
      return;
    }
    const scanner = this.#scanners();
    scanner.push(body);
    const scan = scanner.end();
    const choices = scan.reason === undefined ? findField(scan, "choices") : undefined;
    const error = scan.reason === undefined ? findField(scan, "error") : undefined;
    if (
      scan.reason !== undefined ||
      choices?.kind !== "array" ||
      (error !== undefined && error.kind !== "null")
    ) {
      const text = body.subarray(0, 64 * 1024).toString("utf8");
      this.failWith(200, {}, text);
      return;
    }
    const field = findField(scan, "usage");
    let usage: Usage | undefined;
    if (field?.kind === "object") {
      usage = this.readUsage(JSON.parse(body.toString("utf8", field.start, field.end)));
    }
    const delivered =
      usage === undefined
        ? {
            ...noDelivery,
            contentBytes: contentLength(JSON.parse(body.toString("utf8", choices.start, choices.end))),
          }
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
