/**
 * Decides when to check for news and whether the database must be queried. A file database shows by its
 * version that someone wrote. Where the system reports writes, a quiet file is checked only every few
 * seconds. Knows no SQL.
 */
import type { Clock } from "../../lib/time/clock.ts";
import type { WriteWatch } from "../sqlite/write-watch.ts";

/**
 * Milliseconds between checks. A write takes effect within this time plus its processing; P22 promises one
 * second.
 */
const lookMs = 300;
/** After this many milliseconds the database is queried even if its file seems unchanged. */
const surelyMs = 3_000;
/** A write is reported before it is committed; a commit takes some milliseconds. */
const commitMs = 50;
/**
 * Two writes at nearly the same time may look like one, and a commit may be slow, so the database is queried
 * this often per change.
 */
const asksPerChange = 2;
/** A file that changed in this many checks in a row is no longer watched until it is quiet again. */
const busyPolls = 3;

export interface PaceOptions {
  readonly clock: Clock;
  /** Ends every wait, because the database is about to be closed. */
  readonly closing: AbortSignal;
  /** A value that changes with every write; absent: only a query can find out. */
  readonly version?: (() => string) | undefined;
  /** Reports writes to the file, if the system supports it. */
  readonly watch?: WriteWatch | undefined;
}

export interface Pace {
  /** Called once per check; returns true when the database must be queried. */
  mustAsk(): boolean;
  /** Resolves when the next check is due, at the latest at `untilMs`. */
  wait(untilMs: number): Promise<void>;
}

/** Resolves after `ms`, or when the signal is aborted, or with true at the next reported write. */
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

/** The pace of one waiting caller; several may share the watch. The first check always queries. */
export function createPace({ clock, closing, version, watch }: PaceOptions): Pace {
  let seen: string | undefined;
  let asksLeft = asksPerChange;
  let askedMs = Number.NEGATIVE_INFINITY;
  let changedPolls = 0;
  /** Number of writes the watch had reported at the last check. */
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

  /** True when something changed since the last check, or may have. */
  function startListening(): boolean {
    if (watch?.isOpen !== false) return watch !== undefined && watch.signals !== signals;
    watch.open();
    wasOpen = watch.isOpen;
    // Writes between the check and now were not reported.
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
