/**
 * One upstream call: its timers, the caller's disconnect, and exactly one `AttemptEnd`. The subclasses in
 * `answer.ts` (whole) and `relay.ts` (streamed) handle the answer's bytes.
 */
import type { Timeouts } from "@plaza/contract/catalog.ts";
import { isAllZero, type Usage } from "@plaza/contract/usage.ts";
import type { Delivered } from "../../../domain/money/estimate.ts";
import { hasImpossibleCount, isPossible } from "../../../domain/money/usage-trust.ts";
import type { AnswerController, AnswerHandler } from "../../../lib/net/http-client.ts";
import type { Clock } from "../../../lib/time/clock.ts";
import { Tickable, type Ticker } from "../../../lib/time/ticker.ts";
import type { Fault, UpstreamHeaders } from "../../../protocols/protocol.ts";
import type { AnswerReader, EarlierEvents, WireProtocol } from "../../../protocols/wire-protocol.ts";
import type { Provider } from "../../../providers/provider.ts";
import type { Caller } from "../../request/authenticate.ts";
import type { DisconnectPolicy, OnDisconnect, ReadingOn } from "../../request/client-disconnect.ts";
import type { CallerWatcher, Reply } from "../../request/reply.ts";
import type { GatewaySettings } from "../../settings.ts";
import type { LiveDeployment } from "../../snapshot.ts";
import type { TranslationThreads } from "../threads/translation-threads.ts";
import type { BoundTranslation } from "./translated-call.ts";

/**
 * `usage`: as the upstream reported it. `prompt`: what it told of the prompt alone, for estimates where there
 * is no usage.
 */
export type AttemptEnd =
  /** A whole answer arrived. None of it has been sent to the caller yet. */
  | {
      readonly kind: "answer";
      readonly body: Buffer;
      readonly usage: Usage | undefined;
      readonly delivered: Delivered;
    }
  /** A stream was relayed up to its terminal marker. `tail` is that marker, to be sent after settlement. */
  | {
      readonly kind: "stream";
      readonly tail: Buffer;
      /** Ids of what the upstream keeps of the answer. */
      readonly keptIds?: readonly string[] | undefined;
      /** What the marker lacks of the answer that it should repeat; absent: nothing. */
      readonly lacking?: EarlierEvents | undefined;
      readonly usage: Usage | undefined;
      readonly prompt?: Usage | undefined;
      readonly delivered: Delivered;
    }
  /** The upstream failed after content had reached the caller. */
  | {
      readonly kind: "cut";
      readonly fault: Fault;
      readonly usage: Usage | undefined;
      readonly prompt?: Usage | undefined;
      readonly delivered: Delivered;
    }
  /** The upstream failed before any content. `usage`: what it reported nevertheless. */
  | { readonly kind: "fault"; readonly fault: Fault; readonly usage: Usage | undefined }
  /** The caller disconnected, or a faster attempt won. */
  | {
      readonly kind: "aborted";
      readonly usage: Usage | undefined;
      readonly prompt?: Usage | undefined;
      readonly delivered: Delivered;
    };

/** True once the process stops unfinished work. */
export interface Interruption {
  isInterrupted: boolean;
}

export interface AttemptContext {
  /** Translates what is large. Absent: all is translated on the event loop. */
  readonly threads?: TranslationThreads | undefined;
  readonly interruption: Interruption;
  readonly disconnects: DisconnectPolicy;
  readonly clock: Clock;
  readonly ticker: Ticker;
  readonly settings: GatewaySettings;
}

/** Input of one attempt. */
export interface AttemptOptions {
  readonly provider: Pick<Provider, "fault">;
  /** The wire format of the caller. */
  readonly protocol: WireProtocol;
  readonly timeouts: Timeouts;
  /**
   * Time limit in milliseconds for the first content of a stream, or for the first byte of JSON in a whole
   * answer.
   */
  readonly beginMs: number;
  readonly reply: Reply;
  /** True when the stream may show usage to the caller. */
  readonly showsUsage: boolean;
  readonly onDisconnect: OnDisconnect;
  /** Maximum tokens the request can use (`domain/money/usage-trust.ts`). A larger report is not believed. */
  readonly tokensMax: number;
  /** The attempt ends when its caller's key is shut down. */
  readonly caller: Pick<Caller, "ended">;
  /** Bytes of the request as the caller sent it. */
  readonly bodyBytes: number;
  /** Absent: the answer already has the caller's format. */
  readonly translation?: BoundTranslation | undefined;
  /** Reads a whole answer as it arrives. Absent: it is parsed at its end. */
  readonly reader?: AnswerReader | undefined;
  /** Maximum bytes of a whole answer. */
  readonly answerBytesMax: number;
  /** Monotonic time in milliseconds when the whole request must end. It bounds this attempt too. */
  readonly deadlineMs: number;
  /**
   * Called once, before the first byte may reach the reply. False: another attempt won and this one was
   * stopped. Absent: this attempt always may.
   */
  readonly claim?: (() => boolean) | undefined;
  /** Called once, at the first content of a stream or when a whole answer is complete. */
  readonly choice?: { readonly live?: LiveDeployment; answered(nowMs: number): void } | undefined;
  /** True when another attempt may run in parallel. Reply events then go to the hedge until `takeReply`. */
  readonly isHedged?: boolean | undefined;
}

/** Maximum bytes of an error body that are read. */
const errorBytesMax = 64 * 1024;

export abstract class Attempt extends Tickable implements AnswerHandler, CallerWatcher {
  /** Monotonic time of the first content in milliseconds; undefined before it. */
  firstContentMs: number | undefined;
  protected readonly context: AttemptContext;
  protected readonly options: AttemptOptions;
  protected controller: AnswerController | undefined;
  protected usage: Usage | undefined;
  /** True when the upstream reported usage that is impossible. */
  isUsageDoubted = false;
  /** True when it was stopped because another attempt was faster. */
  isSuperseded = false;
  protected isOver = false;
  protected pausedMs: number | undefined;
  readonly #startedMs: number;
  /** Monotonic time in milliseconds when the upstream last sent something. */
  protected lastByteMs: number;
  #hasHead = false;
  /** True while this attempt watches the reply. */
  #hasReply = false;
  /** Set when the caller has disconnected and the answer is still read. */
  #readingOn: ReadingOn | undefined;
  #leftMs = 0;
  /** An error answer whose body is being collected. */
  #refusal: { status: number; headers: UpstreamHeaders; chunks: Buffer[]; bytes: number } | undefined;
  #finish!: (end: AttemptEnd) => void;
  readonly ended: Promise<AttemptEnd>;

  constructor(context: AttemptContext, options: AttemptOptions) {
    super();
    this.context = context;
    this.options = options;
    this.#startedMs = context.clock.elapsedMs();
    this.lastByteMs = this.#startedMs;
    this.ended = new Promise((resolve) => {
      this.#finish = resolve;
    });
    if (options.isHedged !== true) this.takeReply();
    context.ticker.add(this);
  }

  /** Starts watching the reply. */
  takeReply(): void {
    if (this.#hasReply) return;
    this.#hasReply = true;
    this.options.reply.watch(this);
  }

  get startedMs(): number {
    return this.#startedMs;
  }

  /** True once the request was on its way upstream, so that it may be billed. */
  get isSent(): boolean {
    return this.controller !== undefined;
  }

  /** True while what arrives is the answer asked for, and not an error or something after the end. */
  get takesAnswer(): boolean {
    return this.#hasHead && !this.isOver && this.#refusal === undefined;
  }

  /** Checks the headers of a 2xx answer. Returns a fault when they cannot belong to the answer asked for. */
  protected abstract acceptHead(headers: UpstreamHeaders): Fault | undefined;
  protected abstract takeBody(chunk: Buffer): void;
  protected abstract takeEnd(): void;
  protected abstract delivered(): Delivered;
  /** True until the answer begins; the timer for its beginning runs meanwhile. */
  protected abstract isAwaitingContent(): boolean;
  /** True once content has reached the caller; no other attempt may follow. */
  protected abstract hasDelivered(): boolean;
  /** The caller disconnected and reading continues, so do not wait for the caller any more. */
  protected abstract onReadingOn(): void;
  /** Called on each tick while the attempt runs. */
  protected abstract onTick(nowMs: number): void;

  onRequestStart(controller: AnswerController): void {
    this.controller = controller;
    if (this.isOver) controller.abort(new Error("no longer wanted"));
  }

  onResponseStart(_controller: AnswerController, status: number, headers: UpstreamHeaders): void {
    if (this.isOver || status < 200) return;
    this.#hasHead = true;
    this.lastByteMs = this.context.clock.elapsedMs();
    if (status < 200 || status > 299) {
      this.#refusal = { status, headers, chunks: [], bytes: 0 };
      return;
    }
    const encoding = headers["content-encoding"];
    const fault =
      encoding !== undefined && encoding !== "identity"
        ? ({ kind: "server", status, note: "compressed answer though identity was asked for" } as const)
        : this.acceptHead(headers);
    if (
      fault?.kind === "server" &&
      /json/i.test(String(headers["content-type"] ?? "")) &&
      encoding === undefined
    ) {
      this.#refusal = { status, headers, chunks: [], bytes: 0 };
    } else if (fault !== undefined) {
      this.fail(fault);
    }
  }

  onResponseData(_controller: AnswerController, chunk: Buffer): void {
    if (this.isOver) {
      this.takeLate(chunk);
      return;
    }
    this.lastByteMs = this.context.clock.elapsedMs();
    const refusal = this.#refusal;
    if (refusal === undefined) {
      this.takeBody(chunk);
      return;
    }
    refusal.chunks.push(Buffer.from(chunk));
    refusal.bytes += chunk.length;
    if (refusal.bytes >= errorBytesMax) this.#classifyRefusal();
  }

  onResponseEnd(): void {
    if (this.isOver) return;
    if (this.#refusal !== undefined) this.#classifyRefusal();
    else this.takeEnd();
  }

  onResponseError(_controller: AnswerController, error: Error): void {
    if (this.isOver) return;
    if (this.#refusal !== undefined) {
      this.#classifyRefusal();
      return;
    }
    const code = (error as NodeJS.ErrnoException).code ?? "";
    const kind = code === "UND_ERR_CONNECT_TIMEOUT" || code === "ETIMEDOUT" ? "timeout" : "network";
    this.fail({ kind, note: `${code} ${this.#hasHead ? "after" : "before"} the answer's head` });
  }

  tick(nowMs: number): void {
    const { timeouts, beginMs, deadlineMs } = this.options;
    const sinceStart = nowMs - this.#startedMs;
    if (this.context.interruption.isInterrupted) {
      this.fail({ kind: "stopping", note: "the process stops" });
    } else if (this.options.caller.ended !== undefined) {
      this.fail({ kind: "key_ended", note: "the key was shut down" });
    } else if (sinceStart > timeouts.totalMs || nowMs > deadlineMs) {
      this.fail({ kind: "timeout", note: `total time of ${timeouts.totalMs} ms used up` });
    } else if (this.controller === undefined && sinceStart > timeouts.connectMs) {
      // The connection pool has the upstream's timeout; a deployment's may be shorter.
      this.fail({ kind: "timeout", note: `no connection within ${timeouts.connectMs} ms` });
    } else if (this.isAwaitingContent() && sinceStart > beginMs) {
      this.fail({ kind: "timeout", note: `no content within ${beginMs} ms` });
    } else if (this.#hasHead && this.pausedMs === undefined && nowMs - this.lastByteMs > timeouts.idleMs) {
      this.fail({ kind: "timeout", note: `nothing for ${timeouts.idleMs} ms` });
    } else if (this.#readingOn !== undefined && nowMs - this.#leftMs > this.#readingOn.ms) {
      this.#abandon("the caller left");
    } else {
      this.onTick(nowMs);
    }
  }

  /** Reads a usage report; undefined when it has no usage or an impossible one. */
  protected readUsage(report: unknown): Usage | undefined {
    const { protocol, tokensMax } = this.options;
    const usage = protocol.readUsage(report);
    if (usage === undefined) {
      if (hasImpossibleCount(report)) this.isUsageDoubted = true;
      return undefined;
    }
    if (!isPossible(usage, tokensMax)) {
      this.isUsageDoubted = true;
      return undefined;
    }
    // Zeros alone take nothing back of what was reported before.
    return this.usage !== undefined && isAllZero(usage) ? undefined : usage;
  }

  /** What the upstream has said it used, by the end of the attempt. */
  protected usageSoFar(): Usage | undefined {
    return this.usage;
  }

  /** What it has said of the prompt alone. */
  protected promptSoFar(): Usage | undefined {
    return undefined;
  }

  #soFar() {
    return { usage: this.usageSoFar(), prompt: this.promptSoFar(), delivered: this.delivered() };
  }

  /** Restarts the idle timer after a pause on Plaza's side. */
  protected touch(): void {
    this.lastByteMs = this.context.clock.elapsedMs();
  }

  /** Sets the usage of calls within this attempt, which count even if the attempt fails. */
  spent(usage: Usage): void {
    if (isPossible(usage, this.options.tokensMax)) this.usage = usage;
    else this.isUsageDoubted = true;
  }

  /** Fails an attempt whose call could not be built. */
  refuse(fault: Fault): void {
    this.fail(fault);
  }

  /** Stops this attempt because another won. Its usage so far is in its end. */
  stop(): void {
    this.isSuperseded = !this.isOver;
    this.#abandon("another attempt was faster");
  }

  /** Asks whether this attempt may write to the reply. If not, it has already been stopped. */
  protected claim(): boolean {
    return this.options.claim === undefined || this.options.claim();
  }

  /** Ends the attempt with the fault behind an error answer or a stream's error event. */
  failWith(status: number, headers: UpstreamHeaders, body: string): void {
    let fault: Fault;
    try {
      fault = this.options.provider.fault(status, headers, body);
    } catch {
      // A bug in `fault` must not leave the caller without an answer.
      fault = { kind: "server", status, note: "an error that could not be read" };
    }
    this.fail(fault);
  }

  /** Ends the attempt with a fault and aborts the upstream call. */
  protected fail(fault: Fault): void {
    if (this.hasDelivered()) this.end({ kind: "cut", fault, ...this.#soFar() });
    else this.end({ kind: "fault", fault, usage: this.usageSoFar() });
    this.controller?.abort(new Error("attempt failed"));
  }

  /** Ends the attempt; only the first call counts. */
  protected end(end: AttemptEnd): void {
    if (this.isOver) return;
    this.isOver = true;
    this.context.ticker.delete(this);
    if (this.#hasReply) this.options.reply.unwatch(this);
    this.#readingOn?.end();
    this.#finish(end);
  }

  /** Handles bytes after the end. Streams allow a few, so that the connection can be reused. */
  protected takeLate(_chunk: Buffer): void {
    this.controller?.abort(new Error("bytes after the end"));
  }

  /** Handles a disconnect. Called once, by the reply, or at the start when the caller is already gone. */
  callerLeft(): void {
    if (this.isOver) return;
    this.#readingOn = this.context.disconnects.readOn(this.options.onDisconnect);
    this.#leftMs = this.context.clock.elapsedMs();
    if (this.#readingOn === undefined) this.#abandon("the caller left");
    else this.onReadingOn();
  }

  /** Aborts the upstream call because its answer is no longer needed. */
  #abandon(why: string): void {
    this.end({ kind: "aborted", ...this.#soFar() });
    this.controller?.abort(new Error(why));
  }

  #classifyRefusal(): void {
    const refusal = this.#refusal;
    if (refusal === undefined) return;
    const body = Buffer.concat(refusal.chunks).subarray(0, errorBytesMax).toString("utf8");
    this.failWith(refusal.status, refusal.headers, body);
  }
}
