/**
 * P19: losing PostgreSQL never turns valid keys into 401 or calls into free calls. Under load the server is
 * stopped, killed, restarted, filled with other sessions, made read-only and silenced. Meanwhile Plaza serves
 * only what its leases cover, refuses the rest at once, and recovers without intervention.
 */

import { boundFigure, type Figure, percentile, type Rig, zeroFigure } from "../harness/figure.ts";
import { post, type Seen } from "../harness/http-client.ts";
import { eventually, monotonicMs, pause } from "../harness/measure/clock.ts";
import { completedAnswer, type MoneyCall, requestTo } from "../harness/money/calls.ts";
import { costOf, type MoneyKey, type MoneyStage, withMoney } from "../harness/money/money.ts";
import type { Plaza } from "../harness/processes/plaza.ts";
import {
  exhaustedServer,
  killedServer,
  readOnlyServer,
  refusedAfterMs,
  restartedServer,
  type StorageFault,
  silentServer,
  stoppedServer,
} from "../harness/processes/storage-faults.ts";
import { bounded, type Progress, startProgress } from "../harness/progress.ts";
import { type Random, seededRandom } from "../harness/random.ts";
import { errorCode } from "../harness/raw-client.ts";
import { judgeLedger } from "./p18-slow-storage.ts";

const accounts = 6;
const lanesPerAccount = 2;
const refusedWithinMs = 200;
const backWithinMs = 5_000;
/** More than one call costs, but less than all accounts could lease. */
const balance = 50_000_000n;
const maxTokens = 40;

const sizes = {
  short: { rounds: 1, lostMs: 1_000, briefMs: 1_000 },
  long: { rounds: 5, lostMs: 20_000, briefMs: 3_000 },
} as const;
/**
 * Time around every fault: creating accounts, calls before and after it, stopping and starting the server.
 */
const aroundMs = 3_000;
/** Time for both losses together and the ledger check. */
const lastMs = 20_000;
/** Most of a silence is spent knowing of it, not noticing it. */
const silentMs = 5_000;
/** A machine twice as slow as expected finishes; a hang does not. */
const longestMs = 900_000;

/** When a call was sent, relative to the fault. */
type Phase = "before" | "during" | "after";

interface Made {
  readonly phase: Phase;
  readonly seen: Seen;
}

/** Callers that repeat requests until stopped or paused. */
class Load {
  readonly made: Made[] = [];
  phase: Phase = "before";
  readonly #plaza: Plaza;
  readonly #random: Random;
  readonly #name: string;
  readonly #lanes: Promise<void>[];
  #isOver = false;
  #opened: Promise<void> = Promise.resolve();
  #open: () => void = () => {};
  #underWay = 0;
  #count = 0;

  constructor(plaza: Plaza, keys: readonly MoneyKey[], name: string, random: Random) {
    this.#plaza = plaza;
    this.#name = name;
    this.#random = random;
    this.#lanes = keys.flatMap((key) => Array.from({ length: lanesPerAccount }, () => this.#lane(key)));
  }

  /** Pauses new calls and waits for running ones. */
  async holdBack(): Promise<void> {
    this.#opened = new Promise((resolve) => {
      this.#open = resolve;
    });
    while (this.#underWay > 0) await pause(5);
  }

  letIn(): void {
    this.#open();
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    this.#open();
    await Promise.all(this.#lanes);
  }

  async #lane(key: MoneyKey): Promise<void> {
    while (!this.#isOver) {
      await this.#opened;
      this.#underWay += 1;
      const { phase } = this;
      const seen = await post({ ...this.#next(key), withinMs: 30_000 });
      this.#underWay -= 1;
      this.made.push({ phase, seen });
      await pause(this.#random.int(5, 30));
    }
  }

  #next(key: MoneyKey) {
    const one: MoneyCall = {
      id: `${this.#name}-${this.#count++}`,
      isStream: this.#random.chance(0.5),
      maxTokens,
      plan: { tokens: this.#random.int(1, maxTokens), promptTokens: this.#random.int(20, 150) },
    };
    return { ...requestTo(this.#plaza, one), key: key.secret };
  }
}

async function newKeys(stage: MoneyStage, count: number): Promise<MoneyKey[]> {
  const keys: MoneyKey[] = [];
  for (let index = 0; index < count; index++) {
    keys.push(await stage.createKey(await stage.createAccount(balance)));
  }
  return keys;
}

/** Plays one fault, with calls before, during and after it. */
async function play(
  stage: MoneyStage,
  plaza: Plaza,
  fault: StorageFault,
  options: { lostMs: number; random: Random; all: Seen[] },
): Promise<Figure[]> {
  const keys = await newKeys(stage, accounts);
  const strangers = await newKeys(stage, 2);
  const load = new Load(plaza, keys, `p19-${fault.name.replaceAll(" ", "-")}`, options.random);
  await pause(500);
  // Short calls pause for a moment, so that leases can be read exactly; long streams continue.
  const streams = keys.map((key, index) => {
    const tokens = 30 + 5 * index;
    const one = {
      id: `${fault.name}-long-${index}`,
      isStream: true,
      maxTokens: tokens,
      plan: { tokens, gapMs: 40 },
    };
    return post({ ...requestTo(plaza, one), key: key.secret, withinMs: 60_000 });
  });
  await pause(150);
  // A fault that ends at once must meet running calls.
  if (!fault.isBrief) await load.holdBack();
  const owners = new Set(keys.map(({ accountId }) => accountId));
  const lent = (await stage.reader.leases()).filter(({ subject }) => owners.has(subject));
  const startedAt = monotonicMs();
  const end = await fault.begin();
  load.phase = "during";
  load.letIn();
  // Valid keys that Plaza has not used yet and cannot look up now.
  const late = new Load(plaza, strangers, `${fault.name}-late`, options.random);
  late.phase = "during";
  await pause(options.lostMs);
  const endsAt = monotonicMs();
  load.phase = "after";
  late.phase = "after";
  await end();
  const endedAt = monotonicMs();
  await pause(800);
  await Promise.all([load.stop(), late.stop()]);
  const made = [...load.made, ...late.made];
  const long = await Promise.all(streams);
  // Refusals are checked here because a long run has tens of thousands.
  for (const seen of [...made.map((one) => one.seen), ...long]) {
    if (completedAnswer(seen) !== undefined) options.all.push(seen);
  }
  const sum = lent.reduce((total, { amount }) => total + amount, 0n);
  return [
    ...judgeCalls(fault, made, { startedAt, endedAt, long }),
    judgeServed(fault, made, { sum, endsAt }),
  ];
}

const describe = ({ status, headers, body, problem, sentAt, endedAt }: Seen): string =>
  `status ${status} ${errorCode(body) ?? problem}, retry-after ${headers["retry-after"]}, ${Math.round(endedAt - sentAt)} ms`;

const isRefusal = ({ status, body, headers }: Seen): boolean =>
  status === 503 && errorCode(body) === "ledger_unavailable" && Number(headers["retry-after"]) >= 1;

function judgeCalls(
  { name, isSilent = false }: StorageFault,
  made: readonly Made[],
  { startedAt, endedAt, long }: { startedAt: number; endedAt: number; long: readonly Seen[] },
): Figure[] {
  const all = [...made.map(({ seen }) => seen), ...long];
  const refused = made.map(({ seen }) => seen).filter(isRefusal);
  const other = all.filter((seen) => completedAnswer(seen) === undefined && !isRefusal(seen));
  const tookOf = (seen: Seen): number => refusedAfterMs(seen, isSilent ? startedAt : undefined);
  const took = refused.map(tookOf);
  const slowest = Math.max(0, ...refused.map((seen) => seen.endedAt - seen.sentAt));
  const noticed = isSilent
    ? `, since it can be known (the slowest, noticing it, ${Math.round(slowest)} ms)`
    : "";
  const later = all.filter((seen) => completedAnswer(seen) === undefined && seen.sentAt > endedAt);
  const backMs = Math.max(0, ...later.map((seen) => seen.endedAt - endedAt));
  const good = made.filter(({ phase, seen }) => phase === "after" && completedAnswer(seen) !== undefined);
  return [
    zeroFigure("P19", `${name}: 401`, all.length, all.filter(({ status }) => status === 401).map(describe)),
    zeroFigure(
      "P19",
      `${name}: neither whole answers nor 503 with Retry-After`,
      all.length,
      other.map(describe),
    ),
    // A database that comes back at once must not cause rejections.
    {
      ...boundFigure(
        "P19",
        `${name}: 503 within, p99 of ${refused.length}${noticed}`,
        took.length === 0 ? 0 : percentile(took, 99),
        refusedWithinMs,
      ),
      misses: refused
        .filter((seen) => tookOf(seen) > refusedWithinMs)
        .map((seen) => `${Math.round(seen.sentAt - startedAt)} ms after the trouble began: ${describe(seen)}`)
        .slice(0, 10),
    },
    {
      promise: "P19",
      name: `${name}: back without a restart of Plaza`,
      reached: `${Math.round(backMs)} ms, ${good.length} answers since`,
      wanted: `≤ ${backWithinMs} ms`,
      ok: backMs <= backWithinMs && good.length > 0,
      kind: "correct",
    },
  ];
}

/**
 * Calls that began and ended while the database was lost were paid from leases. A restart has no such
 * interval.
 */
function judgeServed(
  { name, isBrief }: StorageFault,
  made: readonly Made[],
  { sum, endsAt }: { sum: bigint; endsAt: number },
): Figure {
  const during = made.filter(({ phase, seen }) => phase === "during" && seen.endedAt < endsAt);
  const answers = during.map(({ seen }) => completedAnswer(seen)).filter((answer) => answer !== undefined);
  let served = 0n;
  for (const { usage } of answers) if (usage !== undefined) served += costOf(usage);
  const isOver = !isBrief && served > sum;
  return {
    promise: "P19",
    name: `${name}: served no more than leases hold`,
    reached: `${answers.length} of ${during.length} calls for ${served} of ${sum}`,
    wanted: isBrief ? "any (the database is back at once)" : "≤ leases",
    ok: !isOver,
    kind: "correct",
  };
}

const isKept = ({ phase, seen }: Made): boolean => phase === "during" && completedAnswer(seen) !== undefined;

/** Most milliseconds until an answer comes from a process that has leases. */
const answerWithinMs = 5_000;

/**
 * Loses PostgreSQL, then kills a process that served from its leases; the next process must settle its
 * journal. `fault` must begin in less than two seconds: leases that are idle for longer are returned before.
 */
async function playDoubleLoss(
  stage: MoneyStage,
  fault: StorageFault,
  { random, all }: { random: Random; all: Seen[] },
): Promise<Figure> {
  const victim = await stage.serve();
  const load = new Load(victim, await newKeys(stage, accounts), "p19-double", random);
  await pause(500);
  await load.holdBack();
  const end = await fault.begin();
  load.phase = "during";
  load.letIn();
  await pause(700);
  await eventually(() => load.made.some(isKept), answerWithinMs);
  victim.running.child.kill("SIGKILL");
  await victim.running.ended;
  await load.stop();
  await end();
  await stage.serve();
  const kept = load.made.filter(isKept);
  const answers = load.made.map(({ seen }) => seen).filter((seen) => completedAnswer(seen) !== undefined);
  all.push(...answers);
  return {
    promise: "P19",
    name: `database ${fault.name}, and Plaza killed: answers given meanwhile, to be found on the ledger below`,
    reached: String(kept.length),
    wanted: "≥ 1",
    ok: kept.length > 0,
    kind: "correct",
  };
}

type Size = (typeof sizes)[keyof typeof sizes];

/** How long a fault lasts; one that ends by itself needs only calls after it. */
function keptMs({ isBrief, isSilent }: StorageFault, { lostMs, briefMs }: Size): number {
  if (isSilent === true) return Math.max(lostMs, silentMs);
  return isBrief === true ? briefMs : lostMs;
}

async function playAll(stage: MoneyStage, size: Size, random: Random, progress: Progress): Promise<Figure[]> {
  const { postgres, place } = stage;
  if (postgres === undefined || place.kind !== "postgres") throw new Error("no server");
  const plaza = await stage.serve();
  const faults = [
    stoppedServer(postgres),
    killedServer(postgres),
    restartedServer(postgres),
    exhaustedServer(place.url),
    readOnlyServer(postgres),
    ...(process.platform === "linux" ? [silentServer(postgres)] : []),
  ];
  const figures: Figure[] = [];
  const all: Seen[] = [];
  for (let round = 0; round < size.rounds; round++) {
    for (const fault of faults) {
      progress.begin(`round ${round + 1} of ${size.rounds}, ${fault.name}`);
      const forked = random.fork(`${round} ${fault.name}`);
      const lostMs = keptMs(fault, size);
      figures.push(...(await play(stage, plaza, fault, { all, lostMs, random: forked })));
    }
  }
  progress.begin("database killed, and Plaza killed");
  const double = { all, random: random.fork("double") };
  figures.push(await playDoubleLoss(stage, killedServer(postgres), double));
  progress.begin(`${all.length} answers looked up on the ledger`);
  return [...figures, ...(await judgeLedger(stage, "all of it", all))];
}

export const run: Rig = async ({ size, seed }) => {
  const { rounds, lostMs, briefMs } = sizes[size];
  const roundMs = 4 * lostMs + briefMs + Math.max(lostMs, silentMs) + 6 * aroundMs;
  const estimateMs = rounds * roundMs + lastMs;
  const progress = startProgress({ rig: "P19", estimateMs, isShown: size === "long" });
  return withMoney({ seed, database: "postgres" }, (stage) =>
    bounded(progress, longestMs, () => playAll(stage, sizes[size], seededRandom(seed), progress)),
  );
};
