/**
 * The seeded simulator of the lease protocol: several serving processes with real leases and lease pools, a
 * store with the real ledger rules, and all kinds of failures between them, in virtual time. The same seed
 * gives the same run.
 */
import type { LeaseSubject } from "../../server/src/store/ledger/lease-shapes.ts";
import { type Random, seededRandom } from "../rigs/harness/random.ts";
import { createMemoryStore } from "./memory-store.ts";
import { createNaiveModel, must, Violation } from "./naive-model.ts";
import { createScheduler } from "./scheduler.ts";
import {
  type CallCounts,
  type CallPlan,
  newCounts,
  type ServingProcess,
  startProcess,
  type World,
} from "./serving-process.ts";
import type { Weather } from "./store-link.ts";

/** Results of a run. Amounts are NanoUsd, times virtual milliseconds. */
export interface SimulationFigures {
  readonly seed: number;
  readonly operations: number;
  /** Number of events; after each, everything was checked. */
  readonly steps: number;
  readonly virtualMs: number;
  readonly calls: CallCounts;
  readonly crashes: number;
  readonly pauses: number;
  readonly jumps: number;
  readonly outages: number;
  readonly repeats: number;
  readonly credited: bigint;
  readonly charged: bigint;
  readonly lost: bigint;
  readonly acknowledged: number;
  /** The violated invariant; undefined if none. */
  readonly violation: string | undefined;
}

/** How many failures a run has. In a calm one nothing fails, and nothing may be lost. */
interface Kind {
  readonly isCalm: boolean;
  readonly processes: number;
  readonly accounts: number;
  /** Typical size of a hold. */
  readonly unit: number;
  /** Maximum virtual time between two operations. */
  readonly pauseMsMax: number;
  readonly callMsMax: number;
  /** Size of a top-up, in holds. */
  readonly topUpHolds: number;
  readonly isExact: boolean;
  readonly jumps: boolean;
}

function drawKind(random: Random): Kind {
  return {
    isCalm: random.chance(0.25),
    processes: random.int(1, 5),
    accounts: random.int(1, 6),
    unit: random.pick([1, 7, 100, 10_000]),
    pauseMsMax: random.pick([5, 50, 500]),
    callMsMax: random.pick([50, 1_000, 5_000]),
    topUpHolds: random.pick([1, 4, 40, 1_000]),
    isExact: random.chance(0.5),
    jumps: random.chance(0.3),
  };
}

/** Maximum interval for polling the store's `changes`. */
const pollMsMax = 200;

/** The state of a run and its operations. */
function createRun(seed: number) {
  const random = seededRandom(seed);
  const kind = drawKind(random.fork("kind"));
  const rough = kind.isCalm ? 0 : 1;
  /** Short failures last about ten operations. */
  const shortMsMax = 10 * kind.pauseMsMax;
  const model = createNaiveModel();
  let jumpMs = 0;
  /** The furthest that the store's clock was ahead. */
  let jumpMsMost = 0;
  let failure: unknown;
  let ids = 0;
  const processes: ServingProcess[] = [];
  const dead: ServingProcess[] = [];
  const tally = { crashes: 0, pauses: 0, jumps: 0, outages: 0, repeats: 0, operations: 0 };

  const scheduler = createScheduler(() => {
    if (failure !== undefined) throw failure;
    store.check(false);
    for (const member of processes) member.check();
  });
  const store = createMemoryStore(model, () => 1_000_000_000_000 + scheduler.nowMs + jumpMs);
  const weather: Weather = {
    awayUntilMs: 0,
    lostBefore: rough * random.pick([0, 0.001, 0.02]),
    lostAfter: rough * random.pick([0, 0.001, 0.02]),
    delayMsMax: random.pick([1, 5, 50]),
  };
  const broadcast = (act: (member: ServingProcess) => void): void => {
    for (const member of processes)
      scheduler.after(random.int(0, pollMsMax), member.party, () => act(member));
  };
  const world: World = {
    scheduler,
    store,
    model,
    random,
    weather,
    counts: newCounts(),
    sent: [],
    isCalm: kind.isCalm,
    jumpedAtMs: Number.NEGATIVE_INFINITY,
    newId: (prefix) => `${prefix}_${ids++}`,
    recall: (subjectId) => broadcast(({ leases }) => leases.recall(subjectId)),
    fail: (error) => {
      failure ??= error;
    },
  };
  const accountIds = Array.from({ length: kind.accounts }, (_, place) => `account_${place}`);
  for (const id of accountIds) {
    store.createAccount(id);
    store.budgetAmounts.set(`key_of_${id}`, null);
  }

  function start(): void {
    processes.push(startProcess(world, world.newId("process")));
  }

  function refresh(accountId: string): void {
    broadcast(({ leases }) => leases.refresh(accountId));
  }

  const size = (): bigint => BigInt(kind.isExact ? kind.unit : random.int(1, 2 * kind.unit));

  function budgetOf(accountId: string): LeaseSubject | undefined {
    const ownerId = `key_of_${accountId}`;
    if ((store.budgetAmounts.get(ownerId) ?? null) === null) return undefined;
    const period = Math.floor(scheduler.nowMs / 60_000);
    return { kind: "budget", id: `${ownerId}:minute:${period}`, ownerId };
  }

  function drawCharge(): CallPlan["charge"] {
    const way = random.next();
    if (way < 0.1) return () => undefined;
    if (way < 0.15) return () => 0n;
    if (way < 0.6) return (held) => held;
    const share = BigInt(random.int(0, 1_000));
    if (way < 0.97 || kind.isCalm) return (held) => (held * share) / 1_000n;
    return (held) => held + (held * share) / 100n;
  }

  const operations: readonly (readonly [weight: number, act: () => void])[] = [
    [
      400,
      () => {
        const accountId = random.pick(accountIds);
        const amount = size();
        const isFlexible = !kind.isExact && random.chance(0.3);
        const plan: CallPlan = {
          accountId,
          budget: random.chance(0.5) ? budgetOf(accountId) : undefined,
          requested: { amount, atLeast: isFlexible ? amount / 2n + 1n : amount },
          lastsMs: random.chance(0.005 * rough) ? random.int(0, 90_000) : random.int(0, kind.callMsMax),
          charge: drawCharge(),
          tries: random.chance(0.8) ? 20 : random.int(1, 2),
        };
        for (let calls = random.chance(0.1) ? random.int(2, 30) : 1; calls > 0; calls--) {
          tally.operations++;
          void random.pick(processes).call(plan);
        }
      },
    ],
    [
      20,
      () => {
        const accountId = random.pick(accountIds);
        const amount = size() * BigInt(random.int(1, kind.topUpHolds));
        const expiresAt = 1_000_000_000_000 + scheduler.nowMs + random.int(1, 60_000);
        if (random.chance(0.3)) store.addEntry(accountId, amount, expiresAt);
        else store.addEntry(accountId, amount);
        refresh(accountId);
      },
    ],
    [
      4,
      () => {
        const account = store.accounts.get(random.pick(accountIds));
        if (account === undefined) return;
        const free = account.balance - account.leased;
        // One unit above the available amount must be refused.
        must(
          !store.addEntry(account.id, -free - 1n),
          () => `${account.id}: more than what is free was taken away`,
        );
        if (free > 0n) store.addEntry(account.id, -(free * BigInt(random.int(0, 4))) / 4n);
        refresh(account.id);
      },
    ],
    [
      2,
      () => {
        const accountId = random.pick(accountIds);
        store.setActive(accountId, false);
        scheduler.after(random.int(0, 3_000), undefined, () => store.setActive(accountId, true));
      },
    ],
    [
      4,
      () => {
        const ownerId = `key_of_${random.pick(accountIds)}`;
        const amount = size() * BigInt(random.int(0, 50));
        store.budgetAmounts.set(ownerId, random.chance(0.2) ? null : amount);
      },
    ],
    [
      20,
      () => {
        if (world.sent.length === 0) return;
        const sent = random.pick(world.sent);
        // A write with an unknown result is repeated only by its sender, or when the sender is dead.
        if (!sent.isAcknowledged && !sent.sender.isDead) return;
        tally.repeats++;
        random.pick(processes).repeat(sent);
      },
    ],
    [
      2 * rough,
      () => {
        const [victim] = processes.splice(random.int(0, processes.length - 1), 1);
        if (victim === undefined) return;
        tally.crashes++;
        victim.crash();
        dead.push(victim);
        start();
      },
    ],
    [
      2 * rough,
      () => {
        const sleeper = random.pick(processes);
        if (sleeper.party.isPaused) return;
        tally.pauses++;
        sleeper.party.isPaused = true;
        const ms = random.chance(0.5) ? random.int(0, shortMsMax) : random.int(30_000, 120_000);
        scheduler.after(ms, undefined, () => scheduler.wake(sleeper.party));
      },
    ],
    [
      rough,
      () => {
        tally.outages++;
        const ms = random.chance(0.7) ? random.int(0, shortMsMax) : random.int(4, 20) * shortMsMax;
        weather.awayUntilMs = scheduler.nowMs + ms;
      },
    ],
    [
      kind.jumps ? rough : 0,
      () => {
        tally.jumps++;
        const ms = random.int(-100_000, 100_000);
        jumpMs += ms;
        jumpMsMost = Math.max(jumpMsMost, jumpMs);
        if (ms > 0) world.jumpedAtMs = scheduler.nowMs;
      },
    ],
    [10, () => world.recall(random.pick(accountIds))],
  ];
  const weights = operations.reduce((sum, [weight]) => sum + weight, 0);

  function operate(): void {
    let draw = random.next() * weights;
    for (const [weight, act] of operations) {
      draw -= weight;
      if (draw >= 0) continue;
      tally.operations++;
      act();
      return;
    }
  }

  /** All processes run, the store is available, and no calls are made: in the end nothing may be leased. */
  async function comeToRest(restMs: number): Promise<void> {
    weather.awayUntilMs = 0;
    weather.lostBefore = 0;
    weather.lostAfter = 0;
    for (const { party } of processes) if (party.isPaused) scheduler.wake(party);
    // First the longest call with its settlement, then the longest expiry of a holder: one that beat while
    // the clock was ahead expires by that clock.
    await scheduler.run(restMs);
    if (jumpMs < jumpMsMost) {
      jumpMs = jumpMsMost;
      world.jumpedAtMs = scheduler.nowMs;
    }
    await scheduler.run(60_000);
    const living = new Set(processes.map(({ leases }) => leases.holderId));
    must(store.lentBeside(living) === 0n, () => `${store.lentBeside(living)} is still lent to the dead`);
    must(
      store.lentBeside(new Set()) === 0n,
      () => `${store.lentBeside(new Set())} is still lent to idle processes`,
    );
    for (const { leases, running } of processes) {
      const { leasePools, lent, held } = leases.counts;
      must(leasePools === 0, () => `${leasePools} lease pools are not empty: ${lent} lent, ${held} held`);
      must(running === 0, () => `${running} calls never ended`);
    }
  }

  /** A call that needs the whole available balance must be admitted when nothing else is held. */
  async function checkLiveness(): Promise<void> {
    for (const id of accountIds) {
      store.setActive(id, true);
      const { balance } = store.accounts.get(id) ?? { balance: 0n };
      if (balance === 0n) continue;
      const before = world.counts.placed;
      const charge = () => undefined;
      const requested = { amount: balance, atLeast: balance };
      const plan: CallPlan = { accountId: id, budget: undefined, requested, lastsMs: 0, charge, tries: 1 };
      scheduler.after(0, undefined, () => void random.pick(processes).call(plan));
      await scheduler.run(5_000);
      must(
        world.counts.placed === before + 1,
        () => `${id}: nobody holds anything, and ${balance} is refused`,
      );
    }
  }

  async function run(operationsWanted: number): Promise<void> {
    for (let count = kind.processes; count > 0; count--) start();
    await scheduler.run(200);
    while (tally.operations < operationsWanted) {
      const pauseMs = random.int(0, kind.pauseMsMax);
      scheduler.after(pauseMs, undefined, operate);
      await scheduler.run(pauseMs);
    }
    await comeToRest(100_000);
    await checkLiveness();
    await comeToRest(0);
    store.check(true);
    const { lost } = model.totals();
    must(!kind.isCalm || lost === 0n, () => `${lost} was lost though nothing failed`);
    must(
      !kind.isCalm || world.counts.fenced === 0,
      () => `${world.counts.fenced} calls fenced though nobody slept`,
    );
  }

  const figures = (violation: string | undefined): SimulationFigures => {
    const { operations: done, ...rest } = tally;
    const totals = model.totals();
    const { steps, nowMs: virtualMs } = scheduler;
    return { seed, operations: done, steps, virtualMs, calls: world.counts, ...rest, ...totals, violation };
  };
  return { run, figures };
}

/**
 * One run of this many operations, with failures drawn from the seed. Rejects only for a bug in the
 * simulator.
 */
export async function simulateOnce(seed: number, operations: number): Promise<SimulationFigures> {
  const { run, figures } = createRun(seed);
  try {
    await run(operations);
    return figures(undefined);
  } catch (error) {
    const text = error instanceof Violation ? error.message : (error as Error).stack;
    return figures(`${text} (seed ${seed}, ${operations} operations)`);
  }
}
