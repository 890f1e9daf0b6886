/**
 * Notices that the database's host has vanished: its packets are dropped, so no error says so, and every call
 * would wait for its own timeout. From then on calls are refused at once, until a connection made in the
 * background gets an answer. A slow statement is no loss: any byte from the server on any connection counts
 * as an answer, and in silence a `select 1` on a session of its own asks for one. Knows none of the tables.
 */
import { Socket } from "node:net";
import pg from "pg";
import type { StoreError } from "../error.ts";
import { toStoreError } from "./errors.ts";

/** Milliseconds between checks, which run only while something waits for the server. */
const checkMs = 200;
/**
 * Silence is counted in checks, not in milliseconds: between two of them the event loop reads its sockets, so
 * a process that was stalled does not mistake that for the server's silence. The first check may come right
 * after the question, so six of them are a second at least. A database 500 ms away answers well within that.
 */
const silentChecksMax = 6;
const probedAfter = 2;

/** A question on a connection of its own. */
export interface Probe {
  /** Asks once; one question at a time. Resolves when the server said anything to it, even an error. */
  ask(): Promise<void>;
  close(): void;
}

interface ReachabilityOptions {
  /** The database's name in messages. */
  readonly server: string;
  /** Makes a probe; its sockets come from `newSocket`. */
  readonly newProbe: (newSocket: () => Socket) => Probe;
  /** Called when the host is found to be lost. */
  readonly onLost: (error: StoreError) => void;
}

export class Reachability {
  readonly #options: ReachabilityOptions;
  readonly #sockets = new Set<Socket>();
  /** Bytes received on connections that are closed, and on all at the last check. */
  #bytesOfClosed = 0;
  #bytesSeen = 0;
  /** Statements and connections that wait for the server. */
  #waiting = 0;
  #silentChecks = 0;
  #probe: Probe | undefined;
  #isProbing = false;
  #timer: NodeJS.Timeout | undefined;
  #isWatching = false;
  #lost: StoreError | undefined;

  constructor(options: ReachabilityOptions) {
    this.#options = options;
  }

  /** Why no call may wait for the server now; undefined while it can be reached. */
  get lost(): StoreError | undefined {
    return this.#lost;
  }

  /** Starts to watch. Before that nothing is ever lost: a first connection may take its time. */
  watch(): void {
    this.#isWatching = true;
  }

  /** A socket for a connection to the server; what it receives is noticed. */
  newSocket(): Socket {
    const socket = new Socket();
    this.#sockets.add(socket);
    return socket.once("close", () => {
      if (this.#sockets.delete(socket)) this.#bytesOfClosed += socket.bytesRead;
    });
  }

  /** Something waits for the server from now on; each call is followed by one of `end`. */
  begin(): void {
    this.#waiting += 1;
    if (this.#timer === undefined && this.#isWatching) this.#schedule();
  }

  end(): void {
    this.#waiting -= 1;
  }

  close(): void {
    this.#isWatching = false;
    clearTimeout(this.#timer);
    this.#dropProbe();
  }

  #schedule(): void {
    this.#timer = setTimeout(() => this.#check(), checkMs).unref();
  }

  #check(): void {
    this.#timer = undefined;
    const bytes = this.#received();
    const isSilent = bytes === this.#bytesSeen;
    this.#bytesSeen = bytes;
    if (this.#waiting === 0 && this.#lost === undefined) {
      this.#silentChecks = 0;
      this.#dropProbe();
      return;
    }
    this.#silentChecks = isSilent ? this.#silentChecks + 1 : 0;
    this.#schedule();
    if (this.#silentChecks >= silentChecksMax) this.#lose();
    if (this.#lost !== undefined || this.#silentChecks >= probedAfter) void this.#ask();
  }

  #received(): number {
    let bytes = this.#bytesOfClosed;
    for (const socket of this.#sockets) bytes += socket.bytesRead;
    return bytes;
  }

  /** The host is lost, or still is: the probe's connection leads nowhere, so the next one is a new one. */
  #lose(): void {
    this.#silentChecks = 0;
    this.#dropProbe();
    if (this.#lost !== undefined) return;
    const error = toStoreError(new Error("connection timeout"), this.#options.server, "asking") as StoreError;
    this.#lost = error;
    this.#options.onLost(error);
  }

  async #ask(): Promise<void> {
    if (this.#isProbing) return;
    this.#isProbing = true;
    this.#probe ??= this.#options.newProbe(() => this.newSocket());
    const probe = this.#probe;
    try {
      await probe.ask();
      if (probe !== this.#probe) return;
      this.#isProbing = false;
      this.#silentChecks = 0;
      this.#lost = undefined;
    } catch {
      // Without a connection the silence goes on; the next check tries again.
      if (probe === this.#probe) this.#dropProbe();
    }
  }

  #dropProbe(): void {
    this.#isProbing = false;
    this.#probe?.close();
    this.#probe = undefined;
  }
}

/** Asks `select 1`, each time on the same session while that lasts. */
export function createProbe(url: string, newSocket: () => Socket): Probe {
  const socket = newSocket();
  const client = new pg.Client({ connectionString: url, application_name: "plaza", stream: () => socket });
  // Errors come with the question.
  client.on("error", () => {});
  let connected: Promise<unknown> | undefined;
  return {
    async ask() {
      connected ??= client.connect();
      try {
        await connected;
        await client.query("select 1");
      } catch (error) {
        // A server that refuses does answer: the calls themselves show why.
        if (!(error instanceof pg.DatabaseError)) throw error;
      }
    },
    close() {
      void client.end().catch(() => {});
      socket.destroy();
    },
  };
}
