/**
 * One simulated serving process with real leases and lease pools and random calls. Every call places its
 * holds, runs for a while, ends with or without a charge, and is settled until the store confirms or it gives
 * up. Checks that no hold exceeds the leased amount.
 */
import { nanoUsd } from "@plaza/contract/money.ts";
import type { HoldRequest } from "../../server/src/domain/money/lease.ts";
import type { Payment } from "../../server/src/domain/money/ledger.ts";
import type { PooledHold, Refusal } from "../../server/src/gateway/money/lease-pool.ts";
import { createLeases, type Leases } from "../../server/src/gateway/money/leases.ts";
import type { LeaseSubject } from "../../server/src/store/ledger/lease-shapes.ts";
import { holderLifeMs } from "../../server/src/store/ledger/lease-shapes.ts";
import type { Settlement } from "../../server/src/store/requests/settlement-shapes.ts";
import type { RequestRow } from "../../server/src/store/requests/shapes.ts";
import type { Random } from "../rigs/harness/random.ts";
import type { MemoryStore } from "./memory-store.ts";
import { must, type NaiveModel } from "./naive-model.ts";
import type { Party, Scheduler } from "./scheduler.ts";
import { createStoreLink, type Weather } from "./store-link.ts";

/** A request as sent to the store, kept for sending it again. */
export interface Sent {
  readonly row: RequestRow;
  readonly settlement: Settlement;
  readonly sender: Party;
  /** True when its sender received the confirmation. */
  isAcknowledged: boolean;
}

export interface CallCounts {
  placed: number;
  short: number;
  suspended: number;
  fenced: number;
  unavailable: number;
  settled: number;
  dropped: number;
  /** Settlements whose result the process never learned. */
  abandoned: number;
}

export const newCounts = (): CallCounts => ({
  placed: 0,
  short: 0,
  suspended: 0,
  fenced: 0,
  unavailable: 0,
  settled: 0,
  dropped: 0,
  abandoned: 0,
});

/** State shared by all processes. */
export interface World {
  readonly scheduler: Scheduler;
  readonly store: MemoryStore;
  readonly model: NaiveModel;
  readonly random: Random;
  readonly weather: Weather;
  readonly counts: CallCounts;
  /** Sent requests, some of which are sent again; bounded. */
  readonly sent: Sent[];
  /** True when nothing fails in this run. */
  readonly isCalm: boolean;
  /** When the store's clock last jumped forward: earlier leases may expire early. */
  jumpedAtMs: number;
  readonly newId: (prefix: string) => string;
  readonly recall: (subjectId: string) => void;
  /** Ends the run with a violation. */
  readonly fail: (error: unknown) => void;
}

/** One random call. */
export interface CallPlan {
  readonly accountId: string;
  /** A budget that also gets a hold. */
  readonly budget: LeaseSubject | undefined;
  readonly requested: HoldRequest;
  readonly lastsMs: number;
  /**
   * The charge in NanoUsd for a hold of that size; undefined = nothing is recorded and the hold is dropped.
   */
  readonly charge: (held: bigint) => bigint | undefined;
  /** How often a refused settlement is sent again. */
  readonly tries: number;
}

export interface ServingProcess {
  readonly party: Party;
  readonly leases: Leases;
  /** Number of running calls. */
  readonly running: number;
  /** Resolves when the call has ended, whatever the result. */
  call(plan: CallPlan): Promise<"refused" | "done" | undefined>;
  /** Sends an earlier request of any process again. */
  repeat(sent: Sent): void;
  /** Throws when holds exceed the leases while the leases are valid. */
  check(): void;
  crash(): void;
}

const tickMs = 500;
const beatMs = 5_000;

const silent = { debug() {}, info() {}, warn() {}, error() {} };

function rowOf(id: string, accountId: string, budget: LeaseSubject | undefined, charge: bigint): RequestRow {
  return {
    id,
    createdAt: 0,
    accountId,
    keyId: budget?.ownerId ?? "key",
    operation: "chat",
    modelId: null,
    upstreamId: null,
    upstreamModel: null,
    isStream: false,
    status: 200,
    state: "complete",
    errorCode: null,
    attempts: 1,
    inputTokens: 0,
    cachedInputTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: 0,
    reasoningTokens: 0,
    usageSource: "exact",
    usageParts: null,
    firstTokenMs: null,
    durationMs: 0,
    charge: nanoUsd(charge),
    priceId: null,
    cost: null,
    attemptLog: null,
    queueMs: null,
  };
}

const partOf = ({ fromLease, release }: Payment) => ({
  fromLease: nanoUsd(fromLease),
  release: nanoUsd(release),
});

const isPooledHold = (outcome: PooledHold | Refusal): outcome is PooledHold => "leasePool" in outcome;

/** Sum of a holder's holds, per subject. */
type Held = Map<string, bigint>;

export function startProcess(world: World, name: string): ServingProcess {
  const { scheduler, store, model, weather, counts } = world;
  const random = world.random.fork(name);
  const party: Party = { isDead: false, isPaused: false, missed: [] };
  const link = createStoreLink({ store, scheduler, random, weather, party, onRecall: world.recall });
  const held: Held = new Map();
  let running = 0;
  /** Elapsed milliseconds until which the leases are valid, computed independently. */
  let validUntilMs = Number.NEGATIVE_INFINITY;
  let validSinceMs = 0;
  /** Version of the store when the holds were last compared with it. */
  let checkedVersion = -1;
  let comparedVersion = -1;

  function sawLife<T>(promise: Promise<T>, isLife: (result: T) => boolean): Promise<T> {
    const sentMs = scheduler.nowMs;
    return promise.then((result) => {
      validUntilMs = isLife(result) ? sentMs + holderLifeMs - 5_000 : Number.NEGATIVE_INFINITY;
      if (isLife(result)) validSinceMs = sentMs;
      return result;
    });
  }

  const sleep = (ms: number): Promise<void> => new Promise((resolve) => scheduler.after(ms, party, resolve));
  const leases = createLeases({
    store: {
      takeLease: link.takeLease,
      returnLease: (holderId, subject, amount) => link.returnLease(holderId, subject, amount),
      recallLeases: link.recallLeases,
      closeHolder: link.closeHolder,
      openHolder: (id) => sawLife(link.openHolder(id), () => true),
      heartbeat: (id) => sawLife(link.heartbeat(id), (isAlive) => isAlive),
    },
    clock: { wallMs: () => scheduler.nowMs, elapsedMs: () => scheduler.nowMs },
    log: silent,
    newHolderId: () => world.newId("holder"),
    holderLifeMs,
    sleep,
  });

  const keyOf = (place: PooledHold): string => `${place.holderId}\n${place.leasePool.subject.id}`;

  /** Checks that no hold uses money leased to another process. */
  function checkKey(key: string): void {
    const amount = held.get(key) ?? 0n;
    if (amount === 0n) return;
    const [holderId = "", subject = ""] = key.split("\n");
    // A process cannot know that the database's clock jumped ahead.
    if (world.jumpedAtMs >= validSinceMs) return;
    const lent = store.leaseAmount(holderId, subject);
    must(
      amount <= lent,
      () => `${name}: holds of ${amount} on ${subject} against a lease of ${lent} (${holderId})`,
    );
  }

  function noteHeld(place: PooledHold, amount: bigint): void {
    checkedVersion = -1;
    const key = keyOf(place);
    const now = (held.get(key) ?? 0n) + amount;
    if (now === 0n) held.delete(key);
    else held.set(key, now);
  }

  async function hold(subject: LeaseSubject, requested: HoldRequest): Promise<PooledHold | undefined> {
    try {
      const isAccount = subject.kind === "account" && random.chance(0.5);
      const atOnce = isAccount ? leases.holdAtOnce(subject.id, requested.amount) : undefined;
      const outcome = atOnce ?? (await leases.hold(subject, requested));
      if (!isPooledHold(outcome)) {
        counts[outcome.kind]++;
        return undefined;
      }
      must(
        outcome.amount <= requested.amount && outcome.amount >= requested.atLeast,
        () => `${name}: a hold of ${outcome.amount} for ${requested.atLeast} to ${requested.amount}`,
      );
      noteHeld(outcome, outcome.amount);
      checkKey(keyOf(outcome));
      must(
        scheduler.nowMs < validUntilMs || outcome.amount === 0n,
        () => `${name}: a hold was placed ${scheduler.nowMs - validUntilMs} ms after the leases ended`,
      );
      counts.placed++;
      return outcome;
    } catch (error) {
      if ((error as { code?: string }).code !== "ledger_unavailable") throw error;
      counts.unavailable++;
      return undefined;
    }
  }

  function end(place: PooledHold, charge: bigint): Payment {
    noteHeld(place, -place.amount);
    return place.leasePool.end(place, charge);
  }

  function drop(place: PooledHold): void {
    noteHeld(place, -place.amount);
    place.leasePool.drop(place);
    counts.dropped++;
  }

  async function record(sent: Sent, tries: number, places: readonly PooledHold[]): Promise<void> {
    let attempts = 0;
    while (attempts < tries) {
      attempts++;
      if (attempts === 2) link.noteJournalled(1);
      // Settlements in the journal are sent later, while calls continue.
      if (attempts > 1 && random.chance(0.5)) await sleep(random.int(0, 5_000));
      try {
        await link.recordRequest(sent.row, sent.settlement);
        model.acknowledged(sent.row.id, sent.row.accountId, sent.row.charge);
        sent.isAcknowledged = true;
        counts.settled++;
        break;
      } catch (error) {
        if ((error as { code?: string }).code !== "unavailable") throw error;
      }
    }
    if (attempts > 1) link.noteJournalled(-1);
    if (sent.isAcknowledged) return;
    counts.abandoned++;
    for (const { leasePool } of places) leasePool.doubt();
  }

  async function holdBoth(plan: CallPlan): Promise<PooledHold[] | undefined> {
    const { accountId, budget, requested } = plan;
    const account = await hold({ kind: "account", id: accountId, ownerId: accountId }, requested);
    if (account === undefined) return undefined;
    if (budget === undefined) return [account];
    const second = await hold(budget, { amount: account.amount, atLeast: account.amount });
    // A settlement names one holder: it needs both holds or none.
    if (second?.holderId === account.holderId) return [account, second];
    if (second !== undefined) drop(second);
    drop(account);
    return undefined;
  }

  async function call(plan: CallPlan): Promise<"refused" | "done"> {
    const places = await holdBoth(plan);
    const [account, budget] = places ?? [];
    if (account === undefined) return "refused";
    await sleep(plan.lastsMs);
    const charge = plan.charge(account.amount);
    if (charge === undefined) {
      for (const place of places ?? []) drop(place);
      return "done";
    }
    const settlement: Settlement = {
      holderId: account.holderId,
      account: partOf(end(account, charge)),
      budget: budget && { id: budget.leasePool.subject.id, ...partOf(end(budget, charge)) },
    };
    const sent = {
      row: rowOf(world.newId("request"), plan.accountId, plan.budget, charge),
      settlement,
      sender: party,
      isAcknowledged: false,
    };
    world.sent[Math.min(world.sent.length, random.int(0, 255))] = sent;
    await record(sent, plan.tries, places ?? []);
    return "done";
  }

  /** When nothing fails and no message is in transit, this process and the store agree on the leases. */
  function checkBothSides(): void {
    if (link.underWay > 0 || comparedVersion === store.version) return;
    comparedVersion = store.version;
    const [here, there] = [leases.counts.lent, store.lentTo(leases.holderId)];
    must(here === there, () => `${name}: knows of ${here} lent to it, the store of ${there}`);
  }

  function every(ms: number, act: () => void): void {
    scheduler.after(ms, party, () => {
      act();
      every(ms, act);
    });
  }

  leases.open().catch(() => {});
  every(tickMs, () => leases.tick());
  every(beatMs, () => void leases.beat());

  return {
    party,
    leases,
    get running() {
      return running;
    },
    async call(plan) {
      running++;
      try {
        return await call(plan);
      } catch (error) {
        world.fail(error);
        return undefined;
      } finally {
        running--;
      }
    },
    repeat: (sent) => void record(sent, 1, []).catch(world.fail),
    check() {
      if (world.isCalm) checkBothSides();
      if (scheduler.nowMs >= validUntilMs || checkedVersion === store.version) return;
      checkedVersion = store.version;
      for (const key of held.keys()) if (key.startsWith(`${leases.holderId}\n`)) checkKey(key);
    },
    crash() {
      party.isDead = true;
    },
  };
}
