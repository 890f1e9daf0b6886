/**
 * One coarse timer for many deadlines: instead of a timer per stream that every chunk must reset, each member is asked
 * ten times a second whether its time has come, and a chunk only writes a number. The timer runs while there are members.
 */
import type { Clock } from "./clock.ts";

export interface Tickable {
  /** Called about every `intervalMs` with the clock's elapsed milliseconds. May leave the ticker. */
  tick(nowMs: number): void;
}

export interface Ticker {
  add(member: Tickable): void;
  delete(member: Tickable): void;
  readonly size: number;
}

export function createTicker(clock: Clock, intervalMs = 100): Ticker {
  const members = new Set<Tickable>();
  let timer: NodeJS.Timeout | undefined;

  const turn = (): void => {
    const nowMs = clock.elapsedMs();
    for (const member of members) member.tick(nowMs);
    if (members.size === 0 && timer !== undefined) {
      clearInterval(timer);
      timer = undefined;
    }
  };

  return {
    add(member) {
      members.add(member);
      timer ??= setInterval(turn, intervalMs);
    },
    delete(member) {
      members.delete(member);
    },
    get size() {
      return members.size;
    },
  };
}
