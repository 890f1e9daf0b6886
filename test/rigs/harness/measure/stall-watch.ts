/**
 * Detects stalls of the machine: a separate process with normal priority alternates sleep and a little work,
 * and reports rounds that took much longer. Delays during a stall are the machine's.
 */
import { writeSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { nodeBinary, startProcess } from "../processes/processes.ts";
import { monotonicMs, pause } from "./clock.ts";

/** Sleep and CPU time of one round, in milliseconds. */
const sleepMs = 10;
const workMs = 1;
/** A round longer by this much is a stall. */
const stallMs = 40;

/** A long round, in monotonic milliseconds; `lostMs` is the time beyond its sleep and work. */
export interface Stall {
  readonly fromMs: number;
  readonly toMs: number;
  readonly lostMs: number;
}

/**
 * The part of an interval lost to stalls, in milliseconds. A stall counts at most for its overlap with the
 * interval.
 */
export function lostWithin(stalls: readonly Stall[], fromMs: number, toMs: number): number {
  return stalls.reduce((sum, stall) => {
    const sharedMs = Math.min(toMs, stall.toMs) - Math.max(fromMs, stall.fromMs);
    return sum + Math.max(0, Math.min(stall.lostMs, sharedMs));
  }, 0);
}

export interface StallWatch {
  /** All stalls so far, oldest first; resolves once the current round has been reported. */
  stalls(): Promise<readonly Stall[]>;
  stop(): Promise<void>;
}

/** Starts the process; resolves when it is watching. */
export async function startStallWatch(): Promise<StallWatch> {
  const running = startProcess(nodeBinary, [fileURLToPath(import.meta.url)]);
  await running.waitFor(/^watching$/m, 20_000);
  return {
    async stalls() {
      // Wait for one more round, because a stall is reported at its end.
      await pause(2 * (sleepMs + stallMs));
      const lines = running.stdout().matchAll(/^([\d.]+) ([\d.]+) ([\d.]+)$/gm);
      return [...lines].map(([, from, to, lost]) => ({
        fromMs: Number(from),
        toMs: Number(to),
        lostMs: Number(lost),
      }));
    },
    async stop() {
      await running.stop("SIGKILL");
    },
  };
}

/** Uses the CPU for a fixed time. */
function work(): void {
  const started = process.cpuUsage();
  for (;;) {
    const { user, system } = process.cpuUsage(started);
    if ((user + system) / 1_000 >= workMs) return;
  }
}

function watch(): never {
  const lock = new Int32Array(new SharedArrayBuffer(4));
  writeSync(1, "watching\n");
  for (let beganMs = monotonicMs(); ; ) {
    Atomics.wait(lock, 0, 0, sleepMs);
    work();
    const nowMs = monotonicMs();
    const lostMs = nowMs - beganMs - sleepMs - workMs;
    if (lostMs >= stallMs) writeSync(1, `${beganMs} ${nowMs} ${lostMs}\n`);
    beganMs = nowMs;
  }
}

if (import.meta.main) watch();
