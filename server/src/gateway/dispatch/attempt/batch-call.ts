/**
 * Several calls as one: what hears the answer of a single call hears the answer that is put together from
 * theirs. A few run at a time. The first that fails ends all, and is what the attempt ends with. Answers are
 * read one by one and in slices: they may be a hundred megabytes together.
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

/** Calls of one request that run at a time. */
const atOnce = 6;
/** Most bytes of an error answer that are read to classify it. */
const errorBytesMax = 64 * 1024;

/** The attempt all calls are for. */
export interface BatchAttempt
  extends Pick<AnswerHandler, "onRequestStart" | "onResponseStart" | "onResponseError"> {
  /** Something of the answer came. */
  progress(): void;
  /** What all calls used so far. */
  spent(usage: Usage): void;
  /** Ends it: all calls were answered. `report`: of the usage of all, as the caller's format has it. */
  complete(body: Buffer, report: unknown): void;
  /** Ends it: a call was answered with something that is no success. */
  failWith(status: number, headers: UpstreamHeaders, body: string): void;
  /** Ends it: a call could not be made, or its answer not be taken. */
  refuse(fault: Fault): void;
}

export interface BatchTransport {
  readonly client: Pick<HttpClient, "post">;
  /** Of all answers that are held at a time. */
  readonly bytesMax: number;
  /** undefined: calls are not signed. */
  sign(call: UpstreamCall): Promise<UpstreamCall> | undefined;
  /** Lets others run between two slices of work. */
  pause(): Promise<void>;
}

export class BatchCall implements AnswerController {
  readonly #batch: CallBatch;
  readonly #attempt: BatchAttempt;
  readonly #transport: BatchTransport;
  readonly #parts: (AnswerPart | undefined)[];
  readonly #running = new Set<PartCall>();
  /** Answered, and not read yet. */
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

  /** False: nobody wants it any more. */
  started(): boolean {
    if (this.#isOver) return false;
    if (!this.#hasStarted) {
      this.#hasStarted = true;
      this.#attempt.onRequestStart(this);
    }
    return !this.#isOver;
  }

  /** Bytes of an answer came. False: it need not go on. */
  hear(bytes: number): boolean {
    if (this.#isOver) return false;
    this.#heldBytes += bytes;
    if (this.#heldBytes > this.#transport.bytesMax) this.#refuse("answers larger than the limit");
    else this.#progress();
    return !this.#isOver;
  }

  /** All of a call's answer came. */
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

  /** Does a piece of work in slices. What it throws is a mistake of ours. */
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

  /** Nothing came, but that is our doing. */
  readonly #pause = async (): Promise<void> => {
    await this.#transport.pause();
    if (this.#isOver) throw new Error("nobody wants the answer");
    this.#attempt.progress();
  };

  /** An answer that is no success, or none at all. */
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

  /** The attempt's timers see what comes. */
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

/** One of the calls. */
class PartCall implements AnswerHandler {
  readonly index: number;
  readonly #whole: BatchCall;
  readonly #chunks: Buffer[] = [];
  /** Of the answer so far. */
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
    this.#chunks.push(chunk);
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
    // What an error has said so far tells more than that its connection broke.
    if (this.status >= 300) {
      this.#end();
      return;
    }
    this.#isOver = true;
    this.#whole.broke(error);
  }

  /** Reads an answer that is there: its part of the whole, or the beginning of what is none. */
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
