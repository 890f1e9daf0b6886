/**
 * One upstream call: sends it, keeps its timers, notices the caller leaving, and ends in
 * exactly one `AttemptEnd`. What is done with the answer's bytes belongs to its two kinds:
 * `answer.ts` (whole) and `relay.ts` (streamed).
 */
import type { Timeouts } from "@plaza/contract/catalog.ts";
import type { Usage } from "@plaza/contract/usage.ts";
import type { Delivered } from "../../../domain/money/estimate.ts";
import { hasImpossibleCount, isPossible } from "../../../domain/money/usage-trust.ts";
import type { AnswerController, AnswerHandler } from "../../../lib/net/http-client.ts";
import type { Clock } from "../../../lib/time/clock.ts";
import { Tickable, type Ticker } from "../../../lib/time/ticker.ts";
import type { Fault, UpstreamHeaders } from "../../../protocols/protocol.ts";
import type { AnswerReader, WireProtocol } from "../../../protocols/wire-protocol.ts";
import type { Provider } from "../../../providers/provider.ts";
import type { Caller } from "../../request/authenticate.ts";
import type { DisconnectPolicy, OnDisconnect, ReadingOn } from "../../request/client-disconnect.ts";
import type { CallerWatcher, Reply } from "../../request/reply.ts";
import type { GatewaySettings } from "../../settings.ts";
import type { BoundTranslation } from "./translated-call.ts";

export type AttemptEnd =
  /** A whole answer arrived; nothing of it was sent yet. */
  | {
      readonly kind: "answer";
      readonly body: Buffer;
      readonly usage: Usage | undefined;
      readonly delivered: Delivered;
    }
  /** A stream was relayed up to its terminal marker, which is `tail` and waits for settlement. */
  | {
      readonly kind: "stream";
      readonly tail: Buffer;
      readonly usage: Usage | undefined;
      readonly delivered: Delivered;
    }
  /** Content had reached the caller, then the upstream broke. */
  | {
      readonly kind: "cut";
      readonly fault: Fault;
      readonly usage: Usage | undefined;
      readonly delivered: Delivered;
    }
  /** The upstream failed before any content; `usage` is what it says it used all the same. */
  | { readonly kind: "fault"; readonly fault: Fault; readonly usage: Usage | undefined }
  /** The caller left. */
  | { readonly kind: "aborted"; readonly usage: Usage | undefined; readonly delivered: Delivered };

/** Says whether the process gives up what it has not finished. */
export interface Interruption {
  isInterrupted: boolean;
}

export interface AttemptContext {
  readonly interruption: Interruption;
  readonly disconnects: DisconnectPolicy;
  readonly clock: Clock;
  readonly ticker: Ticker;
  readonly settings: GatewaySettings;
}

/** What one attempt needs to know. */
export interface AttemptOptions {
  readonly provider: Pick<Provider, "fault">;
  /** The wire format the caller gets. */
  readonly protocol: WireProtocol;
  readonly timeouts: Timeouts;
  /**
   * How long the answer may take to begin: the first content of a stream, the first byte of
   * a whole answer's JSON. Milliseconds.
   */
  readonly beginMs: number;
  readonly reply: Reply;
  /** May usage be shown in the stream? */
  readonly showsUsage: boolean;
  readonly onDisconnect: OnDisconnect;
  /** Most tokens the request can use (`domain/money/usage-trust.ts`); a report of more is not believed. */
  readonly tokensMax: number;
  /** Whose call it is: it ends when its key does. */
  readonly caller: Pick<Caller, "ended">;
  /** Absent: the answer is in the caller's format already. */
  readonly translation?: BoundTranslation | undefined;
  /** Reads a whole answer as it comes. Absent: it is read at its end. */
  readonly reader?: AnswerReader | undefined;
  /** Most bytes of a whole answer. */
  readonly answerBytesMax: number;
  /**
   * Elapsed milliseconds at which the whole request has to be over; the total
   * timer of this attempt ends with it.
   */
  readonly deadlineMs: number;
  /**
   * Asked once, before the first byte of this attempt may reach the reply: false = another attempt was
   * faster, and this one was stopped. Absent: there is nobody to ask.
   */
  readonly claim?: (() => boolean) | undefined;
  /** Told once, when the answer begins: a stream has its first content, a whole answer has come. */
  readonly choice?: { answered(nowMs: number): void } | undefined;
  /**
   * Another attempt may run beside this one: the reply's news goes to whoever runs both, until `takeReply`.
   */
  readonly isHedged?: boolean | undefined;
}

/** Most bytes of an error answer that are read to classify it. */
const errorBytesMax = 64 * 1024;

export abstract class Attempt extends Tickable implements AnswerHandler, CallerWatcher {
  /** Elapsed milliseconds of the first content; undefined before it. */
  firstContentMs: number | undefined;
  protected readonly context: AttemptContext;
  protected readonly options: AttemptOptions;
  protected controller: AnswerController | undefined;
  protected usage: Usage | undefined;
  /** Did the upstream report usage that cannot be true? */
  isUsageDoubted = false;
  protected isOver = false;
  protected pausedMs: number | undefined;
  readonly #startedMs: number;
  /** Elapsed milliseconds at which the upstream was last heard of. */
  protected lastByteMs: number;
  #hasHead = false;
  /** Does the reply's news come here? */
  #hasReply = false;
  /** Set once the caller has left and the answer is read on without it. */
  #readingOn: ReadingOn | undefined;
  #leftMs = 0;
  /** Status and headers of an answer that is not a success, whose body is being collected. */
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

  /** From now on the reply's news comes to this attempt. */
  takeReply(): void {
    if (this.#hasReply) return;
    this.#hasReply = true;
    this.options.reply.watch(this);
  }

  get startedMs(): number {
    return this.#startedMs;
  }

  /** Was the request on its way upstream, so that it may be billed whatever became of it here? */
  get isSent(): boolean {
    return this.controller !== undefined;
  }

  /** Judges the head of a successful answer; a fault when it cannot be what was asked for. */
  protected abstract acceptHead(headers: UpstreamHeaders): Fault | undefined;
  protected abstract takeBody(chunk: Buffer): void;
  protected abstract takeEnd(): void;
  protected abstract delivered(): Delivered;
  /** Has the answer not begun, so that the timer of its beginning runs? */
  protected abstract isAwaitingContent(): boolean;
  /** Has content reached the caller, so that no other attempt may be made? */
  protected abstract hasDelivered(): boolean;
  /** The caller has left and the answer is read on: nothing waits for the caller any more. */
  protected abstract onReadingOn(): void;
  /** Called at each tick while the attempt lives. */
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
    refusal.chunks.push(chunk);
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
      // The pool's own timer is that of the upstream; a deployment may have a shorter one.
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

  /** The usage a report says; undefined where it says none, or what cannot be. */
  protected readUsage(report: unknown): Usage | undefined {
    const { protocol, tokensMax } = this.options;
    const usage = protocol.readUsage(report);
    if (usage === undefined) {
      if (hasImpossibleCount(report)) this.isUsageDoubted = true;
      return undefined;
    }
    if (isPossible(usage, tokensMax)) return usage;
    this.isUsageDoubted = true;
    return undefined;
  }

  /** Restarts the idle timer after a pause of our own making. */
  protected touch(): void {
    this.lastByteMs = this.context.clock.elapsedMs();
  }

  /** Counts what calls used that are a part of this attempt, and may have been for nothing. */
  spent(usage: Usage): void {
    if (isPossible(usage, this.options.tokensMax)) this.usage = usage;
    else this.isUsageDoubted = true;
  }

  /** For a call that could not even be built. */
  refuse(fault: Fault): void {
    this.fail(fault);
  }

  /** Another attempt was faster: stops the upstream's work; what it used so far is in the end. */
  stop(): void {
    this.#abandon("another attempt was faster");
  }

  /** May this attempt's bytes go down? Called before its first one; when not, it is over already. */
  protected claim(): boolean {
    return this.options.claim === undefined || this.options.claim();
  }

  /** Ends the attempt with what an answer that is no success, or an error event of a stream, stands for. */
  failWith(status: number, headers: UpstreamHeaders, body: string): void {
    let fault: Fault;
    try {
      fault = this.options.provider.fault(status, headers, body);
    } catch {
      // A mistake of ours must not leave the caller without an answer.
      fault = { kind: "server", status, note: "an error that could not be read" };
    }
    this.fail(fault);
  }

  /** Ends the attempt with a fault and stops the upstream's work. */
  protected fail(fault: Fault): void {
    this.end(
      this.hasDelivered()
        ? { kind: "cut", fault, usage: this.usage, delivered: this.delivered() }
        : { kind: "fault", fault, usage: this.usage },
    );
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

  /**
   * Bytes after the end: nobody wants them. Streams may let a few pass so
   * that the connection can be used again.
   */
  protected takeLate(_chunk: Buffer): void {
    this.controller?.abort(new Error("bytes after the end"));
  }

  /**
   * The caller has left; called once, by the reply, or by whoever starts
   * an attempt for a caller that is gone.
   */
  callerLeft(): void {
    if (this.isOver) return;
    this.#readingOn = this.context.disconnects.readOn(this.options.onDisconnect);
    this.#leftMs = this.context.clock.elapsedMs();
    if (this.#readingOn === undefined) this.#abandon("the caller left");
    else this.onReadingOn();
  }

  /** Stops the upstream's work for want of somebody to read it. */
  #abandon(why: string): void {
    this.end({ kind: "aborted", usage: this.usage, delivered: this.delivered() });
    this.controller?.abort(new Error(why));
  }

  #classifyRefusal(): void {
    const refusal = this.#refusal;
    if (refusal === undefined) return;
    const body = Buffer.concat(refusal.chunks).subarray(0, errorBytesMax).toString("utf8");
    this.failWith(refusal.status, refusal.headers, body);
  }
}
