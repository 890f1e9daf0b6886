/**
 * P08: retrying with an Idempotency-Key never pays twice, including streams. Pairs of identical calls at two
 * processes, half of them concurrent; then a process is killed during answers, and every call is repeated.
 */

import { countFigure, type Figure, type Rig, zeroFigure } from "../harness/figure.ts";
import { inParallel, post, type Seen } from "../harness/http-client.ts";
import { eventually, monotonicMs, pause } from "../harness/measure/clock.ts";
import { completedAnswer, type MoneyCall, requestTo } from "../harness/money/calls.ts";
import type { ChargeLine } from "../harness/money/ledger-reader.ts";
import { costOf, type MoneyKey, type MoneyStage, withMoney } from "../harness/money/money.ts";
import { laterBy, startHoldingProxy } from "../harness/processes/holding-proxy.ts";
import type { Plaza } from "../harness/processes/plaza.ts";
import { type Random, seededRandom } from "../harness/random.ts";
import { errorCode } from "../harness/raw-client.ts";

const maxTokens = 60;
const againMs = 100;
/** Longer than it takes to release the claims of a killed process. */
const patienceMs = 60_000;

interface KeyedCall {
  readonly call: MoneyCall;
  readonly idempotencyKey: string;
}

function drawCall(id: string, random: Random): KeyedCall {
  const plan = {
    tokens: random.int(1, maxTokens),
    promptTokens: random.int(20, 150),
    headersMs: random.pick([0, 0, 20, 80]),
    gapMs: random.pick([0, 2]),
    text: random.pick(["en", "zh", "emoji"]),
  };
  return {
    call: { id, isStream: random.chance(0.5), maxTokens, plan },
    idempotencyKey: `key-${id}`,
  };
}

function costOfPlan({ plan }: MoneyCall): bigint {
  return costOf({ input: plan.promptTokens ?? 0, output: plan.tokens ?? 0 });
}

function ask(
  plaza: Pick<Plaza, "origin" | "seed">,
  key: MoneyKey,
  { call, idempotencyKey }: KeyedCall,
): Promise<Seen> {
  const headers = { "idempotency-key": idempotencyKey };
  return post({ ...requestTo(plaza, call), key: key.secret, headers, withinMs: 30_000 });
}

/** A caller's final answer, and problems on the way. */
interface Outcome {
  readonly seen: Seen;
  readonly conflicts: number;
  readonly wrong: readonly string[];
}

const isReplay = ({ headers }: Seen): boolean => headers["idempotent-replayed"] === "true";

/** Repeats a call until it is answered: while the other call runs, it gets 409 with Retry-After. */
async function askUntilAnswered(plaza: Plaza, key: MoneyKey, keyed: KeyedCall): Promise<Outcome> {
  const until = monotonicMs() + patienceMs;
  const wrong: string[] = [];
  for (let conflicts = 0; ; conflicts++) {
    const seen = await ask(plaza, key, keyed);
    if (completedAnswer(seen) !== undefined) return { seen, conflicts, wrong };
    const isConflict = seen.status === 409 && errorCode(seen.body) === "idempotency_in_flight";
    if (isConflict && !(Number(seen.headers["retry-after"]) >= 1)) wrong.push("409 without Retry-After");
    if (!isConflict || monotonicMs() > until) {
      wrong.push(`status ${seen.status} ${errorCode(seen.body) ?? seen.problem}`);
      return { seen, conflicts, wrong };
    }
    await pause(againMs);
  }
}

/** Describes differences between two answers that must be equal. */
function judgeTwins(first: Seen, second: Seen): string[] {
  const wrong: string[] = [];
  if (!first.body.equals(second.body))
    wrong.push(`${first.body.length} and ${second.body.length} bytes that differ`);
  if (first.headers["content-type"] !== second.headers["content-type"]) wrong.push("content types differ");
  const [original, replay] = isReplay(first) ? [second, first] : [first, second];
  if (isReplay(original) || !isReplay(replay))
    wrong.push("not exactly one of them says idempotent-replayed: true");
  if (replay.headers["x-plaza-original-request"] !== original.headers["x-request-id"]) {
    wrong.push("the replay names another request");
  }
  return wrong;
}

/** Runs one pair and describes what is wrong. */
async function playPair(
  plazas: readonly [Plaza, Plaza],
  key: MoneyKey,
  keyed: KeyedCall,
  isAtOnce: boolean,
): Promise<{ conflicts: number; wrong: string[] }> {
  const [near, far] = plazas;
  const one = askUntilAnswered(near, key, keyed);
  if (!isAtOnce) await one;
  const other = askUntilAnswered(far, key, keyed);
  const [first, second] = await Promise.all([one, other]);
  const wrong = [...first.wrong, ...second.wrong, ...judgeTwins(first.seen, second.seen)];
  const changed = { ...keyed, call: { ...keyed.call, maxTokens: maxTokens + 1 } };
  const refused = await ask(near, key, changed);
  if (refused.status !== 422) wrong.push(`another body with the same key: status ${refused.status}`);
  const kind = `${keyed.call.id} (${keyed.call.isStream ? "stream" : "whole"}, ${isAtOnce ? "at once" : "one after the other"})`;
  return {
    conflicts: first.conflicts + second.conflicts,
    wrong: wrong.map((why) => `${kind}: ${why}`),
  };
}

/** Upstream calls of each id. */
function upstreamCounts(stage: MoneyStage): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { id } of stage.calls()) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

/** Compares number and amount of charges with the calls' costs. */
function judgeMoney(calls: readonly KeyedCall[], charges: readonly ChargeLine[]): string[] {
  const wanted = calls.map(({ call }) => costOfPlan(call)).sort(compare);
  const found = charges.map(({ amount }) => amount).sort(compare);
  const wrong: string[] = [];
  if (found.length !== wanted.length) wrong.push(`${found.length} charges for ${wanted.length} calls`);
  const off = wanted.findIndex((amount, index) => amount !== found[index]);
  if (wrong.length === 0 && off >= 0) wrong.push(`charged ${found[off]} where a call costs ${wanted[off]}`);
  return wrong;
}

const compare = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);

async function chargesOf(stage: MoneyStage, key: MoneyKey): Promise<ChargeLine[]> {
  return (await stage.reader.charges()).filter(({ accountId }) => accountId === key.accountId);
}

async function newKey(stage: MoneyStage): Promise<MoneyKey> {
  return await stage.createKey(await stage.createAccount(1_000_000_000_000n));
}

async function playPairs(
  stage: MoneyStage,
  plazas: readonly [Plaza, Plaza],
  count: number,
  random: Random,
): Promise<Figure[]> {
  const key = await newKey(stage);
  const calls = Array.from({ length: count }, (_, index) => drawCall(`p08-${index}`, random));
  const played = await inParallel(calls, 16, (keyed, index) => {
    const [near, far] = index % 4 < 2 ? plazas : [plazas[1], plazas[0]];
    return playPair([near, far], key, keyed, index % 2 === 0);
  });
  const counts = upstreamCounts(stage);
  const seenTwice = calls.filter(({ call }) => counts.get(call.id) !== 1);
  const conflicts = played.reduce((sum, one) => sum + one.conflicts, 0);
  return [
    countFigure(
      "P08",
      `pairs with one answer, byte for byte (${conflicts} told to wait)`,
      count,
      firstOf(played),
    ),
    zeroFigure(
      "P08",
      "pairs the upstream did not see exactly once",
      count,
      seenTwice.map(({ call }) => `${call.id}: ${counts.get(call.id) ?? 0} times`),
    ),
    zeroFigure(
      "P08",
      "pairs not charged exactly once",
      count,
      judgeMoney(calls, await chargesOf(stage, key)),
    ),
  ];
}

/** One line per pair, because the figure counts pairs. */
const firstOf = (played: readonly { wrong: string[] }[]): string[] =>
  played.filter(({ wrong }) => wrong.length > 0).map(({ wrong }) => wrong.join("; "));

/** Kills a process during answers; repeats every call at the other process. */
async function playKill(
  stage: MoneyStage,
  survivor: Plaza,
  turn: number,
  options: { calls: number; random: Random },
): Promise<{ wrong: string[]; kinds: Record<string, number> }> {
  const { random } = options;
  const others = new Set(await stage.reader.holders());
  const victim = await stage.serve();
  const key = await newKey(stage);
  const calls = Array.from({ length: options.calls }, (_, index) =>
    drawCall(`p08k-${turn}-${index}`, random),
  );
  // Every second caller has such a slow connection that nothing has arrived when the process is killed.
  const proxy = await startHoldingProxy(
    victim.port,
    laterBy(() => patienceMs),
  );
  const farAway = { ...victim, origin: victim.origin.replace(`:${victim.port}`, `:${proxy.port}`) };
  const first = calls.map(async (keyed, index) => {
    await pause(random.int(0, 150));
    return ask(index % 2 === 0 ? victim : farAway, key, keyed);
  });
  const isHalfDone = () => {
    const ended = stage.calls().filter(({ id, end }) => id.startsWith(`p08k-${turn}-`) && end !== undefined);
    return ended.length >= calls.length / 2;
  };
  await eventually(isHalfDone, 20_000, 5);
  await pause(random.int(0, 30));
  victim.running.child.kill("SIGKILL");
  await victim.running.ended;
  await proxy.stop();
  const held = await Promise.all(first);
  const settled = new Set((await stage.reader.charges()).map(({ requestId }) => requestId));
  // Sets the dead process's last heartbeat back; the survivor's next heartbeat notices it.
  await stage.reader.ageHolders((await stage.reader.holders()).filter((id) => !others.has(id)));
  const again = await Promise.all(calls.map((keyed) => askUntilAnswered(survivor, key, keyed)));
  const third = await Promise.all(calls.map((keyed) => ask(survivor, key, keyed)));
  const counts = upstreamCounts(stage);
  const kinds: Record<string, number> = { complete: 0, settled: 0, open: 0 };
  const wrong: string[] = [];
  calls.forEach((keyed, index) => {
    const [before, outcome, after] = [held[index], again[index], third[index]] as [Seen, Outcome, Seen];
    const originalId = String(outcome.seen.headers["x-plaza-original-request"] ?? "");
    const kind =
      completedAnswer(before) !== undefined ? "complete" : settled.has(originalId) ? "settled" : "open";
    kinds[kind] = (kinds[kind] ?? 0) + 1;
    const why = [...outcome.wrong, ...judgeRetry(kind, before, outcome.seen, after)];
    const times = counts.get(keyed.call.id) ?? 0;
    if (times !== 1 && (kind !== "open" || times > 2)) why.push(`the upstream saw it ${times} times`);
    if (why.length > 0) wrong.push(`${keyed.call.id} (${kind}): ${why.join("; ")}`);
  });
  wrong.push(...judgeMoney(calls, await chargesOf(stage, key)).map((why) => `kill ${turn}: ${why}`));
  return { wrong, kinds };
}

/** Compares what the caller received before the kill with the answers to its retry and to a further one. */
function judgeRetry(kind: string, before: Seen, retried: Seen, after: Seen): string[] {
  const wrong: string[] = [];
  if (!isReplay(after) || !after.body.equals(retried.body)) wrong.push("a further retry gets another answer");
  if (kind !== "open" && !isReplay(retried)) wrong.push("it was settled, and done again");
  if (kind !== "open" && !retried.body.subarray(0, before.body.length).equals(before.body)) {
    wrong.push("the replay is not what the caller had begun to read");
  }
  if (kind === "complete" && retried.body.length !== before.body.length)
    wrong.push("the replay has another length");
  return wrong;
}

export const run: Rig = ({ size, seed, database }) =>
  withMoney({ seed, database }, async (stage) => {
    const random = seededRandom(seed);
    const plazas = [await stage.serve(), await stage.serve()] as const;
    const isLong = size === "long";
    const figures = await playPairs(stage, plazas, isLong ? 1_000 : 80, random.fork("pairs"));
    const turns = isLong ? 40 : 1;
    const calls = isLong ? 25 : 40;
    const wrong: string[] = [];
    const kinds: Record<string, number> = {};
    for (let turn = 0; turn < turns; turn++) {
      const options = { calls, random: random.fork(`kill ${turn}`) };
      const played = await playKill(stage, plazas[0], turn, options);
      wrong.push(...played.wrong);
      for (const [kind, count] of Object.entries(played.kinds)) kinds[kind] = (kinds[kind] ?? 0) + count;
    }
    const shown = `${kinds["complete"]} complete, ${kinds["settled"]} settled, ${kinds["open"]} open when it died`;
    return [
      ...figures,
      zeroFigure("P08", `retries after kill -9 gone wrong (${shown})`, turns * calls, wrong),
      zeroFigure("P01", "found by ledger verify", 1, await stage.verify()),
    ];
  });
