/** The period of a key's daily or monthly budget for a given time. Periods begin at midnight UTC. Pure. */

export type BudgetPeriod = "day" | "month";

/** One period of one key. */
export interface BudgetWindow {
  /** Contains key and period, as in `key_01:month:2026-11`; the id of a row in the store. */
  readonly id: string;
  /** Unix milliseconds at which the next period begins. */
  readonly endsAt: number;
}

/** The period that contains `nowMs` (Unix milliseconds). */
export function budgetWindow(keyId: string, period: BudgetPeriod, nowMs: number): BudgetWindow {
  const now = new Date(nowMs);
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  const name = now.toISOString().slice(0, period === "day" ? 10 : 7);
  return {
    id: `${keyId}:${period}:${name}`,
    endsAt: period === "day" ? Date.UTC(year, month, day + 1) : Date.UTC(year, month + 1, 1),
  };
}
