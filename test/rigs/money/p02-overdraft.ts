/**
 * P02: a balance never goes below zero and never admits more than it pays for. Two processes, one key, 400
 * concurrent calls, balance for exactly 50; then calls that cost less than their hold, until no call is
 * served.
 */

import { countFigure, type Figure, type Rig, zeroFigure } from "../harness/figure.ts";
import { inParallel, post } from "../harness/http-client.ts";
import { eventually } from "../harness/measure/clock.ts";
import {
  bodyOf,
  completedAnswer,
  exactCall,
  heldInput,
  type MoneyCall,
  requestTo,
} from "../harness/money/calls.ts";
import { conservationFigure, watchConservation } from "../harness/money/conservation.ts";
import { leakFigure } from "../harness/money/leaks.ts";
import { costOf, type MoneyKey, type MoneyStage, withMoney } from "../harness/money/money.ts";
import type { Plaza } from "../harness/processes/plaza.ts";
import { type Random, seededRandom } from "../harness/random.ts";
import { errorCode } from "../harness/raw-client.ts";

const callers = 400;
const paidFor = 50;
const maxTokens = 100;
/** Leases are returned within seconds of the last call. */
const settledWithinMs = 10_000;

/** The result of one call. */
type Outcome = "answered" | "refused" | string;

const refusals = ["insufficient_balance", "budget_exceeded"];

async function call(plaza: Plaza, key: MoneyKey, one: MoneyCall): Promise<Outcome> {
  const seen = await post({ ...requestTo(plaza, one), key: key.secret, withinMs: 30_000 });
  if (completedAnswer(seen) !== undefined) return "answered";
  const code = errorCode(seen.body);
  const isRefused =
    seen.status === 402 && refusals.includes(code ?? "") && seen.headers["x-should-retry"] === "false";
  return isRefused ? "refused" : `status ${seen.status}, code ${code ?? "none"} ${seen.problem}`;
}

const padded = (index: number): string => String(index).padStart(4, "0");

const number = (outcomes: readonly Outcome[], wanted: Outcome): number =>
  outcomes.filter((outcome) => outcome === wanted).length;

const strange = (outcomes: readonly Outcome[]): string[] => [
  ...new Set(outcomes.filter((outcome) => outcome !== "answered" && outcome !== "refused")),
];

/** Ids of the calls with `prefix` that reached the upstream. */
function reached(stage: MoneyStage, prefix: string): string[] {
  return stage
    .calls()
    .map((record) => record.id)
    .filter((id) => id.startsWith(prefix));
}

const holdOf = (one: MoneyCall): bigint => costOf({ input: heldInput(bodyOf(one)), output: maxTokens });

async function accountOf(stage: MoneyStage, id: string) {
  const found = (await stage.reader.accounts()).find((account) => account.id === id);
  if (found === undefined) throw new Error(`no account ${id}`);
  return found;
}

/** One repetition of the first half; returns what is wrong. */
async function exactlyFifty(stage: MoneyStage, plazas: readonly Plaza[], turn: number, random: Random) {
  const prefix = `p02-${padded(turn)}-`;
  const headersMs = random.pick([0, 5, 50, 300]);
  const calls = Array.from({ length: callers }, (_, index) =>
    exactCall({ id: prefix + padded(index), isStream: random.chance(0.5), maxTokens }, { headersMs }),
  );
  const costs = new Set(calls.map(holdOf));
  const [cost = 0n] = costs;
  if (costs.size !== 1) throw new Error("the calls of a repetition must cost the same");
  // Every third time the key's budget is the limit, while the balance would suffice.
  const paid = cost * BigInt(paidFor);
  const rest = turn % 3 === 2 ? 2n * paid : 0n;
  const account = await stage.createAccount(paid + rest);
  const key = await stage.createKey(account, rest === 0n ? undefined : paid);
  // One process has a few calls and an unused lease, the other all remaining calls: the idle money must be
  // found.
  const isLopsided = turn % 2 === 1;
  const early = isLopsided ? random.int(1, 3) : 0;
  const first = await inParallel(calls.slice(0, early), early, (one) => call(plazas[0] as Plaza, key, one));
  const others = await inParallel(calls.slice(early), callers, (one, index) =>
    call(plazas[isLopsided ? 1 : index % plazas.length] as Plaza, key, one),
  );
  const outcomes = [...first, ...others];
  const isHome = await eventually(
    async () => (await accountOf(stage, account)).leased === 0n,
    settledWithinMs,
  );
  const sums = await accountOf(stage, account);
  const wrong = [
    ...strange(outcomes),
    ...(number(outcomes, "answered") === paidFor ? [] : [`${number(outcomes, "answered")} answered`]),
    ...(reached(stage, prefix).length === paidFor
      ? []
      : [`${reached(stage, prefix).length} reached the upstream`]),
    ...(sums.balance === rest ? [] : [`${sums.balance - rest} left of what was paid for`]),
    ...(sums.lost === 0n ? [] : [`${sums.lost} lost`]),
    ...(isHome ? [] : [`${sums.leased} still lent`]),
  ];
  return wrong.length === 0
    ? undefined
    : `repetition ${turn} (answers after ${headersMs} ms, ${early} calls first, ${rest === 0n ? "balance" : "budget"}): ${wrong.join("; ")}`;
}

/** One repetition of the second half: charges below the hold, repeated until a whole round is refused. */
async function untilRefused(stage: MoneyStage, plazas: readonly Plaza[], turn: number, random: Random) {
  const prefix = `p02u-${padded(turn)}-`;
  const width = random.pick([1, 8, 40]);
  const sample = exactCall({ id: prefix + padded(0), isStream: true, maxTokens });
  const hold = holdOf(sample);
  const balance = hold * BigInt(random.int(10, 20)) + BigInt(random.int(0, Number(hold) - 1));
  const account = await stage.createAccount(balance);
  const key = await stage.createKey(account);
  const wrong: string[] = [];
  let spent = 0n;
  let made = 0;
  /** The largest hold of the last round: bodies differ by some digits. */
  let needed = 0n;
  for (let round = 0; ; round++) {
    const calls = Array.from({ length: Math.max(width, plazas.length) }, () => {
      const plan = {
        promptTokens: random.int(1, 120),
        tokens: random.int(1, maxTokens),
        headersMs: random.int(0, 20),
      };
      return { id: prefix + padded(made++), isStream: true, maxTokens, plan };
    });
    const outcomes = await inParallel(calls, width, (one, index) =>
      call(plazas[index % plazas.length] as Plaza, key, one),
    );
    wrong.push(...strange(outcomes));
    needed = calls.map(holdOf).reduce((most, one) => (one > most ? one : most));
    calls.forEach(({ plan }, index) => {
      if (outcomes[index] === "answered") spent += costOf({ input: plan.promptTokens, output: plan.tokens });
    });
    if (number(outcomes, "answered") === 0 || wrong.length > 0 || round > 500) break;
  }
  await eventually(async () => (await accountOf(stage, account)).leased === 0n, settledWithinMs);
  const sums = await accountOf(stage, account);
  if (spent > balance) wrong.push(`${spent} spent of ${balance}`);
  if (sums.charged !== spent) wrong.push(`charged ${sums.charged}, answered calls cost ${spent}`);
  if (sums.balance >= needed) wrong.push(`${sums.balance} unspent with a hold of ${needed}`);
  if (sums.leased !== 0n) wrong.push(`${sums.leased} still lent`);
  if (sums.lost !== 0n) wrong.push(`${sums.lost} lost`);
  return wrong.length === 0
    ? undefined
    : `repetition ${turn} (${width} at once): ${[...new Set(wrong)].join("; ")}`;
}

export const run: Rig = ({ size, seed, database }) =>
  withMoney({ seed, database }, async (stage) => {
    const random = seededRandom(seed);
    const plazas = [await stage.serve(), await stage.serve()];
    const watch = watchConservation(stage.reader, 50);
    const turns = Array.from({ length: size === "long" ? 100 : 4 }, (_, turn) => turn);
    const fifty: (string | undefined)[] = [];
    for (const turn of turns)
      fifty.push(await exactlyFifty(stage, plazas, turn, random.fork(`fifty-${turn}`)));
    const refused: (string | undefined)[] = [];
    for (const turn of turns)
      refused.push(await untilRefused(stage, plazas, turn, random.fork(`until-${turn}`)));
    const watched = await watch.stop();
    const missed = (found: readonly (string | undefined)[]) => found.filter((why) => why !== undefined);
    const figures: Figure[] = [
      countFigure("P02", `exactly ${paidFor} of ${callers} calls admitted`, turns.length, missed(fifty)),
      countFigure(
        "P02",
        "less than one hold unspent, never more than paid for",
        turns.length,
        missed(refused),
      ),
      zeroFigure("P02", "balance or available below 0", watched.looks, belowZero(watched)),
      conservationFigure("P01", watched),
      await leakFigure(stage, { size, killed: 0 }),
    ];
    return figures;
  });

function belowZero({
  lowestBalance,
  lowestAvailable,
}: {
  lowestBalance: bigint;
  lowestAvailable: bigint;
}): string[] {
  const lowest = lowestBalance < lowestAvailable ? lowestBalance : lowestAvailable;
  return lowest < 0n ? [`lowest: ${lowest}`] : [];
}
