/**
 * Several processes and one account with balance for exactly n calls: exactly n are admitted. With charges
 * below the holds, calls are repeated until all are refused: never more than the balance is charged, and less
 * than one hold remains.
 */
import { seededRandom } from "../rigs/harness/random.ts";
import { createMemoryStore } from "./memory-store.ts";
import { createNaiveModel, must, Violation } from "./naive-model.ts";
import { createScheduler } from "./scheduler.ts";
import {
  type CallPlan,
  newCounts,
  type ServingProcess,
  startProcess,
  type World,
} from "./serving-process.ts";

const account = "account";

function createScene(seed: number) {
  const random = seededRandom(seed);
  const model = createNaiveModel();
  let failure: unknown;
  let ids = 0;
  const upstreamHealth: ServingProcess[] = [];
  const scheduler = createScheduler(() => {
    if (failure !== undefined) throw failure;
    store.check(false);
    for (const member of upstreamHealth) member.check();
  });
  const store = createMemoryStore(model, () => scheduler.nowMs);
  store.createAccount(account);
  const world: World = {
    scheduler,
    store,
    model,
    random,
    weather: { awayUntilMs: 0, lostBefore: 0, lostAfter: 0, delayMsMax: random.pick([1, 10, 40]) },
    counts: newCounts(),
    sent: [],
    isCalm: true,
    jumpedAtMs: Number.NEGATIVE_INFINITY,
    newId: (prefix) => `${prefix}_${ids++}`,
    recall(subjectId) {
      for (const { party, leases } of upstreamHealth) {
        scheduler.after(random.int(0, 200), party, () => leases.recall(subjectId));
      }
    },
    fail: (error) => {
      failure ??= error;
    },
  };
  for (let count = random.int(2, 4); count > 0; count--)
    upstreamHealth.push(startProcess(world, world.newId("process")));
  return { random, model, store, scheduler, upstreamHealth, world };
}

const told = (error: unknown, seed: number): string =>
  `${error instanceof Violation ? error.message : (error as Error).stack} (exact admission, seed ${seed})`;

/**
 * Sends more concurrent calls than the balance pays for, each charged its full hold. Describes an error, or
 * returns undefined.
 */
export async function admitExactly(seed: number): Promise<string | undefined> {
  const { random, store, scheduler, upstreamHealth, world } = createScene(seed);
  const unit = BigInt(random.pick([1, 3, 1_000, 12_345]));
  const paidFor = random.int(1, 60);
  const crumbs = BigInt(random.int(0, Number(unit) - 1));
  const calls = paidFor + random.int(0, 120);
  const withinMs = random.pick([0, 50, 1_000]);
  const lastsMs = random.pick([0, 20, 500, 3_000]);
  try {
    store.addEntry(account, BigInt(paidFor) * unit + crumbs);
    await scheduler.run(200);
    const plan: CallPlan = {
      accountId: account,
      budget: undefined,
      requested: { amount: unit, atLeast: unit },
      lastsMs,
      charge: (held) => held,
      tries: 1,
    };
    // In some runs the first process starts alone and leases more than it uses; then only the others get
    // calls.
    const first = random.chance(0.4) ? random.int(1, paidFor) : 0;
    for (let call = 0; call < calls; call++) {
      const isFirst = call < first;
      const among = isFirst
        ? upstreamHealth.slice(0, 1)
        : first > 0
          ? upstreamHealth.slice(1)
          : upstreamHealth;
      const atMs = isFirst || first === 0 ? random.int(0, withinMs) : 1_000 + random.int(0, withinMs);
      scheduler.after(atMs, undefined, () => void random.pick(among).call(plan));
    }
    await scheduler.run(20_000);
    must(
      world.counts.placed === paidFor,
      () => `${world.counts.placed} of ${calls} calls admitted, ${paidFor} paid for`,
    );
    must(world.counts.settled === paidFor, () => `${world.counts.settled} calls settled of ${paidFor}`);
    const { balance, leased } = store.accounts.get(account) ?? { balance: -1n, leased: -1n };
    must(balance === crumbs && leased === 0n, () => `balance ${balance}, leased ${leased}, crumbs ${crumbs}`);
    return undefined;
  } catch (error) {
    return told(error, seed);
  }
}

/** Repeats calls until each caller is refused twice; charges are below the holds. */
export async function spendDown(seed: number): Promise<string | undefined> {
  const { random, model, store, scheduler, upstreamHealth, world } = createScene(seed);
  const unit = BigInt(random.pick([1, 3, 1_000, 12_345]));
  const credit = unit * BigInt(random.int(0, 40)) + BigInt(random.int(0, Number(unit)));
  const callers = random.int(1, 12);
  const lastsMsMax = random.pick([0, 20, 500]);

  let calling = callers;

  async function callUntilRefused(): Promise<void> {
    for (let refusals = 0; refusals < 2; ) {
      const share = BigInt(random.int(200, 1_000));
      const outcome = await random.pick(upstreamHealth).call({
        accountId: account,
        budget: undefined,
        requested: { amount: unit, atLeast: unit },
        lastsMs: random.int(0, lastsMsMax),
        charge: (held) => (held * share + 999n) / 1_000n,
        tries: 1,
      });
      if (outcome !== "refused") continue;
      refusals++;
      // A refusal is cached for half a second, and other calls may still run.
      await new Promise<void>((resolve) => scheduler.after(lastsMsMax + 3_000, undefined, resolve));
    }
    calling--;
  }

  try {
    if (credit > 0n) store.addEntry(account, credit);
    await scheduler.run(200);
    for (let caller = 0; caller < callers; caller++) {
      scheduler.after(random.int(0, 100), undefined, () => void callUntilRefused());
    }
    for (let seconds = 0; calling > 0 && seconds < 600; seconds++) await scheduler.run(1_000);
    must(calling === 0, () => `${calling} callers are still at it`);
    await scheduler.run(10_000);
    const { balance, leased } = store.accounts.get(account) ?? { balance: -1n, leased: -1n };
    const { charged, lost } = model.totals();
    must(lost === 0n && charged <= credit, () => `${charged} charged of ${credit}, ${lost} lost`);
    must(balance < unit, () => `${balance} stay unspent, one hold is ${unit}`);
    must(leased === 0n, () => `${leased} stays lent`);
    must(world.counts.suspended + world.counts.fenced + world.counts.unavailable === 0, () => "calls failed");
    return undefined;
  } catch (error) {
    return told(error, seed);
  }
}

/**
 * Every process keeps part of a hold in leases; then all get calls at once. The parts together are worth some
 * holds, and that many calls are admitted.
 */
export async function gatherScraps(seed: number): Promise<string | undefined> {
  const { random, store, scheduler, upstreamHealth, world } = createScene(seed);
  const unit = BigInt(random.pick([10, 1_000, 12_345]));
  const plan: CallPlan = {
    accountId: account,
    budget: undefined,
    requested: { amount: unit, atLeast: unit },
    lastsMs: 0,
    charge: () => BigInt(random.int(0, Number(unit))),
    tries: 1,
  };
  const callAll = (calls: CallPlan): void => {
    for (const each of upstreamHealth)
      scheduler.after(random.int(0, 50), undefined, () => void each.call(calls));
  };
  try {
    store.addEntry(account, unit * BigInt(upstreamHealth.length));
    await scheduler.run(200);
    callAll(plan);
    await scheduler.run(500);
    must(
      world.counts.settled === upstreamHealth.length,
      () => `${world.counts.settled} of ${upstreamHealth.length} calls settled`,
    );
    const { balance } = store.accounts.get(account) ?? { balance: -1n };
    callAll({ ...plan, lastsMs: 2_000, charge: (held) => held });
    await scheduler.run(20_000);
    const admitted = BigInt(world.counts.placed - upstreamHealth.length);
    must(
      admitted === balance / unit,
      () => `${admitted} calls of ${unit} admitted, the balance was ${balance}`,
    );
    return undefined;
  } catch (error) {
    return told(error, seed);
  }
}
