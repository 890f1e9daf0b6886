/**
 * For tests: an in-memory store that lends slices by the real rules, several processes on it, and clocks the
 * test controls.
 */
import { type Bucket, lendSlice, loseSlice, newBucket, type SliceAsk } from "../../../domain/limits/limit.ts";
import type { SliceReply } from "../../../store/limits/slice-shapes.ts";
import type { Caller } from "../../request/authenticate.ts";
import { createLimits, type LimitRequest, type Limits } from "../limits.ts";

interface Timer {
  readonly atMs: number;
  readonly then: () => void;
}

export interface FakeSlices {
  /** The store's current state. */
  readonly state: {
    /**
     * `lost`: calls fail. `mute`: calls wait until it is `up` again. `late`: applied, but the answer is lost.
     */
    mode: "up" | "lost" | "mute" | "late";
    /** Offset of the database's clock, in milliseconds. */
    stepMs: number;
    calls: number;
  };
  newProcess(): FakeProcess;
  outstanding(subject: string): number;
  /** Advances all clocks and runs due timers. */
  pass(ms: number): Promise<void>;
}

export interface FakeProcess {
  readonly limits: Limits;
  /** The store and the process both take it for dead. */
  die(): void;
  /** Its next heartbeat gets a new holder. */
  revive(): void;
  /** Names of its log events, in order. */
  readonly logged: readonly string[];
}

/** Lets pending promises run. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export function createFakeSlices(): FakeSlices {
  const state: FakeSlices["state"] = { mode: "up", stepMs: 0, calls: 0 };
  const buckets = new Map<string, Bucket>();
  const slices = new Map<string, Map<string, number>>();
  const timers = new Set<Timer>();
  let waiting: (() => void)[] = [];
  let nowMs = 1_000;
  let holders = 0;

  function take(holderId: string, asks: readonly SliceAsk[]): SliceReply {
    const own = slices.get(holderId);
    if (own === undefined) return { status: "fenced" };
    const databaseMs = nowMs + state.stepMs;
    const grants = asks.map((ask) => {
      const before = buckets.get(ask.subject) ?? newBucket(ask, databaseMs);
      const { bucket, grant } = lendSlice(before, own.get(ask.subject) ?? 0, ask, databaseMs);
      buckets.set(ask.subject, bucket);
      own.set(ask.subject, grant.slice);
      return grant;
    });
    return { status: "granted", grants, holders: slices.size };
  }

  async function takeSlices(holderId: string, asks: readonly SliceAsk[]): Promise<SliceReply> {
    state.calls += 1;
    await settled();
    if (state.mode === "mute") await new Promise<void>((resolve) => void waiting.push(resolve));
    if (state.mode === "lost") throw new Error("the store is lost");
    const reply = take(holderId, asks);
    if (state.mode === "late") throw new Error("the answer is lost");
    return reply;
  }

  function newProcess(): FakeProcess {
    const open = () => {
      holders += 1;
      slices.set(`h${holders}`, new Map());
      return `h${holders}`;
    };
    const holder = {
      holderId: open(),
      isValid: true,
      mayRevive: true,
      async beat() {
        if (slices.has(holder.holderId) || !holder.mayRevive) return;
        holder.holderId = open();
        holder.isValid = true;
      },
    };
    const logged: string[] = [];
    const log = (event: string) => void logged.push(event);
    const limits = createLimits({
      store: { takeSlices },
      clock: { wallMs: () => nowMs, elapsedMs: () => nowMs },
      log: { debug: log, info: log, warn: log, error: log },
      holder,
      later(ms, then) {
        const timer = { atMs: nowMs + ms, then };
        timers.add(timer);
        return () => timers.delete(timer);
      },
    });
    return {
      limits,
      logged,
      die() {
        for (const [subject, amount] of slices.get(holder.holderId) ?? []) {
          const bucket = buckets.get(subject);
          if (bucket !== undefined) buckets.set(subject, loseSlice(bucket, amount, nowMs + state.stepMs));
        }
        slices.delete(holder.holderId);
        holder.isValid = false;
        holder.mayRevive = false;
      },
      revive() {
        holder.mayRevive = true;
      },
    };
  }

  return {
    state,
    newProcess,
    outstanding: (subject) => buckets.get(subject)?.outstanding ?? 0,
    async pass(ms) {
      const untilMs = nowMs + ms;
      for (;;) {
        await settled();
        await settled();
        if (state.mode !== "mute") for (const resolve of waiting.splice(0)) resolve();
        const next = [...timers].sort((one, other) => one.atMs - other.atMs)[0];
        if (next === undefined || next.atMs > untilMs) break;
        timers.delete(next);
        nowMs = Math.max(nowMs, next.atMs);
        next.then();
      }
      nowMs = untilMs;
      waiting = waiting.filter(() => true);
      await settled();
    },
  };
}

/** A request of one key with these limits. */
export function requestOf(
  limits: { rpm?: number; tpm?: number; conc?: number; account?: number; all?: number; model?: number },
  more: Partial<LimitRequest> = {},
): LimitRequest {
  const caller = {
    key: {
      id: "key_1",
      accountId: "acc_1",
      requestsPerMinute: limits.rpm ?? null,
      tokensPerMinute: limits.tpm ?? null,
      concurrency: limits.conc ?? null,
    },
    accountLimits: { requestsPerMinute: limits.account ?? null, tokensPerMinute: null, concurrency: null },
  } as unknown as Caller;
  return {
    caller,
    snapshot: {
      limits: {},
      installation: limits.all === undefined ? undefined : { requestsPerMinute: limits.all },
    },
    model: { id: "m", limits: limits.model === undefined ? undefined : { requestsPerMinute: limits.model } },
    inputTokens: 10,
    outputTokens: 90,
    answers: 1,
    maxOutput: undefined,
    ...more,
  };
}
