/**
 * P05 after another rig: with the load over, what is still lent? Processes that live give back what lies
 * idle, those that stop gracefully give back everything, and the leases of those that were killed expire.
 */

import { type Figure, zeroFigure } from "../figure.ts";
import { eventually, monotonicMs } from "../measure/clock.ts";
import type { LeaseSeen } from "./ledger-reader.ts";
import type { MoneyStage } from "./money.ts";

/** Idle money goes home within seconds; generous, because rigs share machines. */
const idleWithinMs = 10_000;
/** Life of a process without a heartbeat (45 s), the next heartbeat of another (5 s), and its work. */
export const expiryWithinMs = 60_000;

export interface LeakOptions {
  readonly size: "short" | "long";
  /** Processes that were killed: in the short form what they held may still be lent, not yet expired. */
  readonly killed: number;
}

function describe({ holderId, subject, amount, expiresInMs }: LeaseSeen): string {
  return `${holderId} still has ${amount} of ${subject}, expires in ${(expiresInMs / 1000).toFixed(1)} s`;
}

/**
 * Lent money that nothing will return: leases without a holder, or of a holder that should have been swept.
 */
async function leaked(stage: MoneyStage, isExpiryAwaited: boolean): Promise<string[]> {
  const leases = await stage.reader.leases();
  const bad = isExpiryAwaited ? leases : leases.filter(({ expiresInMs }) => !(expiresInMs < expiryWithinMs));
  return bad.map(describe);
}

/**
 * Waits for the money to come home while the stage's processes run on, idle. At least one of them
 * must live. With kills, the long form waits for the real expiry; the short one only sees that
 * nothing is lent for longer than that.
 */
export async function leakFigure(stage: MoneyStage, { size, killed }: LeakOptions): Promise<Figure> {
  const isExpiryAwaited = killed === 0 || size === "long";
  const withinMs = killed === 0 ? idleWithinMs : expiryWithinMs;
  const startedAt = monotonicMs();
  const isHome = async () => (await leaked(stage, isExpiryAwaited)).length === 0;
  await eventually(isHome, withinMs, 100);
  const hits = await leaked(stage, isExpiryAwaited);
  const accounts = await stage.reader.accounts();
  for (const { id, leased, leases } of accounts) {
    if (leased !== leases || (isExpiryAwaited && leased !== 0n))
      hits.push(`${id}: ${leased} lent, leases of ${leases}`);
  }
  const waited = ((monotonicMs() - startedAt) / 1000).toFixed(1);
  const name = isExpiryAwaited ? `nothing lent any more (${waited} s)` : "nothing lent that does not expire";
  return zeroFigure("P05", name, accounts.length, hits);
}
