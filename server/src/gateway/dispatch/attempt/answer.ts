/**
 * A whole (non-streamed) answer: collected, validated and passed on byte for byte. Nothing is sent before it
 * is complete, so a failure can still get its proper status or another deployment.
 */
import { isAllZero, type Usage } from "@plaza/contract/usage.ts";
import { type Delivered, noDelivery } from "../../../domain/money/estimate.ts";
import { inSlices, joinChunks, type Sliced, turns } from "../../../lib/time/slices.ts";
import type { Fault, UpstreamHeaders } from "../../../protocols/protocol.ts";
import type { AnswerReader } from "../../../protocols/wire-protocol.ts";
import { bufferOf, ownBytes } from "../threads/messages.ts";
import {
  type TranslationSession,
  TranslationStopped,
  threadedBytesMin,
} from "../threads/translation-threads.ts";
import { Attempt } from "./attempt.ts";
import { mediaTypeOf } from "./media-type.ts";
import { openSession, remember } from "./threaded-call.ts";
import type { BoundTranslation } from "./translated-call.ts";

/** Bytes up to here are whitespace. Busy upstreams send it to keep the connection open. */
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
    this.#chunks.push(Buffer.from(chunk));
    this.#bytes += chunk.length;
    const { answerBytesMax, reader } = this.options;
    if (this.#bytes > answerBytesMax) {
      this.fail({ kind: "server", note: `answer larger than ${answerBytesMax} bytes` });
    } else if (reader !== undefined) {
      reader.push(chunk);
    }
  }

  protected takeEnd(): void {
    const { translation, protocol, reader } = this.options;
    if (reader !== undefined) {
      this.#finish(reader);
      return;
    }
    if (translation !== undefined && this.#translateInThread(translation)) return;
    const only = this.#chunks[0];
    const arrived =
      this.#chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.#chunks, this.#bytes);
    let said: Delivered | undefined;
    const body =
      translation === undefined
        ? arrived
        : translation.whole(arrived, (all) => {
            said = all;
          });
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
      usage === undefined || isAllZero(usage)
        ? (said ?? { ...noDelivery, ...protocol.contentSize(body, answer.content) })
        : noDelivery;
    this.#complete(body, usage, delivered);
  }

  /** Translates a large answer, or that of a large request, in a thread. False: the event loop has to. */
  #translateInThread(translation: BoundTranslation): boolean {
    const { protocol, choice } = this.options;
    const { threads } = this.context;
    let { session } = translation;
    if (session === undefined) {
      if (this.#bytes < threadedBytesMin || threads === undefined || choice?.live === undefined) return false;
      const { deployment, live } = choice.live;
      session = openSession(threads, protocol, { upstream: live.upstream, deployment }, translation);
      if (session === undefined) return false;
    }
    void this.#finishInThread(session, translation);
    return true;
  }

  async #finishInThread(session: TranslationSession, translation: BoundTranslation): Promise<void> {
    try {
      const arrived = ownBytes(await inSlices(joinChunks(this.#chunks, this.#bytes), this.#pause));
      const written = await session.run("whole", arrived, [arrived.buffer]);
      if (this.isOver) return;
      if ("other" in written) {
        this.failWith(200, {}, written.other);
        return;
      }
      remember(translation.request, written.remembered);
      const usage = this.readUsage(written.report);
      const isCounted = usage === undefined || isAllZero(usage);
      this.#complete(bufferOf(written.body), usage, isCounted ? written.said : noDelivery);
    } catch (error) {
      const isOurs = error instanceof TranslationStopped;
      const note = isOurs ? error.message : "an answer that could not be translated";
      this.fail({ kind: isOurs ? "stopping" : "server", note });
    } finally {
      session.close();
    }
  }

  #complete(body: Buffer, usage: Usage | undefined, delivered: Delivered): void {
    this.usage = usage;
    if (!this.claim()) return;
    this.options.choice?.answered(this.context.clock.elapsedMs());
    this.end({ kind: "answer", body, usage, delivered });
  }

  #finish(reader: AnswerReader): void {
    const reading = inSlices(this.#read(reader), this.#pause);
    if (reading instanceof Promise) {
      void reading.catch(() =>
        this.fail({ kind: "server", status: 200, note: "an answer that could not be read" }),
      );
    }
  }

  *#read(reader: AnswerReader): Sliced<void> {
    const arrived = yield* joinChunks(this.#chunks, this.#bytes);
    const read = yield* reader.finish(arrived);
    if (read === undefined) this.failWith(200, {}, arrived.subarray(0, 64 * 1024).toString("utf8"));
    else if ("note" in read) this.fail({ kind: "server", status: 200, note: read.note });
    else this.#complete(read.body, this.readUsage(read.usage), noDelivery);
  }

  /** Slicing is Plaza's own delay, so restart the idle timer. */
  readonly #pause = async (): Promise<void> => {
    await turns.next();
    if (this.isOver) throw new Error("the attempt is over");
    this.touch();
  };

  /** Reports progress of an answer whose bytes do not pass through here. */
  progress(): void {
    this.#hasBegun = true;
    this.touch();
  }

  /** Completes with an answer joined from a batch. `report`: its usage, for `readUsage`. */
  complete(body: Buffer, report: unknown): void {
    if (!this.isOver) this.#complete(body, this.readUsage(report), noDelivery);
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
