/**
 * When to look for news, and whether the database has to be asked then. A database that is a file says
 * by its version that somebody wrote, and where the system tells of writes nobody looks at a quiet file
 * but every few seconds. Knows no SQL.
 */
import type { Clock } from "../../lib/time/clock.ts";
import type { WriteWatch } from "../sqlite/write-watch.ts";

/** What was written acts within this time and what its handling takes: a second is promised (P22). */
const lookMs = 300;
/** After this time the database is queried, even if its file seems unchanged. */
const surelyMs = 3_000;
/** A write is heard before it is committed: a commit takes some milliseconds of the disk. */
const commitMs = 50;
/**
 * Two writes at nearly the same time may show as one, and a commit may take long: so
 * often the database is asked after each.
 */
const asksPerChange = 2;
/** A file found changed in so many looks one after the other is not listened to until it is quiet again. */
const busyPolls = 3;

export interface PaceOptions {
  readonly clock: Clock;
  /** Ends every wait: the database is about to be closed. */
  readonly closing: AbortSignal;
  /** Changes with every write; absent: only the database knows. */
  readonly version?: (() => string) | undefined;
  /** Reports writes to what `version` reads, if the system supports it. */
  readonly watch?: WriteWatch | undefined;
}

export interface Pace {
  /** To be called once with each look: must the database be asked? */
  mustAsk(): boolean;
  /** Resolves when the next look is due, at most at `untilMs`. */
  wait(untilMs: number): Promise<void>;
}

/**
 * Resolves after so many milliseconds, as soon as the signal is aborted, or with the next write heard: true.
 */
function pause(ms: number, signal: AbortSignal, watch?: WriteWatch): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (isSignalled: boolean) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      forget?.();
      resolve(isSignalled);
    };
    const onAbort = () => end(false);
    const timer = setTimeout(() => end(false), ms);
    const forget = watch?.onWrite(() => end(true));
    signal.addEventListener("abort", onAbort);
    if (signal.aborted) end(false);
  });
}

/** The pace of one who waits; the watch may be shared by several. The first look always asks. */
export function createPace({ clock, closing, version, watch }: PaceOptions): Pace {
  let seen: string | undefined;
  let asksLeft = asksPerChange;
  let askedMs = Number.NEGATIVE_INFINITY;
  let changedPolls = 0;
  /** Of the watch, as of the last look. */
  let signals = watch?.signals ?? 0;
  let wasOpen = false;

  function mustAsk(): boolean {
    if (version === undefined) return true;
    const nowMs = clock.elapsedMs();
    const isSignalled = watch !== undefined && watch.signals !== signals;
    signals = watch?.signals ?? 0;
    const now = version();
    const isChanged = now !== seen;
    if (isChanged && wasOpen) watch?.judge(isSignalled);
    seen = now;
    changedPolls = isChanged ? changedPolls + 1 : 0;
    if (changedPolls >= busyPolls) watch?.close();
    wasOpen = watch?.isOpen === true;
    if (isChanged || isSignalled) asksLeft = asksPerChange;
    const mustBe = asksLeft > 0 || nowMs - askedMs >= surelyMs;
    if (mustBe) askedMs = nowMs;
    asksLeft = Math.max(0, asksLeft - 1);
    return mustBe;
  }

  /** True when something changed since the last look, or may have. */
  function startListening(): boolean {
    if (watch?.isOpen !== false) return watch !== undefined && watch.signals !== signals;
    watch.open();
    wasOpen = watch.isOpen;
    // What was written between the look and now was not heard.
    return version?.() !== seen;
  }

  async function wait(untilMs: number): Promise<void> {
    const leftMs = Math.max(0, untilMs - clock.elapsedMs());
    if (version === undefined || asksLeft > 0) {
      await pause(Math.min(lookMs, leftMs), closing);
      return;
    }
    const isWritten = startListening();
    const isWatched = watch?.isOpen === true && watch.isTrusted;
    const ms = Math.min(isWatched ? surelyMs : lookMs, leftMs);
    if (isWritten || (await pause(ms, closing, watch))) await pause(commitMs, closing);
  }

  return { mustAsk, wait };
}
