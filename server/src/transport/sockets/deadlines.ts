/**
 * One coarse timer for all connections: a connection writes a deadline into a number, the ticker looks at all
 * of them ten times a second. Time is counted in ticks, which are small integers for almost seven years: V8
 * keeps those in the object, and milliseconds with a fraction outside of it.
 */

/** Never due: the largest small integer. */
export const never = 0x7fff_ffff;

export abstract class Timed {
  /** Index in the deadlines; only they write it. */
  tickerIndex = -1;
  /** The tick from which on `expire` is called, once per look; `never`: not at all. */
  dueTick = never;
  abstract expire(): void;
}

export interface Deadlines {
  /** The tick of the last look. */
  readonly nowTick: number;
  /** The tick when this many milliseconds will have passed, not earlier. */
  due(ms: number): number;
  add(member: Timed): void;
  delete(member: Timed): void;
  stop(): void;
}

/** Looks every `intervalMs` while there are members; does not keep the process alive. */
export function createDeadlines(elapsedMs: () => number, intervalMs = 100): Deadlines {
  const members: Timed[] = [];
  const startMs = elapsedMs();
  const deadlines = { nowTick: 0, due, add, delete: remove, stop };
  let timer: NodeJS.Timeout | undefined;

  function readTime(): void {
    deadlines.nowTick = Math.floor((elapsedMs() - startMs) / intervalMs);
  }

  function stop(): void {
    clearInterval(timer);
    timer = undefined;
  }

  function look(): void {
    if (members.length === 0) stop();
    readTime();
    // From the end, because a member that leaves is replaced by the last one.
    for (let index = members.length - 1; index >= 0; index--) {
      const member = members[index];
      if (member !== undefined && member.dueTick <= deadlines.nowTick) member.expire();
    }
  }

  function due(ms: number): number {
    // Without a timer, the last look is long ago.
    if (timer === undefined) readTime();
    return deadlines.nowTick + 1 + Math.ceil(ms / intervalMs);
  }

  function add(member: Timed): void {
    if (timer === undefined) {
      readTime();
      timer = setInterval(look, intervalMs).unref();
    }
    member.tickerIndex = members.length;
    members.push(member);
  }

  function remove(member: Timed): void {
    const index = member.tickerIndex;
    if (index < 0) return;
    member.tickerIndex = -1;
    const last = members.pop();
    if (last === undefined || last === member) return;
    members[index] = last;
    last.tickerIndex = index;
  }

  return deadlines;
}
