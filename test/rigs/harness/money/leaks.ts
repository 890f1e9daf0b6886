/**
 * P05 after another rig: what is still leased after the load has ended? Running processes return idle leases,
 * stopped processes return all, and leases of killed processes expire.
 */

import { type Figure, zeroFigure } from "../figure.ts";
import { eventually, monotonicMs } from "../measure/clock.ts";
import type { LeaseSeen } from "./ledger-reader.ts";
import type { MoneyStage } from "./money.ts";

/** Idle leases are returned within seconds; generous, because rigs share machines. */
const idleWithinMs = 10_000;
/**
 * Expiry of a process without heartbeat (45 s), the next heartbeat of another (5 s), and the sweep itself.
 */
export const expiryWithinMs = 60_000;

export interface LeakOptions {
  readonly size: "short" | "long";
  /** Number of killed processes; in the short form their leases may still be unexpired. */
  readonly killed: number;
}

function describe({ holderId, subject, amount, expiresInMs }: LeaseSeen): string {
  return `${holderId} still has ${amount} of ${subject}, expires in ${(expiresInMs / 1000).toFixed(1)} s`;
}

/** Leases that nothing will return: without a holder, or of a holder that should have been swept. */
async function leaked(stage: Pick<MoneyStage, "reader">, isExpiryAwaited: boolean): Promise<string[]> {
  const leases = await stage.reader.leases();
  const bad = isExpiryAwaited ? leases : leases.filter(({ expiresInMs }) => !(expiresInMs < expiryWithinMs));
  return bad.map(describe);
}

/**
 * Waits for leases to be returned while the stage's processes run idle. At least one must be running. After
 * kills, the long form waits for the real expiry; the short form only checks that no lease lasts longer than
 * that.
 */
export async function leakFigure(
  stage: Pick<MoneyStage, "reader">,
  { size, killed }: LeakOptions,
): Promise<Figure> {
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
