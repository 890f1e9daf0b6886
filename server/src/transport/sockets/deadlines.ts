/**
 * One coarse timer for all connections: a connection writes a deadline into a number, the timer looks at all
 * of them ten times a second while deadlines are being set, and otherwise only when the next one is due: a
 * process with idle connections is not woken for them. Time is counted in ticks, which are small integers for
 * almost seven years: V8 keeps those in the object, and milliseconds with a fraction outside of it.
 */

/** Never due: the largest small integer. */
export const never = 0x7fff_ffff;

/** The longest timer in Node: 25 days. */
const timerMsMax = 2 ** 31 - 1;

export abstract class Timed {
  /** Index in the deadlines; only they write it. */
  tickerIndex = -1;
  /**
   * The tick from which on `expire` is called, once per look; `never`: not at all. Only `due` makes one that
   * is earlier than it was.
   */
  dueTick = never;
  abstract expire(): void;
}

export interface Deadlines {
  /** The current tick; while there is a look each interval, that of the last look or newest deadline. */
  readonly nowTick: number;
  /** The tick when this many milliseconds will have passed, not earlier. */
  due(ms: number): number;
  add(member: Timed): void;
  delete(member: Timed): void;
  stop(): void;
}

/** Looks every `intervalMs`, or less often as said above; does not keep the process alive. */
export function createDeadlines(elapsedMs: () => number, intervalMs = 100): Deadlines {
  const members: Timed[] = [];
  const startMs = elapsedMs();
  let nowTick = 0;
  let timer: NodeJS.Timeout | undefined;
  let immediate: NodeJS.Immediate | undefined;
  /** True while no look is planned for the next tick, so that `nowTick` may be old. */
  let isResting = true;
  /** True when a deadline was set since the last look. */
  let isSet = false;

  function readTime(): void {
    nowTick = Math.floor((elapsedMs() - startMs) / intervalMs);
  }

  function lookAfter(ms: number): void {
    clearTimeout(timer);
    timer = setTimeout(lookSoon, ms).unref();
  }

  /**
   * After what the sockets have received meanwhile: in a process that was stopped for longer than a deadline,
   * that may be just what was waited for.
   */
  function lookSoon(): void {
    immediate = setImmediate(look);
  }

  function stop(): void {
    clearTimeout(timer);
    timer = undefined;
    clearImmediate(immediate);
    isResting = true;
  }

  function look(): void {
    readTime();
    isSet = false;
    let nextTick = never;
    // From the end, because a member that leaves is replaced by the last one.
    for (let index = members.length - 1; index >= 0; index--) {
      const member = members[index];
      if (member === undefined) continue;
      if (member.dueTick <= nowTick) member.expire();
      nextTick = Math.min(nextTick, member.dueTick);
    }
    if (isSet) lookAfter(intervalMs);
    else rest(nextTick);
  }

  /** Until the next deadline, or until one is set. */
  function rest(nextTick: number): void {
    stop();
    if (members.length === 0 || nextTick === never) return;
    // A timer may be a millisecond early.
    const leftMs = Math.ceil(startMs + nextTick * intervalMs - elapsedMs()) + 1;
    lookAfter(Math.min(Math.max(leftMs, intervalMs), timerMsMax));
  }

  function due(ms: number): number {
    isSet = true;
    // Not that of the last look: after a stall it is so old that the deadline would be over at once.
    readTime();
    if (isResting) {
      isResting = false;
      lookAfter(intervalMs);
    }
    return nowTick + 1 + Math.ceil(ms / intervalMs);
  }

  function add(member: Timed): void {
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

  return {
    get nowTick() {
      if (isResting) readTime();
      return nowTick;
    },
    due,
    add,
    delete: remove,
    stop,
  };
}
