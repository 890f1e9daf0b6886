/**
 * P21: limits are exact across processes, and a refused call consumes nothing. Four processes on one
 * database, callers that send far more than allowed, limits of three kinds and several sizes on keys and
 * accounts. The number of passed calls comes from the counting upstream's timestamps. Then one process is
 * killed, and clocks are changed (`p21-clocks.ts`).
 */
import { nanoUsd } from "@plaza/contract/money.ts";
import type { AccountLimits } from "../../../server/src/store/accounts/account-shapes.ts";
import { type Figure, type Rig, zeroFigure } from "../harness/figure.ts";
import { post } from "../harness/http-client.ts";
import { below, beyondShares, mostAbove, mostAtOnce, type Passed, sliceOf } from "../harness/limit-judge.ts";
import { after, createLimitedKey, type Offered, offer, offerOne } from "../harness/limited-calls.ts";
import { eventually, monotonicMs, pause } from "../harness/measure/clock.ts";
import { bodyOf, exactCall, heldInput, type MoneyCall, requestTo } from "../harness/money/calls.ts";
import { type MoneyKey, type MoneyStage, withMoney } from "../harness/money/money.ts";
import type { Plaza } from "../harness/processes/plaza.ts";
import { type Random, seededRandom } from "../harness/random.ts";
import { errorCode } from "../harness/raw-client.ts";
import type { CallRecord } from "../upstream/journal.ts";
import { clockFigure } from "./p21-clocks.ts";

const processes = 4;
const plenty = 1_000_000_000_000n;
const maxTokens = 100;
/** Filling a large limit takes as long as the machine needs for its calls, plus at most this. */
const untilRefusedMs = 25_000;
const refusalsWanted = 20;
/**
 * Another process notices a dead one at its next heartbeat (5 s) and frees its slots; generous, because rigs
 * share machines.
 */
const sweptWithinMs = 25_000;

type Kind = keyof AccountLimits;

interface LimitCase {
  readonly kind: Kind;
  readonly scope: "key" | "account";
  readonly limit: number;
  readonly lanes: number;
  /** Tokens only: how many of the held tokens are used. */
  readonly usedOutput?: number;
}

const rate = (scope: LimitCase["scope"], limit: number): LimitCase => ({
  kind: "requestsPerMinute",
  scope,
  limit,
  lanes: limit >= 600 ? 8 : 3,
});
const tokens = (scope: LimitCase["scope"], limit: number, usedOutput = maxTokens): LimitCase => ({
  kind: "tokensPerMinute",
  scope,
  limit,
  lanes: 4,
  usedOutput,
});
const atOnce = (scope: LimitCase["scope"], limit: number): LimitCase => ({
  kind: "concurrency",
  scope,
  limit,
  lanes: limit + 6,
});

/** Limits that take long to fill are tested in the long form only. */
function casesOf(size: "short" | "long"): readonly LimitCase[] {
  const isLong = size === "long";
  return [
    ...[1, 5, 60, 600].map((limit) => rate("key", limit)),
    ...[1, 5, 60, ...(isLong ? [600] : [])].map((limit) => rate("account", limit)),
    tokens("key", 3_000),
    tokens("account", 3_000, 20),
    tokens("account", isLong ? 60_000 : 20_000),
    ...[1, 8].map((limit) => atOnce("key", limit)),
    ...[1, 8].map((limit) => atOnce("account", limit)),
  ];
}

const nameOf = ({ kind, scope, limit, usedOutput = maxTokens }: LimitCase): string =>
  `${scope}-${kind}-${limit}${usedOutput < maxTokens ? "-less" : ""}`;

async function keysOf(stage: MoneyStage, { kind, scope, limit }: LimitCase): Promise<MoneyKey[]> {
  const account = await stage.createAccount(plenty);
  if (scope === "key") return [await createLimitedKey(stage, account, { [kind]: limit })];
  await stage.store.setAccountLimits(account, { [kind]: limit });
  return [await createLimitedKey(stage, account), await createLimitedKey(stage, account)];
}

function callOf({ kind, usedOutput = maxTokens }: LimitCase, id: string): MoneyCall {
  const headersMs = kind === "concurrency" ? 800 : 0;
  const call = exactCall({ id, isStream: true, maxTokens }, { headersMs });
  return { ...call, plan: { ...call.plan, tokens: kind === "requestsPerMinute" ? 1 : usedOutput } };
}

/** Passed calls in the upstream's journal; `sentAt` is the caller's time. */
function passedOf(
  calls: readonly CallRecord[],
  offered: readonly Offered[],
  unitsOf: (id: string) => number,
): Passed[] {
  const sent = new Map(offered.map((one) => [one.id, one]));
  return calls.flatMap(({ id, acceptedAt, endedAt }) => {
    const one = sent.get(id);
    if (one === undefined) return [];
    return [{ sentAt: one.sentAt, acceptedAt, endedAt: endedAt ?? one.endedAt, units: unitsOf(id) }];
  });
}

/** Answers that are neither served nor correct limit refusals. */
function strangeOf(offered: readonly Offered[]): string[] {
  return offered.flatMap(({ status, retryAfterMs, seen }) => {
    if (status === 200) return [];
    const code = errorCode(seen.body);
    if (status === 429 && code === "rate_limit_exceeded" && retryAfterMs > 0) return [];
    return [`status ${status}, code ${code ?? "none"}, retry-after-ms ${retryAfterMs} ${seen.problem}`];
  });
}

const lastRefusal = (offered: readonly Offered[]): number =>
  Math.max(0, ...offered.filter(({ status }) => status === 429).map(({ sentAt }) => sentAt));

interface Judged {
  readonly shown: string;
  readonly wrong: readonly string[];
}

/**
 * How often a process used its share because the database did not answer within a second
 * (docs/call/limits.md).
 */
const losses = (plazas: readonly Plaza[]): number =>
  plazas.reduce((sum, plaza) => sum + plaza.logs().split('"limits_by_share"').length - 1, 0);

/** `slices`: how many slices may be missing. `lost`: see `losses`. */
function judgeCase(
  one: LimitCase,
  offered: readonly Offered[],
  passed: readonly Passed[],
  { lost, slices = 1 }: { readonly lost: number; readonly slices?: number },
): Judged {
  const name = nameOf(one);
  const refused = offered.filter(({ status }) => status === 429).length;
  const wrong = [...new Set(strangeOf(offered))];
  if (refused === 0) wrong.push("nobody was refused: too little was offered");
  let shown: string;
  if (one.kind === "concurrency") {
    const most = mostAtOnce(passed);
    shown = `${name}: ${most} at once, ${passed.length} passed, ${refused} refused`;
    if (most > one.limit + beyondShares(one.limit, lost, processes)) wrong.push(`${most} at once`);
    if (most < one.limit - slices) wrong.push(`never more than ${most} at once`);
  } else {
    const above = mostAbove(one.limit, passed);
    const under = below(one.limit, passed, lastRefusal(offered));
    // At least one whole call; running calls hold tokens that they will not use.
    const unused = one.lanes * (maxTokens - (one.usedOutput ?? maxTokens));
    const hold = one.kind === "tokensPerMinute" ? heldTokens() + unused : 1;
    shown = `${name}: ${passed.length} passed, ${refused} refused, ${above.toFixed(1)} above, ${under} below`;
    if (above > 1e-6 + beyondShares(one.limit, lost, processes)) wrong.push(`${above.toFixed(3)} above`);
    if (under > slices * sliceOf(one.limit) + hold - 1) wrong.push(`${under} below`);
  }
  return { shown, wrong: wrong.map((why) => `${name}: ${why}`) };
}

const sampleId = "p21-sample-id-of-a-usual-length-00-00000";
const heldTokens = (): number => {
  const call = exactCall({ id: sampleId, isStream: true, maxTokens });
  // Ids differ in length between cases by a few tokens.
  return heldInput(bodyOf(call)) + maxTokens + 16;
};

/** Runs all cases in parallel, each for a minimum time and until enough calls were rejected. */
async function saturate(
  stage: MoneyStage,
  plazas: readonly Plaza[],
  random: Random,
  { cases, forMs, isShown }: { cases: readonly LimitCase[]; forMs: number; isShown: boolean },
): Promise<Figure> {
  const prepared = await Promise.all(cases.map(async (one) => ({ one, keys: await keysOf(stage, one) })));
  const isTimeUp = after(forMs);
  const isTooLate = after(forMs + untilRefusedMs);
  const used = new Map<string, number>();
  const results = await Promise.all(
    prepared.map(async ({ one, keys }) => {
      const offered = await offer({
        plazas,
        keys,
        lanes: one.lanes,
        prefix: `p21-${nameOf(one)}`,
        random,
        againMs: 80,
        isOver: (refused) => (isTimeUp() && refused >= refusalsWanted) || isTooLate(),
        callOf(id) {
          const call = callOf(one, id);
          used.set(
            id,
            one.kind === "tokensPerMinute" ? (call.plan.promptTokens ?? 0) + (call.plan.tokens ?? 0) : 1,
          );
          return call;
        },
      });
      return { one, offered };
    }),
  );
  const calls = stage.calls();
  const lost = losses(plazas);
  const judged = results.map(({ one, offered }) =>
    judgeCase(
      one,
      offered,
      passedOf(calls, offered, (id) => used.get(id) ?? 0),
      { lost },
    ),
  );
  const made = results.reduce((sum, { offered }) => sum + offered.length, 0);
  const title = `limits of ${cases.length} kinds and sizes at ${processes} processes, ${made} calls offered, database lost ${lost} times: above them, or more than a slice below`;
  if (isShown) process.stderr.write(judged.map(({ shown }) => `     P21 ${shown}\n`).join(""));
  const wrong = judged.flatMap((one) => one.wrong);
  return zeroFigure("P21", title, cases.length, wrong);
}

/** Number of passed calls of a burst. */
async function burst(
  plazas: readonly Plaza[],
  key: MoneyKey,
  { prefix, lanes }: { readonly prefix: string; readonly lanes: number },
  random: Random,
): Promise<{ passed: number; why: string }> {
  const isTimeUp = after(1_500);
  const isTooLate = after(untilRefusedMs);
  const offered = await offer({
    plazas,
    keys: [key],
    lanes,
    prefix,
    random,
    againMs: 60,
    isOver: (refused) => (isTimeUp() && refused >= refusalsWanted) || isTooLate(),
    callOf: (id) => exactCall({ id, isStream: false, maxTokens }),
  });
  const last = offered.findLast(({ status }) => status !== 200);
  const passed = offered.filter(({ status }) => status === 200).length;
  return {
    passed,
    why: `${offered.map(({ status }) => status).join(" ")} ${last?.seen.body.toString() ?? ""}`,
  };
}

/** Calls refused for balance, concurrency or tokens leave the request bucket full. */
async function consumeNothing(stage: MoneyStage, plazas: readonly Plaza[], random: Random): Promise<Figure> {
  const limit = 5;
  const refusedEach = 24;
  const wrong: string[] = [];
  /**
   * One at a time: a call being checked occupies a request unit, and a parallel one could be refused for
   * that.
   */
  const refuse = async (key: MoneyKey, prefix: string, status: number) => {
    let asWanted = 0;
    for (let index = 0; index < refusedEach; index += 1) {
      const call: MoneyCall = { id: `p21-${prefix}-${index}`, isStream: false, maxTokens, plan: {} };
      const one = await offerOne(plazas[index % plazas.length] as Plaza, key, call);
      if (one.status === status) asWanted += 1;
      else if (one.status !== 429) wrong.push(`${prefix}: status ${one.status}`);
    }
    if (asWanted < refusedEach / 2)
      wrong.push(`${prefix}: ${asWanted} of ${refusedEach} refused with ${status}`);
  };
  const expect = (name: string, { passed, why }: { passed: number; why: string }, wanted: number) => {
    // A higher number is correct: another unit may have been refilled meanwhile.
    if (passed < wanted) wrong.push(`after calls refused for ${name} ${passed} of ${wanted} passed: ${why}`);
  };
  const forMoney = async () => {
    const account = await stage.createAccount(0n);
    const key = await createLimitedKey(stage, account, {
      requestsPerMinute: limit,
      tokensPerMinute: 100_000,
    });
    await refuse(key, "money", 402);
    await stage.store.addEntry({ accountId: account, kind: "topup", amount: nanoUsd(plenty) });
    // Changes reach every process within a second.
    await pause(1_000);
    expect("money", await burst(plazas, key, { prefix: "p21-paid", lanes: 3 }, random), limit);
  };
  const forPlaces = async () => {
    const account = await stage.createAccount(plenty);
    const key = await createLimitedKey(stage, account, { requestsPerMinute: limit, concurrency: 1 });
    const first: MoneyCall = { id: "p21-long", isStream: true, maxTokens, plan: { headersMs: 25_000 } };
    let leave = (): void => {};
    const long = post({
      ...requestTo(plazas[0] ?? { origin: "", seed: 0 }, first),
      key: key.secret,
      onRequest(call) {
        leave = () => void call.destroy();
      },
    });
    await eventually(() => stage.calls().some(({ id }) => id === "p21-long"), 5_000);
    await refuse(key, "places", 429);
    leave();
    await long;
    expect("places", await burst(plazas, key, { prefix: "p21-place", lanes: 1 }, random), limit - 1);
  };
  const forTokens = async () => {
    const account = await stage.createAccount(plenty);
    const key = await createLimitedKey(stage, account, { requestsPerMinute: limit });
    // Less than the prompt alone.
    await stage.store.setAccountLimits(account, { tokensPerMinute: 100 });
    await refuse(key, "tokens", 429);
    await stage.store.setAccountLimits(account, { tokensPerMinute: null });
    await pause(1_000);
    expect(
      "the account's tokens",
      await burst(plazas, key, { prefix: "p21-spared", lanes: 3 }, random),
      limit,
    );
  };
  await Promise.all([forMoney(), forPlaces(), forTokens()]);
  return zeroFigure("P21", "refused calls that consumed something", 3 * refusedEach, wrong);
}

/** Sends long calls to a process until it holds one of the concurrency slots; returns the calls' results. */
async function takePlaceAt(stage: MoneyStage, plaza: Plaza, key: MoneyKey): Promise<Promise<Offered>[]> {
  const calls: Promise<Offered>[] = [];
  const isThere = () =>
    stage.calls().some(({ id, end }) => id.startsWith("p21-kill-places-own") && end === undefined);
  const tryOnce = async () => {
    const id = `p21-kill-places-own-${calls.length}`;
    calls.push(offerOne(plaza, key, exactCall({ id, isStream: true, maxTokens }, { headersMs: 20_000 })));
    await pause(40);
    return isThere();
  };
  await eventually(tryOnce, untilRefusedMs);
  return calls;
}

/** Kills one process during calls: no limit is exceeded, and its slots are freed. */
async function killOne(
  stage: MoneyStage,
  { victim, victimId, others }: { victim: Plaza; victimId: string; others: readonly Plaza[] },
  random: Random,
): Promise<Figure> {
  const places = atOnce("key", 8);
  const minute = rate("key", 60);
  const state = { isOver: false };
  const isTooLate = after(sweptWithinMs + untilRefusedMs);
  const slow = (id: string): MoneyCall => exactCall({ id, isStream: true, maxTokens }, { headersMs: 500 });
  const plazas = [victim, ...others];
  const start = (one: LimitCase, keys: readonly MoneyKey[], prefix: string) => {
    const callOf =
      one.kind === "concurrency" ? slow : (id: string) => exactCall({ id, isStream: false, maxTokens });
    const isOver = (refused: number) => (state.isOver && refused >= refusalsWanted) || isTooLate();
    return offer({ plazas, keys, lanes: one.lanes, prefix, random, againMs: 60, isOver, callOf });
  };
  const placeKeys = await keysOf(stage, places);
  const running = [
    start(places, placeKeys, "p21-kill-places"),
    start(minute, await keysOf(stage, minute), "p21-kill-rate"),
  ];
  const placeCalls = () => stage.calls().filter(({ id }) => id.startsWith("p21-kill-places"));
  await eventually(() => placeCalls().length >= 2 * places.limit, untilRefusedMs, 50);
  const own = await takePlaceAt(stage, victim, placeKeys[0] as MoneyKey);
  const killedAt = monotonicMs();
  await victim.running.stop("SIGKILL");
  await stage.reader.ageHolders([victimId]);
  const passedSince = () =>
    placeCalls()
      .filter(({ acceptedAt }) => acceptedAt > killedAt)
      .map(({ acceptedAt, endedAt }) => ({ acceptedAt, endedAt: endedAt ?? Number.POSITIVE_INFINITY }));
  // Immediately after the kill, only the slots that the dead process did not hold are available.
  const isBack = await eventually(() => mostAtOnce(passedSince()) >= places.limit, sweptWithinMs, 100);
  const backMs = monotonicMs() - killedAt;
  state.isOver = true;
  const [fromLanes = [], offeredRate = []] = await Promise.all(running);
  const offeredPlaces = [...fromLanes, ...(await Promise.all(own))];
  const calls = stage.calls();
  // A call without an answer was at the killed process.
  const answered = (offered: readonly Offered[]) => offered.filter(({ status }) => status !== 0);
  const broken = new Set(offeredPlaces.filter(({ status }) => status === 0).map(({ id }) => id));
  const cut = placeCalls().filter(({ id, acceptedAt }) => broken.has(id) && acceptedAt < killedAt).length;
  const lost = losses(plazas);
  const wrong = [
    ...(cut > 0 ? [] : ["the process that was killed had no place"]),
    ...judgeCase(
      places,
      answered(offeredPlaces),
      passedOf(calls, offeredPlaces, () => 1),
      { lost },
    ).wrong,
    // The killed process's slice counts as used.
    ...judgeCase(
      minute,
      answered(offeredRate),
      passedOf(calls, offeredRate, () => 1),
      { lost, slices: 2 },
    ).wrong,
    ...(isBack ? [] : [`only ${mostAtOnce(passedSince())} of 8 places used again`]),
  ];
  const title = `a process killed with ${cut} of 8 places (in use again after ${(backMs / 1000).toFixed(1)} s): off the limit`;
  return zeroFigure("P21", title, offeredPlaces.length + offeredRate.length, wrong);
}

export const run: Rig = ({ size, seed, database }) =>
  withMoney({ seed, database }, async (stage) => {
    const random = seededRandom(seed);
    const before = await stage.reader.holders();
    const victim = await stage.serve();
    const victimId = (await stage.reader.holders()).find((id) => !before.includes(id));
    if (victimId === undefined) throw new Error("the first process registered no holder");
    const others = await Promise.all(Array.from({ length: processes - 1 }, () => stage.serve()));
    const isLong = size === "long";
    const forMs = isLong ? 150_000 : 3_000;
    const cases = casesOf(size);
    const saturated = await saturate(stage, [victim, ...others], random.fork("saturate"), {
      cases,
      forMs,
      isShown: isLong,
    });
    const [nothing, killed] = await Promise.all([
      consumeNothing(stage, others, random.fork("nothing")),
      killOne(stage, { victim, victimId, others }, random.fork("kill")),
    ]);
    const clocks = await clockFigure(stage.place, random.fork("clocks"), size === "long" ? 60_000 : 2_500);
    return [saturated, nothing, killed, clocks];
  });
