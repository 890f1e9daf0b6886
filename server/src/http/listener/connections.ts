/**
 * The open connections of one listener, and how a listener goes away without failing a call: answers
 * say that their connection closes, newcomers in the system's queue are still taken, and no
 * connection is closed on which a byte of a request has arrived since its last answer. Knows
 * sockets, nothing of what is asked on them.
 */
import { once } from "node:events";
import type { Server } from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../../lib/time/clock.ts";
import { isWithin } from "../../lib/time/schedule.ts";

/** A caller that used its connection just now may be about to use it again: it learnt of no close. */
const idleMs = 500;
/** Connections closed in one turn of the event loop; between two, what has arrived meanwhile is read. */
const closedAtOnce = 64;
/**
 * Who connects between the last look at the system's queue and the close is reset. So newcomers are taken
 * but not read while the listener goes away: their callers wait here instead of coming back. When nobody
 * has come and nobody was answered for `quietMs`, who could come back, it is closed, right after a turn of
 * the event loop that did nothing else.
 */
const quietMs = 10;
/** Newcomers that never stop coming are not kept waiting for longer than so many times `quietMs`. */
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

/** Resolves when the event loop has asked the system once for everything that has arrived. */
async function pollRound(): Promise<void> {
  // The first may run before the loop has polled at all.
  await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
}

/**
 * Not http's own close: it would end idle connections at once, and the bound
 * on heads that arrive slowly with them.
 */
function stopListening(server: NetServer): void {
  NetServer.prototype.close.call(server);
}

/** What can be said of a listener's connections at one moment. */
export interface ConnectionReadings {
  readonly open: number;
  /** On which no request is under way. */
  readonly idle: number;
  /** How long the one that is idle for the longest time has been, milliseconds; 0 where none is. */
  readonly oldestIdleMs: number;
  /** Closed at once since the start, because there were as many as may be. */
  readonly refused: number;
}

/** A class because it has a lifetime: from the first connection to the last. */
export class Connections {
  /** True from the moment on when every answer has to carry `Connection: close`. */
  isDraining = false;
  readonly #clock: Clock;
  /**
   * An array whose members know their index: short-lived members of a Set cost more (`lib/time/ticker.ts`).
   */
  readonly #open: OpenSocket[] = [];
  #accepted = 0;
  #refused = 0;
  #unanswered = 0;
  #answered = 0;
  /** Newcomers that are not read yet; undefined while they are. */
  #held: Socket[] | undefined;
  #stopped: Promise<void> | undefined;
  #closed: Promise<unknown> = Promise.resolve();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Connections that are open now. */
  get open(): number {
    return this.#open.length;
  }

  /** To be called with every new connection. */
  add(socket: Socket): void {
    const added = socket as OpenSocket;
    this.#accepted += 1;
    added[index] = this.#open.length;
    added[idleBytes] = 0;
    added[idleSinceMs] = this.#clock.elapsedMs();
    added[unanswered] = 0;
    this.#open.push(added);
    if (this.#held !== undefined) this.#hold(socket, this.#held);
    added.once("close", () => this.#remove(added));
  }

  /** To be called with every connection that was closed because there were too many. */
  refuse(): void {
    this.#refused += 1;
  }

  /** Looks at every connection: for a scrape, not for a request. */
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

  /** A request's head has arrived. Returns how many are unanswered on its connection, with this one. */
  begin(socket: Socket): number {
    this.#unanswered += 1;
    (socket as OpenSocket)[unanswered] += 1;
    return (socket as OpenSocket)[unanswered];
  }

  /** Requests on this connection that are not answered yet. */
  unansweredOn(socket: Socket): number {
    return (socket as OpenSocket)[unanswered];
  }

  /** The exchange that `begin` told of is over. */
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
   * Stops listening as soon as no newcomer waits in the system's queue; a queue's rest would be reset.
   * `isShared`: other processes take what is in the queue, so at once.
   */
  stopAccepting(server: Server, isShared = false): Promise<void> {
    this.#stopped ??= this.#stop(server, isShared);
    return this.#stopped;
  }

  async #stop(server: Server, isShared: boolean): Promise<void> {
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
    // Not in this turn of its own: node:http has only asked for its reading to begin. Nothing is
    // read before the loop asks the system.
    process.nextTick(() => {
      if (this.#held === held) socket.pause();
    });
  }

  /** No promises in here: what lies between the look and the close is time in which a newcomer is lost. */
  #closeAfterQuietTurn(server: Server): Promise<void> {
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
      // Compiled before it is urgent.
      stopListening(new NetServer());
      setImmediate(look);
    });
  }

  /** After `stopAccepting`: closes connections as they become idle. True when all were gone within `ms`. */
  async closeIdle(server: Server, ms: number): Promise<boolean> {
    const untilMs = this.#clock.elapsedMs() + ms;
    while (!(await isWithin(this.#closed, lookEveryMs))) {
      await this.#closeIdleOnes();
      const isQuiet = this.#unanswered === 0 && this.#open.every((socket) => !this.#isFresh(socket));
      // What is left is in the middle of a head, or has read past a body: node:http can tell those apart.
      if (isQuiet) server.closeIdleConnections();
      if (this.#clock.elapsedMs() >= untilMs) return false;
    }
    return true;
  }

  /** Closes every connection, whatever happens on it. Resolves when they are gone. */
  async closeAll(server: Server): Promise<void> {
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
    const last = this.#open.pop();
    if (last === undefined || last === socket) return;
    this.#open[socket[index]] = last;
    last[index] = socket[index];
  }
}
