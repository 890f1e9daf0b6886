/**
 * One coarse timer for many deadlines. Instead of a timer per stream that every chunk resets, each member is
 * asked ten times a second whether its deadline has passed, and a chunk only writes a number. The timer runs
 * while there are members.
 *
 * Members are in an array and know their index. A Set would work, but V8 links a Set's old tables to each
 * other, and with short-lived members this chain keeps garbage alive through every scavenge (measured: +25 µs
 * per request).
 */
import type { Clock } from "./clock.ts";

export abstract class Tickable {
  /** Index in its ticker; -1: none. Only the ticker writes it. */
  tickerIndex = -1;
  /**
   * Called about every `intervalMs` with the clock's elapsed milliseconds. May remove itself from the ticker.
   */
  abstract tick(nowMs: number): void;
}

export interface Ticker {
  add(member: Tickable): void;
  /** Does nothing for an object that is not a member. */
  delete(member: Tickable): void;
  /** A copy of the current members. */
  list(): Tickable[];
}

export function createTicker(clock: Clock, intervalMs = 100): Ticker {
  const members: Tickable[] = [];
  let timer: NodeJS.Timeout | undefined;

  /**
   * After what the sockets have received meanwhile: in a process that was stopped for longer than a deadline,
   * that may be just what was waited for.
   */
  const turnSoon = (): void => void setImmediate(turn);

  function turn(): void {
    const nowMs = clock.elapsedMs();
    for (const member of [...members]) {
      if (member.tickerIndex >= 0) member.tick(nowMs);
    }
    if (members.length === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  }

  return {
    add(member) {
      member.tickerIndex = members.length;
      members.push(member);
      timer ??= setInterval(turnSoon, intervalMs);
    },
    delete(member) {
      const index = member.tickerIndex;
      if (index < 0) return;
      member.tickerIndex = -1;
      const last = members.pop();
      if (last === undefined || last === member) return;
      members[index] = last;
      last.tickerIndex = index;
    },
    list: () => [...members],
  };
}
