/**
 * P03: a crash loses no settled charge and charges nothing twice. Two processes under mixed load are killed
 * repeatedly; every caller with a complete answer must find exactly one charge for it. P04 follows: the
 * ledger is compared with the upstream's journal.
 */

import { type Figure, type Rig, zeroFigure } from "../harness/figure.ts";
import { post } from "../harness/http-client.ts";
import { pause } from "../harness/measure/clock.ts";
import { type CompletedAnswer, completedAnswer, type MoneyCall, requestTo } from "../harness/money/calls.ts";
import { conservationFigure, watchConservation } from "../harness/money/conservation.ts";
import { leakFigure } from "../harness/money/leaks.ts";
import { firstModel, type MoneyKey, type MoneyStage, withMoney } from "../harness/money/money.ts";
import { judgeCharges, reconcile, reconcileFigures } from "../harness/money/reconcile.ts";
import { untilSettled } from "../harness/money/settled.ts";
import type { Plaza } from "../harness/processes/plaza.ts";
import { type Random, seededRandom } from "../harness/random.ts";

const lanes = 24;
/** On a slow machine a short run goes on until there was some of each. */
const cyclesMax = 10;
const accountCount = 8;
/** Every call's prompt has a unique size, starting here. */
const firstPrompt = 1_000;

interface Load {
  readonly keys: readonly MoneyKey[];
  readonly slots: (Plaza | undefined)[];
  readonly answers: CompletedAnswer[];
  calls: number;
  left: number;
  broken: number;
  /** Crashes while the database was unavailable. */
  databaseCrashes: number;
  isOver: boolean;
}

/** Streams and whole answers, fallbacks, answers without usage, failed answers. */
function mixedCall(load: Load, random: Random): MoneyCall {
  const call = load.calls++;
  return {
    id: `p03-${call}`,
    isStream: random.chance(0.6),
    maxTokens: 200,
    model: random.chance(0.4) ? "rig-fallback" : "rig-model",
    plan: {
      promptTokens: firstPrompt + call,
      cachedTokens: random.chance(0.3) ? random.int(0, firstPrompt) : 0,
      tokens: random.int(0, 250),
      headersMs: random.int(0, 40),
      gapMs: random.chance(0.2) ? 1 : 0,
      endMs: random.chance(0.2) ? random.int(1, 40) : 0,
      usage: random.chance(0.1) ? "absent" : "asked",
      fault: random.chance(0.2)
        ? random.pick(["reset_mid_event", "done_never", "usage_negative", "status_503"])
        : "",
      faultModel: random.chance(0.7) ? firstModel : "",
    },
  };
}

async function lane(load: Load, random: Random): Promise<void> {
  while (!load.isOver) {
    const plaza = load.slots[random.int(0, load.slots.length - 1)];
    if (plaza === undefined) {
      await pause(10);
      continue;
    }
    const leavesAfterMs = random.chance(0.1) ? random.int(1, 80) : undefined;
    const seen = await post({
      key: random.pick(load.keys).secret,
      ...requestTo(plaza, mixedCall(load, random)),
      withinMs: leavesAfterMs ?? 15_000,
    });
    const answer = completedAnswer(seen);
    if (answer !== undefined) load.answers.push(answer);
    else if (leavesAfterMs !== undefined) load.left++;
    else if (!seen.isWhole) load.broken++;
  }
}

/** Makes the database unavailable in a random way; the returned function restores it. */
async function takeDatabaseAway(
  { postgres, reader }: MoneyStage,
  random: Random,
): Promise<() => Promise<void>> {
  if (postgres === undefined) return reader.holdHeartbeats();
  if (random.chance(0.5)) {
    postgres.pause();
    return async () => postgres.resume();
  }
  await postgres.kill();
  return () => postgres.start();
}

/**
 * Crashes one or both processes at a random time, sometimes with the database already unavailable, so that
 * settlements are only in the journals. Then checks the ledger.
 */
async function crash(stage: MoneyStage, load: Load, cycle: number, random: Random): Promise<string[]> {
  await pause(random.int(300, 1_000));
  const victims = random.chance(0.3) ? [0, 1] : [random.int(0, 1)];
  const isDatabaseAway = cycle === 1 || random.chance(0.3);
  const bringBack = isDatabaseAway ? await takeDatabaseAway(stage, random) : undefined;
  if (isDatabaseAway) {
    load.databaseCrashes++;
    await pause(random.int(200, 1_500));
  }
  const gone = victims.map((slot) => load.slots[slot]);
  for (const slot of victims) load.slots[slot] = undefined;
  await Promise.all(gone.map((plaza) => plaza?.running.stop("SIGKILL")));
  await bringBack?.();
  const findings = await stage.verify();
  for (const slot of victims) load.slots[slot] = await stage.serve();
  return findings.map((finding) => `after crash ${cycle}: ${finding}`);
}

export const run: Rig = ({ size, seed, database }) =>
  withMoney({ seed, database }, async (stage) => {
    const random = seededRandom(seed);
    const keys: MoneyKey[] = [];
    for (let index = 0; index < accountCount; index++) {
      keys.push(await stage.createKey(await stage.createAccount(1_000_000_000_000n)));
    }
    const slots = [await stage.serve(), await stage.serve()];
    const load: Load = {
      keys,
      slots,
      answers: [],
      calls: 0,
      left: 0,
      broken: 0,
      databaseCrashes: 0,
      isOver: false,
    };
    const watch = watchConservation(stage.reader, 100);
    const running = Array.from({ length: lanes }, (_, index) => lane(load, random.fork(`lane-${index}`)));
    const findings: string[] = [];
    const least = size === "long" ? 100 : 3;
    let cycles = 0;
    while (cycles < least || (cycles < cyclesMax && !isMixed(load))) {
      findings.push(...(await crash(stage, load, cycles, random.fork(`crash-${cycles}`))));
      cycles++;
    }
    load.isOver = true;
    await Promise.all(running);
    await untilSettled(stage, load.answers);
    const leaks = await leakFigure(stage, { size, killed: cycles });
    // Settlements of disconnected callers are complete when the last process has stopped.
    await Promise.all(slots.map((plaza) => plaza.running.stop("SIGTERM", 20_000)));
    const watched = await watch.stop();
    findings.push(...(await stage.verify()));
    const rows = await stage.reader.requests();
    return [
      ...judgeCharges(load.answers, rows, await stage.reader.charges()),
      zeroFigure("P03", `the ledger added up again after each of ${cycles} crashes`, cycles + 1, findings),
      loadFigure(load),
      ...reconcileFigures(reconcile(rows, stage.calls())),
      conservationFigure("P01", watched),
      leaks,
    ];
  });

const isMixed = ({ answers, left, broken }: Load): boolean => answers.length > 0 && left > 0 && broken > 0;

function loadFigure(load: Load): Figure {
  const { answers, calls, left, broken, databaseCrashes } = load;
  return {
    promise: "P03",
    name: "what the run was made of",
    reached: `${calls} calls, ${answers.length} complete, ${left} left by their callers, ${broken} cut off by crashes, ${databaseCrashes} crashes without the database`,
    wanted: "some of each",
    ok: isMixed(load),
    kind: "correct",
  };
}
