/**
 * Drains a process: first it serves but is not ready, then it accepts no connections, and at the end it
 * interrupts what is still running.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Listeners } from "../app/listening.ts";
import type { Gate } from "../gateway/gate/admit.ts";
import type { Log } from "../lib/telemetry/log.ts";
import type { Clock } from "../lib/time/clock.ts";
import { isWithin } from "../lib/time/schedule.ts";

interface Draining {
  readonly gate: Gate;
  readonly listeners: Pick<Listeners, "leave" | "stopAccepting" | "closeIdle">;
  readonly clock: Clock;
  readonly log: Log;
  /** Checked by every attempt. */
  readonly interruption: { isInterrupted: boolean };
  /** How long running calls may take after new connections have stopped, in milliseconds. */
  readonly drainMs: number;
}

/** How long interrupted streams have to send their last event and settle, in milliseconds. */
const interruptMs = 2_000;

/** Returns true when all connections are closed and no request is in flight within `drainMs`. */
async function isOver({ gate, listeners, clock, drainMs }: Draining): Promise<boolean> {
  const untilMs = clock.elapsedMs() + drainMs;
  await listeners.stopAccepting();
  const areGone = await listeners.closeIdle(drainMs);
  // Requests whose callers disconnected may still run, for billing or for a repeat.
  return areGone && isWithin(gate.whenEmpty(), Math.max(0, untilMs - clock.elapsedMs()));
}

/** Ends the drain: running requests get an error, and new ones are rejected. */
async function interrupt({ gate, log, interruption }: Draining): Promise<void> {
  gate.shut();
  if (gate.inFlight === 0) return;
  log.warn("drain_bound_reached", { inFlight: gate.inFlight });
  interruption.isInterrupted = true;
  await isWithin(gate.whenEmpty(), interruptMs);
}

/**
 * Resolves when no request is in flight or the time limit is reached. For `lameDuckMs` the process serves as
 * usual, but is not ready and says so in its answers. `isRetiring`: other processes serve this port, so it
 * stays ready and new connections go to them at once.
 */
export async function drain(draining: Draining, lameDuckMs: number, isRetiring: boolean): Promise<void> {
  const { gate, listeners } = draining;
  if (!isRetiring) gate.leave();
  listeners.leave();
  if (isRetiring) await listeners.stopAccepting(true);
  await sleep(lameDuckMs);
  if (!(await isOver(draining))) await interrupt(draining);
}
