/**
 * How a process takes leave of its callers: first not ready for traffic but serving, then
 * without newcomers, then, when the time is over, interrupting what is still in flight. Knows
 * nothing of what is closed afterwards.
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
  /** Read by every attempt. */
  readonly interruption: { isInterrupted: boolean };
  /** How long calls may go on once newcomers are not taken any more. */
  readonly drainMs: number;
}

/** How long interrupted streams have to send their last event and settle. */
const interruptMs = 2_000;

/** True when every connection is closed and nothing is in flight within the drain's time. */
async function isOver({ gate, listeners, clock, drainMs }: Draining): Promise<boolean> {
  const untilMs = clock.elapsedMs() + drainMs;
  await listeners.stopAccepting();
  const areGone = await listeners.closeIdle(drainMs);
  // What callers left behind is finished without them, where it is billed or repeated.
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
 * Resolves when no call is in flight, or none can be waited for any longer. For `lameDuckMs` the process
 * serves as ever, but is not ready and says so in its answers. `isRetiring`: others serve on this port, which
 * stays ready, and take its newcomers at once.
 */
export async function drain(draining: Draining, lameDuckMs: number, isRetiring: boolean): Promise<void> {
  const { gate, listeners } = draining;
  if (!isRetiring) gate.leave();
  listeners.leave();
  if (isRetiring) await listeners.stopAccepting(true);
  await sleep(lameDuckMs);
  if (!(await isOver(draining))) await interrupt(draining);
}
