/**
 * Callers as a thread: in a closed loop (each sends its next call after its answer) or an open loop (a fixed
 * number of calls per second). Connections are reused. Parses just enough HTTP to tell how each call ended.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { percentile } from "../harness/figure.ts";
import { eventually, monotonicMs, pause } from "../harness/measure/clock.ts";

export interface LoadRequest {
  /** Headers and body. */
  readonly text: string;
  /** What the end of a complete stream contains. */
  readonly mark: string;
}

export interface LoadOrder {
  readonly port: number;
  /** Sent in turns. */
  readonly requests: readonly LoadRequest[];
  /** Calls per second in an open loop; absent = a closed loop of `lanes`. */
  readonly perSecond?: number;
  /** Connections, all opened before the first call. */
  readonly lanes: number;
  /** Pause of a lane of a closed loop before its next call. */
  readonly pauseMs?: number;
  readonly forMs: number;
}

export interface LoadSeen {
  asked: number;
  /** Complete responses with status 200; a stream must contain its mark. */
  served: number;
  /** 503 `overloaded` with Retry-After. */
  refused: number;
  /** Due in an open loop while every connection was busy. */
  unsent: number;
  /** Calls with any other result, by result. */
  readonly others: Record<string, number>;
  /**
   * Time from sending the request to the end of the answer, for refused and for served calls; at most
   * `samplesMax`.
   */
  readonly refusedMs: number[];
  readonly servedMs: number[];
  /** Number of each Retry-After value, in seconds. */
  readonly retryAfter: Record<string, number>;
  /** Calls served in each second of the load. */
  readonly perSecond: number[];
  /** 99th percentile of this thread's event loop delay. */
  ownLagP99Ms: number;
}

const samplesMax = 200_000;
const lingerMs = 15_000;

/**
 * Runs one load in a separate thread; resolves when every call has ended (or 15 s after the last was sent).
 */
export async function runLoad(order: LoadOrder): Promise<LoadSeen> {
  const worker = new Worker(new URL(import.meta.url), { workerData: order });
  const [seen] = (await once(worker, "message")) as [LoadSeen];
  await worker.terminate();
  return seen;
}

/** Called at the end of each call: its status or error, its duration, and the end of its bytes. */
type OnEnd = (lane: Lane, how: string, tookMs: number, text: string) => void;

/** A request as it is written. */
interface Asked {
  readonly bytes: Buffer;
  readonly mark: string;
}

/** More than the last event of a stream of any format. */
const tailBytes = 4_000;

/** One kept connection with at most one call on it. */
class Lane {
  isClosed = false;
  /** Resolves when the connection is open, or lost. */
  readonly opened: Promise<void>;
  readonly #socket: Socket;
  readonly #onEnd: OnEnd;
  #mark = "";
  #isBusy = false;
  #sentAt = 0;
  #text = "";
  #status = "";
  /** Length of headers and body; -1 = chunked. */
  #length = 0;

  constructor(port: number, onEnd: OnEnd) {
    this.#onEnd = onEnd;
    this.#socket = connect({ port, host: "127.0.0.1", noDelay: true });
    this.#socket.on("error", () => {});
    this.opened = new Promise((resolve) => {
      this.#socket.once("connect", () => resolve());
      this.#socket.once("close", () => resolve());
    });
    this.#socket.on("data", (bytes: Buffer) => this.#take(bytes));
    this.#socket.on("close", () => {
      this.isClosed = true;
      if (this.#isBusy) this.#end("connection lost");
    });
  }

  ask({ bytes, mark }: Asked): void {
    this.#isBusy = true;
    this.#sentAt = monotonicMs();
    this.#text = "";
    this.#status = "";
    this.#mark = mark;
    this.#socket.write(bytes);
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(bytes: Buffer): void {
    // Bytes without a call: the server closes a connection that was idle for too long.
    if (!this.#isBusy) return;
    this.#text += bytes.toString("latin1");
    if (this.#status === "") {
      const headEnd = this.#text.indexOf("\r\n\r\n");
      if (headEnd < 0) return;
      this.#status = this.#text.slice(9, 12);
      const length = /\r\ncontent-length: (\d+)/i.exec(this.#text)?.[1];
      this.#length = length === undefined ? -1 : headEnd + 4 + Number(length);
    }
    if (this.#length >= 0) {
      if (this.#text.length >= this.#length) this.#end(this.#status);
    } else if (this.#text.endsWith("\r\n0\r\n\r\n")) {
      this.#end(this.#text.includes(this.#mark) ? this.#status : `${this.#status} without ${this.#mark}`);
    } else if (this.#text.length > 2 * tailBytes) this.#text = this.#text.slice(-tailBytes);
  }

  #end(how: string): void {
    this.#isBusy = false;
    this.#onEnd(this, how, monotonicMs() - this.#sentAt, this.#text);
  }
}

function newSeen(): LoadSeen {
  return {
    asked: 0,
    served: 0,
    refused: 0,
    unsent: 0,
    others: {},
    refusedMs: [],
    servedMs: [],
    retryAfter: {},
    perSecond: [],
    ownLagP99Ms: 0,
  };
}

/** Counts the end of one call. */
function book(seen: LoadSeen, second: number, how: string, tookMs: number, text: string): void {
  const retryAfter = /\r\nretry-after: (\d+)\r\n/i.exec(text)?.[1];
  if (how === "200") {
    seen.served += 1;
    seen.perSecond[second] = (seen.perSecond[second] ?? 0) + 1;
    if (seen.servedMs.length < samplesMax) seen.servedMs.push(tookMs);
  } else if (how === "503" && text.includes('"code":"overloaded"') && retryAfter !== undefined) {
    seen.refused += 1;
    seen.retryAfter[retryAfter] = (seen.retryAfter[retryAfter] ?? 0) + 1;
    if (seen.refusedMs.length < samplesMax) seen.refusedMs.push(tookMs);
  } else {
    const what = how === "503" ? `503 ${/"code":"\w+"/.exec(text)?.[0] ?? ""}` : how;
    seen.others[what] = (seen.others[what] ?? 0) + 1;
  }
}

/** The lanes of one load, and which of them are free. */
class Callers {
  readonly seen = newSeen();
  startedAt = monotonicMs();
  inFlight = 0;
  readonly #order: LoadOrder;
  readonly #requests: readonly Asked[];
  /** The free lanes from `#next` on. They take turns, because the server closes idle connections. */
  #idle: Lane[] = [];
  #next = 0;
  /** Called when a lane becomes free. */
  onFree: () => void = () => {};

  constructor(order: LoadOrder) {
    this.#order = order;
    this.#requests = order.requests.map(({ text, mark }) => ({ bytes: Buffer.from(text), mark }));
  }

  /** Opens all connections, a few at a time: a thousand at once would measure the kernel's accept queue. */
  async open(): Promise<void> {
    while (this.#idle.length < this.#order.lanes) {
      const some = Math.min(64, this.#order.lanes - this.#idle.length);
      const lanes = Array.from({ length: some }, () => new Lane(this.#order.port, this.#onEnd));
      await Promise.all(lanes.map((lane) => lane.opened));
      this.#idle.push(...lanes);
    }
    this.startedAt = monotonicMs();
  }

  /** Sends one call; replaces a connection that was closed meanwhile. */
  ask(): void {
    let lane = this.#idle[this.#next];
    if (lane === undefined) {
      this.seen.unsent += 1;
      return;
    }
    this.#next += 1;
    if (this.#next > 4_096) {
      this.#idle = this.#idle.slice(this.#next);
      this.#next = 0;
    }
    if (lane.isClosed) lane = new Lane(this.#order.port, this.#onEnd);
    const request = this.#requests[this.seen.asked % this.#requests.length] ?? assert.fail("no request");
    this.seen.asked += 1;
    this.inFlight += 1;
    lane.ask(request);
  }

  close(): void {
    for (const lane of this.#idle.slice(this.#next)) lane.close();
  }

  readonly #onEnd: OnEnd = (lane, how, tookMs, text) => {
    this.inFlight -= 1;
    book(this.seen, Math.floor((monotonicMs() - this.startedAt) / 1000), how, tookMs, text);
    this.#idle.push(lane);
    this.onFree();
  };
}

async function closedLoop(callers: Callers, order: LoadOrder): Promise<void> {
  const until = callers.startedAt + order.forMs;
  callers.onFree = () => {
    if (monotonicMs() >= until) return;
    if (order.pauseMs === undefined) setImmediate(() => callers.ask());
    else setTimeout(() => callers.ask(), order.pauseMs);
  };
  for (let lane = 0; lane < order.lanes; lane++) callers.ask();
  await pause(order.forMs);
  callers.onFree = () => {};
}

async function openLoop(callers: Callers, order: LoadOrder, perSecond: number): Promise<void> {
  const until = callers.startedAt + order.forMs;
  let due = 0;
  for (let now = callers.startedAt; now < until; now = monotonicMs()) {
    const wanted = ((now - callers.startedAt) / 1000) * perSecond;
    for (; due < wanted; due++) callers.ask();
    await pause(2);
  }
}

async function run(order: LoadOrder): Promise<void> {
  const delays: number[] = [];
  let probedAt = monotonicMs();
  const probe = setInterval(() => {
    const now = monotonicMs();
    delays.push(Math.max(0, now - probedAt - 10));
    probedAt = now;
  }, 10);
  const callers = new Callers(order);
  await callers.open();
  if (order.perSecond === undefined) await closedLoop(callers, order);
  else await openLoop(callers, order, order.perSecond);
  clearInterval(probe);
  await eventually(() => callers.inFlight === 0, lingerMs);
  const { seen } = callers;
  if (callers.inFlight > 0) seen.others["no answer"] = callers.inFlight;
  seen.ownLagP99Ms = percentile(delays, 99);
  callers.close();
  parentPort?.postMessage(seen);
}

if (!isMainThread) await run(workerData as LoadOrder);
