/**
 * P01: money is conserved at every instant. Two processes on one database, 64 accounts, calls that cost less
 * than, as much as and more than their hold, credits and debits, processes paused during work and killed; the
 * database is sampled ten times a second. The other half of P01 is the seeded simulator of the lease protocol
 * (test/simulator/).
 */
import { nanoUsd } from "@plaza/contract/money.ts";
import { simulate } from "../../simulator/simulator.ts";
import { countFigure, type Figure, type Rig, type RigOptions, zeroFigure } from "../harness/figure.ts";
import { post } from "../harness/http-client.ts";
import { monotonicMs, pause } from "../harness/measure/clock.ts";
import { bodyOf, completedAnswer, heldInput, type MoneyCall, requestTo } from "../harness/money/calls.ts";
import { conservationFigure, type Watched, watchConservation } from "../harness/money/conservation.ts";
import { leakFigure } from "../harness/money/leaks.ts";
import { costOf, firstModel, type MoneyKey, type MoneyStage, withMoney } from "../harness/money/money.ts";
import type { Plaza } from "../harness/processes/plaza.ts";
import { type Progress, startProgress } from "../harness/progress.ts";
import { type Random, seededRandom } from "../harness/random.ts";

const accountCount = 64;
const lanes = 24;
/** Longer than the expiry of a holder: the paused process's leases go to others before it resumes. */
const longPauseMs = 52_000;

const sizes = {
  short: { operations: 5_000, bankMs: 4_000 },
  long: { operations: 1_000_000, bankMs: 600_000 },
} as const;
/** Duration of one simulator step on an idle machine. */
const operationMs = 0.035;
/** Time for a long pause in progress at the end, expiry of killed holders, and the ledger check. */
const lastMs = 120_000;
/** A run goes on for at most so many times its length, until there was some of each. */
const lengthsMax = 10;
/** Interval of progress messages in long runs. */
const tellMs = 60_000;

/** Counts of what happened, to show that the run tested something. */
type Tally = Record<
  "answered" | "refused" | "aborted" | "other" | "credits" | "debits" | "pauses" | "longPauses" | "kills",
  number
>;

interface Bank {
  readonly stage: MoneyStage;
  readonly keys: readonly MoneyKey[];
  /** Credits made by the rig, by account. */
  readonly book: Map<string, bigint>;
  readonly slots: (Plaza | undefined)[];
  readonly tally: Tally;
  readonly size: "short" | "long";
  readonly progress: Progress;
  isOver: boolean;
}

/** A call that costs less than, as much as, or more than its hold. */
function randomCall(id: string, random: Random): MoneyCall {
  const maxTokens = random.int(1, 400);
  const isStream = random.chance(0.6);
  const held = heldInput(bodyOf({ id, isStream, maxTokens, plan: {} }));
  const kind = random.pick(["below", "equal", "above"] as const);
  const tokens = {
    below: random.int(0, maxTokens),
    equal: maxTokens,
    above: random.int(maxTokens, 3 * maxTokens),
  };
  const promptTokens = { below: random.int(0, held), equal: held, above: random.int(held, 20 * held) };
  return {
    id,
    isStream,
    maxTokens,
    model: random.chance(0.2) ? "rig-fallback" : "rig-model",
    plan: {
      fault: random.chance(0.2) ? "status_500_body" : "",
      faultModel: firstModel,
      tokens: tokens[kind],
      promptTokens: promptTokens[kind],
      headersMs: random.int(0, 60),
      gapMs: random.chance(0.2) ? 1 : 0,
      usage: random.chance(0.1) ? "absent" : "asked",
    },
  };
}

async function callerLane(bank: Bank, lane: number, random: Random): Promise<void> {
  for (let turn = 0; !bank.isOver; turn++) {
    const plaza = bank.slots[random.int(0, bank.slots.length - 1)];
    if (plaza === undefined) {
      await pause(10);
      continue;
    }
    const key = random.pick(bank.keys);
    const leavesAfterMs = random.chance(0.1) ? random.int(0, 60) : undefined;
    const seen = await post({
      ...requestTo(plaza, randomCall(`p01-${lane}-${turn}`, random)),
      key: key.secret,
      withinMs: leavesAfterMs ?? 15_000,
    });
    if (completedAnswer(seen) !== undefined) bank.tally.answered++;
    else if (seen.status === 402) bank.tally.refused++;
    else if (leavesAfterMs !== undefined) bank.tally.aborted++;
    else bank.tally.other++;
  }
}

/** Credits accounts, and debits unleased balance. */
async function teller(bank: Bank, random: Random): Promise<void> {
  while (!bank.isOver) {
    const { accountId } = random.pick(bank.keys);
    const isCredit = random.chance(0.7);
    const amount = BigInt(random.int(1, 2_000_000)) * (isCredit ? 1n : -1n);
    const kind = isCredit ? ("topup" as const) : ("adjustment" as const);
    const isDone = await bank.stage.store.addEntry({ accountId, kind, amount: nanoUsd(amount) }).then(
      () => true,
      () => false,
    );
    if (isDone) {
      bank.book.set(accountId, (bank.book.get(accountId) ?? 0n) + amount);
      bank.tally[isCredit ? "credits" : "debits"]++;
    }
    await pause(random.int(1, 20));
  }
}

/** Pauses a process during its work. */
async function pauseOne(bank: Bank, plaza: Plaza, milliseconds: number): Promise<void> {
  plaza.running.child.kill("SIGSTOP");
  await pause(milliseconds);
  plaza.running.child.kill("SIGCONT");
  bank.tally[milliseconds === longPauseMs ? "longPauses" : "pauses"]++;
}

async function killOne(bank: Bank, slot: number): Promise<void> {
  const plaza = bank.slots[slot];
  bank.slots[slot] = undefined;
  await plaza?.running.stop("SIGKILL");
  bank.tally.kills++;
  bank.slots[slot] = await bank.stage.serve();
}

async function trouble(bank: Bank, random: Random): Promise<void> {
  const beganAt = monotonicMs();
  const lengthMs = sizes[bank.size].bankMs;
  let tellAt = beganAt + tellMs;
  const isOver = (): boolean => {
    const tookMs = monotonicMs() - beganAt;
    return tookMs >= lengthMs && (missingIn(bank).length === 0 || tookMs >= lengthsMax * lengthMs);
  };
  for (let turn = 0; !isOver(); turn++) {
    await pause(random.int(100, 600));
    if (monotonicMs() >= tellAt) {
      const { answered, kills, pauses, longPauses } = bank.tally;
      bank.progress.begin(
        `bank run, ${answered} answers, ${kills} kills, ${pauses} pauses, ${longPauses} long ones`,
      );
      tellAt += tellMs;
    }
    const slot = random.int(0, bank.slots.length - 1);
    const plaza = bank.slots[slot];
    if (plaza === undefined) continue;
    if (bank.size === "long" && turn % 40 === 20) await pauseOne(bank, plaza, longPauseMs);
    else if (turn % 2 === 0) await pauseOne(bank, plaza, random.int(50, 1_200));
    else await killOne(bank, slot);
  }
  bank.isOver = true;
}

async function openBank(
  stage: MoneyStage,
  options: { size: "short" | "long"; progress: Progress; random: Random },
): Promise<Bank> {
  const { size, progress, random } = options;
  const book = new Map<string, bigint>();
  const keys: MoneyKey[] = [];
  const hold = costOf({ input: 300, output: 400 });
  for (let index = 0; index < accountCount; index++) {
    const balance = BigInt(random.int(0, Number(hold) * 40));
    const account = await stage.createAccount(balance);
    book.set(account, balance);
    const budget = random.chance(0.3) ? BigInt(random.int(0, Number(hold) * 20)) : undefined;
    keys.push(await stage.createKey(account, budget));
  }
  const slots = [await stage.serve(), await stage.serve()];
  const tally = {
    answered: 0,
    refused: 0,
    aborted: 0,
    other: 0,
    credits: 0,
    debits: 0,
    pauses: 0,
    longPauses: 0,
    kills: 0,
  };
  return { stage, keys, book, slots, tally, size, progress, isOver: false };
}

/** Credits in the ledger must equal those made by the rig. */
async function judgeBook(bank: Bank): Promise<string[]> {
  const accounts = new Map((await bank.stage.reader.accounts()).map((sums) => [sums.id, sums.credited]));
  return [...bank.book]
    .filter(([id, credited]) => accounts.get(id) !== credited)
    .map(([id, credited]) => `${id}: credited ${credited}, the ledger says ${accounts.get(id) ?? "nothing"}`);
}

/** What a run must have had and has not. */
function missingIn({ tally, size }: Pick<Bank, "tally" | "size">): string[] {
  const needed: (keyof Tally)[] = ["answered", "refused", "aborted", "credits", "debits", "pauses", "kills"];
  if (size === "long") needed.push("longPauses");
  return needed.filter((name) => tally[name] === 0).map((name) => `no ${name}`);
}

function tallyFigure(bank: Bank, watched: Watched): Figure {
  const missing = missingIn(bank);
  return {
    promise: "P01",
    name: "what the run was made of",
    reached: Object.entries(bank.tally)
      .map(([name, count]) => `${count} ${name}`)
      .join(", "),
    wanted: "some of each",
    ok: missing.length === 0 && watched.samples > 0,
    kind: "correct",
    misses: missing,
  };
}

async function simulatorFigure(size: "short" | "long", seed: number): Promise<Figure> {
  const { operations, steps, violations } = await simulate({
    seed,
    operations: sizes[size].operations,
  });
  return zeroFigure("P01", `violations in the simulator, ${operations} operations`, steps, violations);
}

export const run: Rig = async (options) => {
  const { operations, bankMs } = sizes[options.size];
  const estimateMs = operations * operationMs + bankMs + lastMs;
  const progress = startProgress({ rig: "P01", estimateMs, isShown: options.size === "long" });
  progress.begin(`simulator, ${operations} operations`);
  const simulated = await simulatorFigure(options.size, options.seed);
  progress.begin("bank run");
  return [simulated, ...(await bankRun(options, progress))];
};

const bankRun = ({ size, seed, database }: RigOptions, progress: Progress): Promise<Figure[]> =>
  withMoney({ seed, database }, async (stage) => {
    const random = seededRandom(seed);
    const bank = await openBank(stage, { size, progress, random: random.fork("bank") });
    const watch = watchConservation(stage.reader, 100);
    await Promise.all([
      trouble(bank, random.fork("trouble")),
      teller(bank, random.fork("teller")),
      ...Array.from({ length: lanes }, (_, lane) => callerLane(bank, lane, random.fork(`lane-${lane}`))),
    ]);
    progress.begin("what the dead held goes home, the ledger looked through");
    const leaks = await leakFigure(stage, { size, killed: bank.tally.kills });
    const watched = await watch.stop();
    const findings = await stage.verify();
    return [
      conservationFigure("P01", watched),
      countFigure(
        "P01",
        "credits of the ledger are those the rig made",
        bank.book.size,
        await judgeBook(bank),
      ),
      zeroFigure("P01", "the ledger added up again (ledger verify)", 1, findings),
      tallyFigure(bank, watched),
      leaks,
    ];
  });
