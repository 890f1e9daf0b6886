/**
 * Tracks a listener's open connections and shuts the listener down without failing a call. While it drains,
 * answers say `Connection: close`, new connections waiting in the system's queue are still accepted, and no
 * connection is closed after a byte of a new request has arrived.
 */
import { once } from "node:events";
import { Server as NetServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../../lib/time/clock.ts";
import { isWithin } from "../../lib/time/schedule.ts";

/**
 * A connection used within this time may get another request at any moment, because its caller has not seen
 * the close yet. Milliseconds.
 */
const idleMs = 500;
/** Connections closed per turn of the event loop. Data that arrived meanwhile is read between turns. */
const closedAtOnce = 64;
/**
 * A connection made between the last check of the system's queue and the close would be reset. So new
 * connections are accepted but not read during shutdown, which keeps their callers from reconnecting. After
 * `quietMs` without a new connection or an answer, the listener closes, right after an otherwise idle turn of
 * the event loop.
 */
const quietMs = 10;
/** Maximum number of periods of `quietMs` to wait if new connections never stop. */
const waitsMax = 25;
const quietTurnMs = 0.2;
const turnsMax = 2_000;
const lookEveryMs = 50;

const index = Symbol("index among the open");
const idleBytes = Symbol("bytes read when it became idle");
const idleSinceMs = Symbol("idle since");
const unanswered = Symbol("unanswered requests");

interface OpenSocket extends Socket {
  [index]: number;
  [idleBytes]: number;
  [idleSinceMs]: number;
  [unanswered]: number;
}

/** Resolves after the event loop has polled for all data that has arrived. */
async function pollRound(): Promise<void> {
  // The first immediate may run before the loop has polled.
  await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
}

/**
 * A server of either transport. It emits `close` when it no longer listens and all its connections have
 * closed.
 */
export interface ListeningServer extends NetServer {
  /** Closes connections in the middle of no request. */
  closeIdleConnections(): void;
  closeAllConnections(): void;
}

/** http's own close would end idle connections at once, and stop its timeout for slow headers. */
function stopListening(server: NetServer): void {
  NetServer.prototype.close.call(server);
}

/** Connection counts of a listener at one moment. */
export interface ConnectionReadings {
  readonly open: number;
  /** Connections without a running request. */
  readonly idle: number;
  /** Longest current idle time, in milliseconds; 0 when no connection is idle. */
  readonly oldestIdleMs: number;
  /** Connections closed since the start because the limit was reached. */
  readonly refused: number;
}

/** A class because it tracks connections from the first to the last. */
export class Connections {
  /** While true, every answer carries `Connection: close`. */
  isDraining = false;
  readonly #clock: Clock;
  /**
   * An array whose members know their index; a Set is slower for short-lived members (`lib/time/ticker.ts`).
   */
  readonly #open: OpenSocket[] = [];
  #accepted = 0;
  #refused = 0;
  #unanswered = 0;
  #answered = 0;
  /** New connections that are not read yet; undefined while new connections are read. */
  #held: Socket[] | undefined;
  #stopped: Promise<void> | undefined;
  #closed: Promise<unknown> = Promise.resolve();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get open(): number {
    return this.#open.length;
  }

  /** True when every connection had an answer and has sent nothing since. Visits them up to one that did. */
  get isResting(): boolean {
    return this.#open.every((socket) => socket[idleBytes] > 0 && socket.bytesRead === socket[idleBytes]);
  }

  /** Call for every new connection whose requests can be read. */
  add(socket: Socket): void {
    this.addHandshake(socket);
    if (this.#held !== undefined) this.#hold(socket, this.#held);
  }

  /** Call for every new connection with a handshake before its first request; then `forget` it. */
  addHandshake(socket: Socket): void {
    const added = socket as OpenSocket;
    this.#accepted += 1;
    added[index] = this.#open.length;
    added[idleBytes] = 0;
    added[idleSinceMs] = this.#clock.elapsedMs();
    added[unanswered] = 0;
    this.#open.push(added);
    added.once("close", () => this.#remove(added));
  }

  /** Call before another listener takes the connection and adds it again. */
  forget(socket: Socket): void {
    this.#remove(socket as OpenSocket);
  }

  /** Call for every connection that was closed because of the limit. */
  refuse(): void {
    this.#refused += 1;
  }

  /** Visits every connection, so use it for metrics, not per request. */
  readings(): ConnectionReadings {
    const nowMs = this.#clock.elapsedMs();
    let idle = 0;
    let oldestIdleMs = 0;
    for (const socket of this.#open) {
      if (socket.bytesRead !== socket[idleBytes]) continue;
      idle += 1;
      oldestIdleMs = Math.max(oldestIdleMs, nowMs - socket[idleSinceMs]);
    }
    return { open: this.#open.length, idle, oldestIdleMs, refused: this.#refused };
  }

  /**
   * Counts a request whose headers have arrived. Returns the number of unanswered requests on its connection,
   * including this one.
   */
  begin(socket: Socket): number {
    this.#unanswered += 1;
    (socket as OpenSocket)[unanswered] += 1;
    return (socket as OpenSocket)[unanswered];
  }

  /** Number of unanswered requests on this connection. */
  unansweredOn(socket: Socket): number {
    return (socket as OpenSocket)[unanswered];
  }

  /** Call when an exchange counted by `begin` is over. */
  end(socket: Socket): void {
    const ended = socket as OpenSocket;
    this.#unanswered -= 1;
    this.#answered += 1;
    ended[unanswered] -= 1;
    if (ended[unanswered] > 0) return;
    ended[idleBytes] = socket.bytesRead;
    ended[idleSinceMs] = this.#clock.elapsedMs();
  }

  /**
   * Stops listening once the system's queue is empty, because connections left in the queue are reset.
   * `isShared`: other processes accept from the same queue, so it stops at once.
   */
  stopAccepting(server: ListeningServer, isShared = false): Promise<void> {
    this.#stopped ??= this.#stop(server, isShared);
    return this.#stopped;
  }

  async #stop(server: ListeningServer, isShared: boolean): Promise<void> {
    this.isDraining = true;
    this.#closed = once(server, "close");
    if (isShared) {
      stopListening(server);
      return;
    }
    const held: Socket[] = [];
    this.#held = held;
    for (let waits = 0; waits < waitsMax; waits += 1) {
      const before = this.#accepted + this.#answered;
      await sleep(quietMs);
      if (this.#accepted + this.#answered === before) break;
    }
    await this.#closeAfterQuietTurn(server);
    this.#held = undefined;
    for (const socket of held) socket.resume();
  }

  #hold(socket: Socket, held: Socket[]): void {
    held.push(socket);
    // Not in the same turn: node:http has only just asked for reading to start, and nothing is read before
    // the loop polls.
    process.nextTick(() => {
      if (this.#held === held) socket.pause();
    });
  }

  /** No promises here: any delay between the check and the close would lose new connections. */
  #closeAfterQuietTurn(server: ListeningServer): Promise<void> {
    return new Promise((resolve) => {
      let turns = 0;
      let beforeMs = this.#clock.elapsedMs();
      let before = -1;
      const look = (): void => {
        const nowMs = this.#clock.elapsedMs();
        const isQuiet = this.#accepted === before && nowMs - beforeMs < quietTurnMs;
        turns += 1;
        if (!isQuiet && turns < turnsMax) {
          beforeMs = nowMs;
          before = this.#accepted;
          setImmediate(look);
          return;
        }
        stopListening(server);
        resolve();
      };
      // Runs the function once, so that it is already compiled.
      stopListening(new NetServer());
      setImmediate(look);
    });
  }

  /**
   * After `stopAccepting`: closes connections as they become idle. Returns true when all are closed within
   * `ms`.
   */
  async closeIdle(server: ListeningServer, ms: number): Promise<boolean> {
    const untilMs = this.#clock.elapsedMs() + ms;
    while (!(await isWithin(this.#closed, lookEveryMs))) {
      await this.#closeIdleOnes();
      const isQuiet = this.#unanswered === 0 && this.#open.every((socket) => !this.#isFresh(socket));
      // The rest is in the middle of a request's headers or has unread data. node:http can tell these apart.
      if (isQuiet) server.closeIdleConnections();
      if (this.#clock.elapsedMs() >= untilMs) return false;
    }
    return true;
  }

  /** Closes all connections, also those with running requests. Resolves when they are closed. */
  async closeAll(server: ListeningServer): Promise<void> {
    server.closeAllConnections();
    await this.#closed;
  }

  async #closeIdleOnes(): Promise<void> {
    const idle = this.#open.filter((socket) => this.#isIdle(socket));
    for (let from = 0; from < idle.length; from += closedAtOnce) {
      await pollRound();
      for (const socket of idle.slice(from, from + closedAtOnce)) {
        if (this.#isIdle(socket)) socket.destroy();
      }
    }
  }

  #isFresh(socket: OpenSocket): boolean {
    return this.#clock.elapsedMs() - socket[idleSinceMs] < idleMs;
  }

  #isIdle(socket: OpenSocket): boolean {
    return socket.bytesRead === socket[idleBytes] && !this.#isFresh(socket);
  }

  #remove(socket: OpenSocket): void {
    if (this.#open[socket[index]] !== socket) return;
    const last = this.#open.pop();
    if (last === undefined || last === socket) return;
    this.#open[socket[index]] = last;
    last[index] = socket[index];
  }
}
