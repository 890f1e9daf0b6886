/**
 * Detects stalls of the machine: a separate process with normal priority alternates sleep and a little work,
 * and reports every round that took much longer. Delays at the same time are the machine's. Knows no rig.
 */
import { writeSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { nodeBinary, startProcess } from "../processes/processes.ts";
import { monotonicMs, pause } from "./clock.ts";

/** A turn: it sleeps so long, then needs the processor so long. Milliseconds. */
const sleepMs = 10;
const workMs = 1;
/** A turn that took this much longer is a stall. */
const stallMs = 40;

/** A turn that was too long, in monotonic milliseconds; `lostMs` of it nobody here can account for. */
export interface Stall {
  readonly fromMs: number;
  readonly toMs: number;
  readonly lostMs: number;
}

/**
 * What of a time the machine is known to have lost: of each stall no more than it
 * shares with that time. Milliseconds.
 */
export function lostWithin(stalls: readonly Stall[], fromMs: number, toMs: number): number {
  return stalls.reduce((sum, stall) => {
    const sharedMs = Math.min(toMs, stall.toMs) - Math.max(fromMs, stall.fromMs);
    return sum + Math.max(0, Math.min(stall.lostMs, sharedMs));
  }, 0);
}

export interface StallWatch {
  /** Every stall so far, the oldest first; resolves once those up to now are in. */
  stalls(): Promise<readonly Stall[]>;
  stop(): Promise<void>;
}

/** Starts the process; resolves when it watches. */
export async function startStallWatch(): Promise<StallWatch> {
  const running = startProcess(nodeBinary, [fileURLToPath(import.meta.url)]);
  await running.waitFor(/^watching$/m, 20_000);
  return {
    async stalls() {
      // One turn more: a stall is told at its end.
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

/** Uses the processor for so long, by its own clock. */
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
