/**
 * Makes several upstream calls and joins their answers, so that they look like one call to the attempt. A few
 * run at a time; the first failure ends them all. Answers are parsed one by one and in slices, because
 * together they may reach a hundred megabytes.
 */
import { noUsage, type Usage } from "@plaza/contract/usage.ts";
import type { AnswerController, AnswerHandler, HttpClient } from "../../../lib/net/http-client.ts";
import { inSlices, joinChunks, type Sliced } from "../../../lib/time/slices.ts";
import type {
  AnswerPart,
  CallBatch,
  Fault,
  JoinedAnswer,
  UpstreamCall,
  UpstreamHeaders,
} from "../../../protocols/protocol.ts";

/** Maximum number of concurrent calls per request. */
const atOnce = 6;
/** Maximum bytes of an error body that are read. */
const errorBytesMax = 64 * 1024;

/** The attempt that all calls belong to. */
export interface BatchAttempt
  extends Pick<AnswerHandler, "onRequestStart" | "onResponseStart" | "onResponseError"> {
  /** Reports that part of the answer arrived. */
  progress(): void;
  /** Reports the usage of all calls so far. */
  spent(usage: Usage): void;
  /** Ends the attempt: all calls succeeded. `report`: their total usage in the caller's format. */
  complete(body: Buffer, report: unknown): void;
  /** Ends the attempt: a call got an error answer. */
  failWith(status: number, headers: UpstreamHeaders, body: string): void;
  /** Ends the attempt: a call could not be made, or its answer could not be used. */
  refuse(fault: Fault): void;
}

export interface BatchTransport {
  readonly client: Pick<HttpClient, "post">;
  /** Maximum bytes of all answers held at a time. */
  readonly bytesMax: number;
  /** Returns undefined when calls are not signed. */
  sign(call: UpstreamCall): Promise<UpstreamCall> | undefined;
  /** Yields to other work between two slices. */
  pause(): Promise<void>;
}

export class BatchCall implements AnswerController {
  readonly #batch: CallBatch;
  readonly #attempt: BatchAttempt;
  readonly #transport: BatchTransport;
  readonly #parts: (AnswerPart | undefined)[];
  readonly #running = new Set<PartCall>();
  /** Complete answers that wait to be parsed. */
  readonly #unread: PartCall[] = [];
  #reading: PartCall | undefined;
  #next = 0;
  #left: number;
  #heldBytes = 0;
  #inputTokens = 0;
  #hasStarted = false;
  #hasHead = false;
  #isOver = false;

  constructor(batch: CallBatch, attempt: BatchAttempt, transport: BatchTransport) {
    this.#batch = batch;
    this.#attempt = attempt;
    this.#transport = transport;
    this.#parts = batch.calls.map(() => undefined);
    this.#left = batch.calls.length;
  }

  start(): void {
    if (this.#left === 0) this.#refuse("no call to make");
    while (!this.#isOver && this.#underWay < atOnce && this.#next < this.#batch.calls.length) this.#begin();
  }

  get #underWay(): number {
    return this.#running.size + this.#unread.length + (this.#reading === undefined ? 0 : 1);
  }

  #begin(): void {
    const call = this.#batch.calls[this.#next] as UpstreamCall;
    const part = new PartCall(this, this.#next);
    this.#next += 1;
    this.#running.add(part);
    const signing = this.#transport.sign(call);
    if (signing === undefined) {
      this.#transport.client.post(call, part);
      return;
    }
    void signing
      .then((signed) => {
        if (!this.#isOver) this.#transport.client.post(signed, part);
      })
      .catch(() => this.#refuse("a call could not be signed"));
  }

  pause(): void {}

  resume(): void {}

  abort(reason: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const part of this.#running) part.controller?.abort(reason);
    this.#running.clear();
    this.#unread.length = 0;
    this.#parts.length = 0;
  }

  /** Called when a call is on its way. False: abort it. */
  started(): boolean {
    if (this.#isOver) return false;
    if (!this.#hasStarted) {
      this.#hasStarted = true;
      this.#attempt.onRequestStart(this);
    }
    return !this.#isOver;
  }

  /** Called when bytes of an answer arrive. False: abort the call. */
  hear(bytes: number): boolean {
    if (this.#isOver) return false;
    this.#heldBytes += bytes;
    if (this.#heldBytes > this.#transport.bytesMax) this.#refuse("answers larger than the limit");
    else this.#progress();
    return !this.#isOver;
  }

  /** Called when a call's answer is complete. */
  answered(part: PartCall): void {
    if (this.#isOver) return;
    this.#running.delete(part);
    this.#unread.push(part);
    if (this.#reading === undefined) this.#readNext();
  }

  #readNext(): void {
    const part = this.#unread.shift();
    this.#reading = part;
    if (part !== undefined) this.#work(part.read(this.#batch), (read) => this.#take(part, read));
  }

  #take(part: PartCall, read: AnswerPart | Buffer): void {
    if (this.#isOver) return;
    if (!("bytes" in read)) {
      this.failed(part, read);
      return;
    }
    this.#heldBytes += read.bytes.length - part.bytes;
    this.#parts[part.index] = read;
    this.#left -= 1;
    if (read.inputTokens !== undefined) {
      this.#inputTokens += read.inputTokens;
      this.#attempt.spent({ ...noUsage, input: this.#inputTokens });
    }
    this.#progress();
    if (this.#isOver) return;
    if (this.#left === 0) {
      this.#work(this.#batch.join(this.#parts as AnswerPart[]), (joined) => this.#finish(joined));
      return;
    }
    this.#readNext();
    this.start();
  }

  /** Does work in slices. An exception in it fails the attempt. */
  #work<Result>(work: Sliced<Result>, then: (result: Result) => void): void {
    const refuse = (): void => this.#refuse("an answer that could not be read");
    try {
      const result = inSlices(work, this.#pause);
      if (result instanceof Promise) void result.then(then).catch(refuse);
      else then(result);
    } catch {
      refuse();
    }
  }

  /** Slicing is Plaza's own delay, so it must not let the attempt's idle timer run out. */
  readonly #pause = async (): Promise<void> => {
    await this.#transport.pause();
    if (this.#isOver) throw new Error("the attempt is over");
    this.#attempt.progress();
  };

  /** Fails the attempt with an error answer. */
  failed({ status, headers }: PartCall, body: Buffer): void {
    if (this.#isOver) return;
    this.#attempt.failWith(status, headers, body.subarray(0, errorBytesMax).toString("utf8"));
    this.abort(new Error("another call of the batch failed"));
  }

  broke(error: Error): void {
    if (this.#isOver) return;
    this.#attempt.onResponseError(this, error);
    this.abort(new Error("another call of the batch broke"));
  }

  #refuse(note: string): void {
    if (this.#isOver) return;
    this.#attempt.refuse({ kind: "server", note });
    this.abort(new Error(note));
  }

  /** Restarts the attempt's idle timer; the first time also reports the head of the answer. */
  #progress(): void {
    if (!this.#hasHead) {
      this.#hasHead = true;
      this.#attempt.onResponseStart(this, 200, { "content-type": "application/json" });
    }
    this.#attempt.progress();
  }

  #finish({ body, usage }: JoinedAnswer): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#parts.length = 0;
    this.#attempt.complete(body, usage);
  }
}

/** One call of the batch. */
class PartCall implements AnswerHandler {
  readonly index: number;
  readonly #whole: BatchCall;
  readonly #chunks: Buffer[] = [];
  /** Bytes of the answer so far. */
  bytes = 0;
  #isOver = false;
  controller: AnswerController | undefined;
  status = 0;
  headers: UpstreamHeaders = {};

  constructor(whole: BatchCall, index: number) {
    this.#whole = whole;
    this.index = index;
  }

  get #isSuccess(): boolean {
    return this.status >= 200 && this.status <= 299;
  }

  onRequestStart(controller: AnswerController): void {
    this.controller = controller;
    if (!this.#whole.started()) controller.abort(new Error("no longer wanted"));
  }

  onResponseStart(_controller: AnswerController, status: number, headers: UpstreamHeaders): void {
    if (status < 200) return;
    this.status = status;
    this.headers = headers;
  }

  onResponseData(controller: AnswerController, chunk: Buffer): void {
    if (this.#isOver) return;
    this.#chunks.push(Buffer.from(chunk));
    this.bytes += chunk.length;
    if (!this.#isSuccess) {
      if (this.bytes >= errorBytesMax) this.#end();
    } else if (!this.#whole.hear(chunk.length)) {
      controller.abort(new Error("no longer wanted"));
    }
  }

  onResponseEnd(): void {
    this.#end();
  }

  onResponseError(_controller: AnswerController, error: Error): void {
    if (this.#isOver) return;
    // A partial error body says more than a broken connection.
    if (this.status >= 300) {
      this.#end();
      return;
    }
    this.#isOver = true;
    this.#whole.broke(error);
  }

  /**
   * Parses the complete answer. Returns its part of the result, or the body when that is not a valid answer.
   */
  *read(batch: CallBatch): Sliced<AnswerPart | Buffer> {
    const body = yield* joinChunks(this.#chunks, this.bytes);
    this.#chunks.length = 0;
    return (yield* batch.take(this.index, body, this.headers)) ?? body;
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#isSuccess) this.#whole.answered(this);
    else this.#whole.failed(this, Buffer.concat(this.#chunks, this.bytes));
  }
}
