/**
 * P05: holds and leases never leak. Leases are returned when a process is idle, when it stops, and when it
 * dies or is paused beyond its expiry; a paused process notices that before it uses its leases again. The
 * short form sets heartbeats back instead of waiting; the long form waits.
 */

import { countFigure, type Figure, type Rig, zeroFigure } from "../harness/figure.ts";
import { post, type Seen } from "../harness/http-client.ts";
import { eventually, monotonicMs, pause } from "../harness/measure/clock.ts";
import {
  bodyOf,
  type CompletedAnswer,
  completedAnswer,
  exactCall,
  heldInput,
  requestTo,
} from "../harness/money/calls.ts";
import { conservationFigure, watchConservation } from "../harness/money/conservation.ts";
import { expiryWithinMs, leakFigure } from "../harness/money/leaks.ts";
import { costOf, type MoneyKey, type MoneyStage, withMoney } from "../harness/money/money.ts";
import { judgeCharges } from "../harness/money/reconcile.ts";
import { untilSettled } from "../harness/money/settled.ts";
import type { Plaza } from "../harness/processes/plaza.ts";
import { seededRandom } from "../harness/random.ts";

const callsAtOnce = 40;
/** Duration of every call, so that holds exist when the process is stopped. */
const slowMs = 1_500;

/** Long enough that no call times out because the process was paused. */
const timeouts = { firstToken: "10m", idle: "10m", total: "15m" };

/** A serving process with its holder id. */
interface Holder {
  readonly plaza: Plaza;
  readonly id: string;
}

/** Starts a process and finds its holder: the one that did not exist before. */
async function startHolder(stage: MoneyStage): Promise<Holder> {
  const before = await stage.reader.holders();
  const plaza = await stage.serve();
  const id = (await stage.reader.holders()).find((one) => !before.includes(one));
  if (id === undefined) throw new Error("the new process registered no holder");
  return { plaza, id };
}

/** Running calls; resolves when all have ended. */
function callsOn(plaza: Plaza, keys: readonly MoneyKey[], name: string, headersMs = slowMs): Promise<Seen[]> {
  return Promise.all(
    Array.from({ length: callsAtOnce }, (_, index) =>
      post({
        ...requestTo(plaza, {
          id: `p05-${name}-${index}`,
          isStream: index % 2 === 0,
          maxTokens: 200,
          plan: { headersMs, tokens: 20 },
        }),
        key: keys[index % keys.length]?.secret ?? "",
        withinMs: 120_000,
      }),
    ),
  );
}

const lentTo = async (stage: MoneyStage, ids: readonly string[]): Promise<bigint> =>
  (await stage.reader.leases())
    .filter(({ holderId }) => ids.includes(holderId))
    .reduce((sum, { amount }) => sum + amount, 0n);

const answersOf = (seens: readonly Seen[]): CompletedAnswer[] =>
  seens.map(completedAnswer).filter((answer) => answer !== undefined);

function homeFigure(name: string, leftMs: number, boundMs: number, misses: readonly string[]): Figure {
  return {
    promise: "P05",
    name,
    reached:
      misses.length === 0 ? `all home after ${(leftMs / 1000).toFixed(1)} s` : "something is still lent",
    wanted: `≤ ${boundMs / 1000} s`,
    ok: misses.length === 0 && leftMs <= boundMs,
    kind: "correct",
    misses,
  };
}

/** A process that stops during calls ends them and returns all leases. */
async function gracefulStop(stage: MoneyStage, keys: readonly MoneyKey[]): Promise<Figure[]> {
  const { plaza, id } = await startHolder(stage);
  const calls = callsOn(plaza, keys, "stop", 500);
  const wasLent = await eventually(async () => (await lentTo(stage, [id])) > 0n, 5_000);
  const code = await plaza.running.stop("SIGTERM", 20_000);
  const lent = await lentTo(stage, [id]);
  const isGone = !(await stage.reader.holders()).includes(id);
  const answered = answersOf(await calls).length;
  const wrong = [
    ...(wasLent ? [] : ["nothing was ever lent"]),
    ...(code === 0 ? [] : [`ended with ${code}`]),
    ...(lent === 0n ? [] : [`${lent} lent to a process that has stopped`]),
    ...(isGone ? [] : ["still registered"]),
    ...(answered > 0 ? [] : ["no call was answered before the end"]),
  ];
  return [
    zeroFigure(
      "P05",
      `a graceful stop in the middle of ${callsAtOnce} calls gives back everything`,
      1,
      wrong,
    ),
  ];
}

/** An account with little balance, part of it leased to a paused process; for the long form. */
const poorCalls = 30;
const poorOutput = 100;

interface Poor {
  readonly key: MoneyKey;
  /** Cost of the call that runs when the process is paused. */
  readonly cost: bigint;
  readonly inFlight: Promise<Seen>;
}

function poorCall(name: string, headersMs = 0) {
  return exactCall(
    { id: `p05-poor-${name.padStart(8, "_")}`, isStream: true, maxTokens: poorOutput },
    { headersMs },
  );
}

const sendPoor = (plaza: Plaza, key: MoneyKey, name: string, headersMs?: number): Promise<Seen> =>
  post({ ...requestTo(plaza, poorCall(name, headersMs)), key: key.secret, withinMs: 120_000 });

async function lendToPoor(stage: MoneyStage, plaza: Plaza): Promise<Poor> {
  const cost = costOf({ input: heldInput(bodyOf(poorCall("0"))), output: poorOutput });
  const key = await stage.createKey(await stage.createAccount(cost * BigInt(poorCalls)));
  const first = costOf({ input: heldInput(bodyOf(poorCall("first", slowMs))), output: poorOutput });
  return { key, cost: first, inFlight: sendPoor(plaza, key, "first", slowMs) };
}

/**
 * Other processes spend everything that the paused one had leased; when it resumes, it must not spend it
 * again. Only the running call exceeds the balance, which the operator absorbs.
 */
async function spendAgain(stage: MoneyStage, poor: Poor, asleep: Plaza, living: Plaza): Promise<Figure> {
  const spend = (plaza: Plaza, count: number, name: string) =>
    Promise.all(Array.from({ length: count }, (_, index) => sendPoor(plaza, poor.key, `${name}${index}`)));
  const spent = answersOf(await spend(living, poorCalls + 10, "others")).length;
  // The calls are in its sockets when it resumes, and its heartbeat is delayed: it must not use its leases
  // before the heartbeat.
  const letBeat = await stage.reader.holdHeartbeats();
  const late = spend(asleep, 10, "again");
  await pause(200);
  asleep.running.child.kill("SIGCONT");
  await pause(500);
  await letBeat();
  const again = answersOf(await late).length;
  const first = answersOf([await poor.inFlight]).length;
  const own = async () => (await stage.reader.accounts()).find(({ id }) => id === poor.key.accountId);
  // The settlement may be in the journal for a moment.
  await eventually(async () => (await own())?.lost === poor.cost, 10_000);
  const sums = await own();
  const wrong = [
    ...(spent === poorCalls ? [] : [`others were served ${spent} calls of ${poorCalls}`]),
    ...(again === 0 ? [] : [`the sleeper served ${again} calls with money that was spent`]),
    ...(first === 1 ? [] : ["the call in flight was not answered"]),
    ...(sums?.balance === 0n && sums.lost === poor.cost
      ? []
      : [`balance ${sums?.balance}, lost ${sums?.lost}`]),
  ];
  return zeroFigure("P05", "money of an expired lease spent a second time", poorCalls + 11, wrong);
}

/** One process is killed and one paused, both during calls; a third one sweeps their leases. */
async function deathAndSleep(
  stage: MoneyStage,
  keys: readonly MoneyKey[],
  size: "short" | "long",
): Promise<Figure[]> {
  const [dead, asleep, living] = [
    await startHolder(stage),
    await startHolder(stage),
    await startHolder(stage),
  ];
  const gone = [dead.id, asleep.id];
  const cutOff = callsOn(dead.plaza, keys, "dead");
  const sleeping = callsOn(asleep.plaza, keys, "asleep");
  const wasLent = await eventually(
    async () => (await lentTo(stage, [dead.id])) > 0n && (await lentTo(stage, [asleep.id])) > 0n,
    5_000,
  );
  const poor = size === "long" ? await lendToPoor(stage, asleep.plaza) : undefined;
  await pause(300);
  // On SQLite not in a transaction: its lock would remain while it sleeps, and its leases are to be swept
  // meanwhile. PostgreSQL ends a transaction that sleeps.
  const letWrite = await stage.reader.holdHeartbeats();
  asleep.plaza.running.child.kill("SIGSTOP");
  await letWrite();
  await dead.plaza.running.stop("SIGKILL");
  const startedAt = monotonicMs();
  await cutOff;
  const lentAfterDeath = await lentTo(stage, gone);
  if (size === "short") await stage.reader.ageHolders(gone);
  // Leases are returned in several transactions, and the last one deletes the holder, so between them it
  // still exists.
  const registered = async () => (await stage.reader.holders()).filter((id) => gone.includes(id));
  const isDone = async () => (await lentTo(stage, gone)) === 0n && (await registered()).length === 0;
  const isHome = await eventually(isDone, expiryWithinMs, 100);
  const homeMs = monotonicMs() - startedAt;
  const left = await registered();
  const spentTwice = poor === undefined ? [] : [await spendAgain(stage, poor, asleep.plaza, living.plaza)];
  asleep.plaza.running.child.kill("SIGCONT");
  const [late, again, beside] = [
    await sleeping,
    await callsOn(asleep.plaza, keys, "awake", 10),
    await callsOn(living.plaza, keys, "beside", 10),
  ];
  const wrong = [
    ...(wasLent && lentAfterDeath > 0n ? [] : ["nothing was lent to those who went"]),
    ...(isHome ? [] : [`${await lentTo(stage, gone)} still lent to the dead`]),
    ...left.map((id) => `${id} is still registered`),
  ];
  const served = [late, again, beside].map((seens) => answersOf(seens).length);
  const unserved = served.flatMap((count, index) =>
    count === callsAtOnce
      ? []
      : [`${["calls it slept through", "its calls afterwards", "calls beside it"][index]}: ${count}`],
  );
  const answers = [late, again, beside].flatMap(answersOf);
  await untilSettled(stage, answers);
  return [
    ...spentTwice,
    homeFigure("what the dead and the sleeping had borrowed", homeMs, expiryWithinMs, wrong),
    countFigure(
      "P05",
      "calls on and beside a process that slept through its leases",
      3 * callsAtOnce,
      unserved,
    ),
    ...judgeCharges(answers, await stage.reader.requests(), await stage.reader.charges()),
  ];
}

export const run: Rig = ({ size, seed, database }) =>
  withMoney({ seed, database, timeouts }, async (stage) => {
    const random = seededRandom(seed);
    const keys: MoneyKey[] = [];
    for (let index = 0; index < 4; index++) {
      const balance = costOf({ input: 1_000, output: 1_000 }) * BigInt(random.int(200, 2_000));
      keys.push(await stage.createKey(await stage.createAccount(balance)));
    }
    const watch = watchConservation(stage.reader, 100);
    const stopped = await gracefulStop(stage, keys);
    const died = await deathAndSleep(stage, keys, size);
    // Dead holders are swept: with the other processes idle, nothing may be leased.
    const idle = await leakFigure(stage, { size, killed: 0 });
    return [
      ...stopped,
      ...died,
      idle,
      conservationFigure("P01", await watch.stop()),
      zeroFigure("P05", "the ledger added up again (ledger verify)", 1, await stage.verify()),
    ];
  });
