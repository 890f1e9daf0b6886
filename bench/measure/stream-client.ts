/**
 * The load for streams, over raw sockets: opens streams on kept connections, measures first-token times, and
 * checks that each stream delivers every chunk and ends with `[DONE]`.
 */
import { connect, type Socket } from "node:net";
import { ReplyReader } from "./reply-reader.ts";

/** Target address and the expected content of every stream. */
export interface StreamLoad {
  readonly port: number;
  readonly path: string;
  /** API key for the Authorization header. */
  readonly key: string;
  /** Further request headers. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Content chunks of one stream; undefined = any number, the caller compares the sum. */
  readonly chunks: number | undefined;
}

/** Counts so far. */
export interface StreamTally {
  started: number;
  /** Number of streams whose first content chunk has arrived. */
  established: number;
  finished: number;
  contentChunks: number;
  /**
   * Time from writing the request to reading the first content chunk, in milliseconds, in order of arrival.
   */
  readonly firstTokenMs: number[];
}

interface Waiter {
  readonly isMet: () => boolean;
  readonly settle: (error?: Error) => void;
}

/** Shared by all sockets: every read is processed before the next one begins. */
const readBuffer = Buffer.allocUnsafe(64 * 1024);

/** The streams of one run through one gateway. The first error rejects every wait. */
export class StreamClient {
  readonly tally: StreamTally = {
    started: 0,
    established: 0,
    finished: 0,
    contentChunks: 0,
    firstTokenMs: [],
  };
  readonly #load: StreamLoad;
  readonly #request: Buffer;
  readonly #idle: Connection[] = [];
  readonly #open = new Set<Connection>();
  #waiters: Waiter[] = [];
  #failure: Error | undefined;
  #isClosed = false;

  constructor(load: StreamLoad) {
    this.#load = load;
    const head = [
      `POST ${load.path} HTTP/1.1`,
      `host: 127.0.0.1:${load.port}`,
      `authorization: Bearer ${load.key}`,
      "content-type: application/json",
      "accept: application/json",
      ...Object.entries(load.headers ?? {}).map(([name, value]) => `${name}: ${value}`),
      `content-length: ${load.body.length}`,
    ];
    this.#request = Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), load.body]);
  }

  /** Starts one stream, on an idle connection if there is one. */
  start(): void {
    this.tally.started++;
    const connection = this.#idle.pop() ?? this.#connect();
    connection.send(this.#request);
  }

  /** Resolves once this many streams in total have received their first content chunk. */
  whenEstablished(count: number, timeoutMs: number): Promise<void> {
    return this.#when(() => this.tally.established >= count, `${count} streams to be established`, timeoutMs);
  }

  /** Resolves once every stream started so far has completed. */
  whenAllFinished(timeoutMs: number): Promise<void> {
    return this.#when(() => this.tally.finished >= this.tally.started, "all streams to end", timeoutMs);
  }

  /** Closes every connection; open streams end without an error. */
  close(): void {
    this.#isClosed = true;
    for (const connection of this.#open) connection.destroy();
  }

  #connect(): Connection {
    const connection = new Connection(this.#load, {
      firstToken: (ms) => {
        this.tally.established++;
        this.tally.firstTokenMs.push(ms);
        this.#check();
      },
      content: () => {
        this.tally.contentChunks++;
      },
      finished: (isKeptAlive) => {
        this.tally.finished++;
        if (isKeptAlive) this.#idle.push(connection);
        else connection.destroy();
        this.#check();
      },
      closed: () => {
        this.#open.delete(connection);
        const index = this.#idle.indexOf(connection);
        if (index >= 0) this.#idle.splice(index, 1);
      },
      failed: (error) => this.#fail(error),
    });
    this.#open.add(connection);
    return connection;
  }

  #when(isMet: () => boolean, what: string, timeoutMs: number): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (isMet()) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        const { started, established, finished } = this.tally;
        const state = `${started} started, ${established} established, ${finished} finished`;
        this.#fail(new Error(`waited ${timeoutMs} ms in vain for ${what} (${state})`));
      }, timeoutMs);
      const settle = (error?: Error) => {
        clearTimeout(timer);
        if (error === undefined) resolve();
        else reject(error);
      };
      this.#waiters.push({ isMet, settle });
    });
  }

  #check(): void {
    const met = this.#waiters.filter((waiter) => waiter.isMet());
    if (met.length === 0) return;
    this.#waiters = this.#waiters.filter((waiter) => !met.includes(waiter));
    for (const waiter of met) waiter.settle();
  }

  #fail(error: Error): void {
    if (this.#isClosed) return;
    this.#failure ??= error;
    for (const waiter of this.#waiters.splice(0)) waiter.settle(this.#failure);
  }
}

interface ConnectionEvents {
  firstToken(ms: number): void;
  content(): void;
  finished(isKeptAlive: boolean): void;
  closed(): void;
  failed(error: Error): void;
}

/** One connection with at most one stream at a time. */
class Connection {
  readonly #socket: Socket;
  readonly #events: ConnectionEvents;
  readonly #chunksWanted: number | undefined;
  #isBusy = false;
  #sentAt = 0;
  #chunks = 0;
  #isDone = false;

  constructor(load: StreamLoad, events: ConnectionEvents) {
    this.#events = events;
    this.#chunksWanted = load.chunks;
    const reader = new ReplyReader({
      event: (kind) => this.#event(kind),
      end: (isKeptAlive) => this.#end(isKeptAlive),
    });
    const callback = (length: number): boolean => {
      try {
        if (!this.#isBusy) throw new Error("bytes on an idle connection");
        reader.feed(readBuffer.subarray(0, length));
      } catch (error) {
        this.#events.failed(error instanceof Error ? error : new Error(String(error)));
        this.destroy();
      }
      return true;
    };
    this.#socket = connect({
      host: "127.0.0.1",
      port: load.port,
      noDelay: true,
      onread: { buffer: readBuffer, callback },
    });
    this.#socket.on("error", (error) => {
      if (this.#isBusy) this.#events.failed(error);
    });
    this.#socket.on("close", () => {
      this.#events.closed();
      if (this.#isBusy) {
        this.#events.failed(new Error(`connection closed after ${this.#chunks} chunks, before [DONE]`));
      }
    });
  }

  /** Writes a request; the first-token time starts here, or once a new connection is established. */
  send(request: Buffer): void {
    this.#isBusy = true;
    this.#chunks = 0;
    this.#isDone = false;
    if (this.#socket.connecting) this.#socket.once("connect", () => this.#write(request));
    else this.#write(request);
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #write(request: Buffer): void {
    this.#sentAt = performance.now();
    this.#socket.write(request);
  }

  #event(kind: "content" | "done" | "error" | "other"): void {
    if (kind === "error") throw new Error(`error event after ${this.#chunks} chunks`);
    if (this.#isDone) throw new Error("event after [DONE]");
    if (kind === "done") this.#isDone = true;
    if (kind !== "content") return;
    if (this.#chunks++ === 0) this.#events.firstToken(performance.now() - this.#sentAt);
    this.#events.content();
  }

  #end(isKeptAlive: boolean): void {
    if (!this.#isDone) throw new Error(`body ended after ${this.#chunks} chunks without [DONE]`);
    if (this.#chunksWanted !== undefined && this.#chunks !== this.#chunksWanted) {
      throw new Error(`stream of ${this.#chunks} content chunks instead of ${this.#chunksWanted}`);
    }
    this.#isBusy = false;
    this.#events.finished(isKeptAlive);
  }
}
