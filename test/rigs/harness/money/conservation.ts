/**
 * Checks conservation of money: every credited unit is in a balance, leased, spent, or absorbed by the
 * operator. Pure except for the sampler, which reads the database at a fixed interval.
 */

import { type Figure, zeroFigure } from "../figure.ts";
import { pause } from "../measure/clock.ts";
import type { AccountSums, LedgerReader } from "./ledger-reader.ts";

/** Describes an inconsistent account; undefined = consistent. */
export function judgeAccount(sums: AccountSums): string | undefined {
  const { id, balance, leased, leases, credited, charged, lost } = sums;
  const available = balance - leased;
  const off = credited - (available + leased + charged - lost);
  if (off !== 0n) return `${id}: ${off} units off (${show(sums)})`;
  if (leased !== leases) return `${id}: ${leased} units said to be lent, leases of ${leases}`;
  if (balance < 0n || leased < 0n || available < 0n) return `${id}: out of bounds (${show(sums)})`;
  return undefined;
}

function show({ balance, leased, credited, charged, lost }: AccountSums): string {
  return `balance ${balance}, leased ${leased}, credited ${credited}, charged ${charged}, lost ${lost}`;
}

/** Results of sampling. */
export interface Watched {
  readonly samples: number;
  /** Accounts checked, summed over the samples. */
  readonly looks: number;
  readonly wrong: readonly string[];
  /** Lowest balance and lowest available amount of any account in any sample. */
  readonly lowestBalance: bigint;
  readonly lowestAvailable: bigint;
  /** Largest leased sum in a sample; without leases nothing was tested. */
  readonly mostLeased: bigint;
}

export interface ConservationWatch {
  stop(): Promise<Watched>;
}

const wrongMax = 50;

/**
 * Samples all accounts every `everyMs` until stopped, and once more at the end. Retries when the database is
 * unavailable.
 */
export function watchConservation(reader: LedgerReader, everyMs = 100): ConservationWatch {
  let isOver = false;
  const seen = { samples: 0, looks: 0, lowestBalance: 0n, lowestAvailable: 0n, mostLeased: 0n };
  const wrong: string[] = [];
  const look = async (): Promise<void> => {
    const accounts = await reader.accounts().catch(() => undefined);
    const budgetsOff = await reader.budgetsOff().catch(() => []);
    if (accounts === undefined) return;
    if (wrong.length < wrongMax) wrong.push(...budgetsOff.map((why) => `sample ${seen.samples}: ${why}`));
    let leased = 0n;
    for (const sums of accounts) {
      const why = judgeAccount(sums);
      if (why !== undefined && wrong.length < wrongMax) wrong.push(`sample ${seen.samples}: ${why}`);
      if (seen.looks === 0 || sums.balance < seen.lowestBalance) seen.lowestBalance = sums.balance;
      const available = sums.balance - sums.leased;
      if (seen.looks === 0 || available < seen.lowestAvailable) seen.lowestAvailable = available;
      leased += sums.leased;
      seen.looks++;
    }
    if (leased > seen.mostLeased) seen.mostLeased = leased;
    seen.samples++;
  };
  const loop = (async () => {
    while (!isOver) {
      await look();
      await pause(everyMs);
    }
    await look();
  })();
  return {
    async stop() {
      isOver = true;
      await loop;
      return { ...seen, wrong };
    },
  };
}

/** The figure; also missed when nothing was leased. */
export function conservationFigure(promise: string, watched: Watched): Figure {
  const idle = watched.mostLeased === 0n ? ["no money was lent at any sample: nothing was tested"] : [];
  return zeroFigure(
    promise,
    `credits = available + leased + charged − lost (${watched.samples} samples)`,
    watched.looks,
    [...watched.wrong, ...idle],
  );
}
