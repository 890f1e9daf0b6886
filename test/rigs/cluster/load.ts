/**
 * Load on the cluster: callers of all endpoints through the balancer, a purse that pays for few calls, and
 * keys with limits. All of it goes on while a scene is played.
 */
import { post } from "../harness/http-client.ts";
import { createLimitedKey, type Offered, offer, type Served } from "../harness/limited-calls.ts";
import { pause } from "../harness/measure/clock.ts";
import { exactCall, type MoneyCall, requestTo } from "../harness/money/calls.ts";
import type { MoneyKey } from "../harness/money/money.ts";
import type { Random } from "../harness/random.ts";
import type { Made } from "./judges.ts";
import type { Cluster } from "./stage.ts";

export const plenty = 1_000_000_000_000n;
const accounts = 4;
const lanesPerAccount = 2;
/** Callers of a host that went dark give up after this. */
const withinMs = 20_000;
/**
 * Every call's prompt has a size of its own, by which its row is found; no charge is above its hold, which is
 * for an answer of this many tokens.
 */
const firstPrompt = 1_000;
const lastPrompt = 45_000;
const maxTokens = 6_000;
/** Of a purse. */
export const purseCalls = 40;
const purseTokens = 100;
/** Per minute, and at once. */
export const limits = { requestsPerMinute: 120, concurrency: 6 } as const;

/** What was offered to one kind of key. */
export interface Pool {
  readonly made: Made[];
  stop(): Promise<void>;
}

let prompts = firstPrompt;

function ordinaryCall(prefix: string, random: Random): MoneyCall {
  const promptTokens = prompts++;
  if (promptTokens > lastPrompt) throw new RangeError("more calls than prompts of different sizes");
  const isSlow = random.chance(0.2);
  return {
    id: `${prefix}-${promptTokens}`,
    isStream: random.chance(0.6),
    maxTokens,
    plan: {
      promptTokens,
      tokens: isSlow ? 30 : random.int(1, 40),
      headersMs: random.int(0, 40),
      gapMs: isSlow ? 50 : 0,
    },
  };
}

async function make(at: Served, key: MoneyKey, call: MoneyCall): Promise<Made> {
  return { call, seen: await post({ ...requestTo(at, call), key: key.secret, withinMs }) };
}

/** Keys of accounts with more than they spend. */
export async function newKeys(cluster: Cluster): Promise<MoneyKey[]> {
  const keys: MoneyKey[] = [];
  for (let index = 0; index < accounts; index++) {
    keys.push(await cluster.createKey(await cluster.createAccount(plenty)));
  }
  return keys;
}

/** Calls through the balancer until stopped. */
export function startLoad(
  cluster: Cluster,
  keys: readonly MoneyKey[],
  { prefix, random }: { readonly prefix: string; readonly random: Random },
): Pool {
  const made: Made[] = [];
  let isOver = false;
  const lane = async (key: MoneyKey, own: Random): Promise<void> => {
    while (!isOver) {
      made.push(await make(cluster.balanced, key, ordinaryCall(prefix, own)));
      await pause(own.int(20, 120));
    }
  };
  const lanes = keys.flatMap((key, account) =>
    Array.from({ length: lanesPerAccount }, (_, index) => lane(key, random.fork(`${account} ${index}`))),
  );
  return {
    made,
    async stop() {
      isOver = true;
      await Promise.all(lanes);
    },
  };
}

export interface Purse extends Pool {
  /** Calls past the balancer, one after another. */
  spendAt(place: Served, count: number): Promise<void>;
}

/** An account that pays for `purseCalls` calls, each for exactly its hold. */
export async function openPurse(cluster: Cluster, prefix: string, random: Random): Promise<Purse> {
  const made: Made[] = [];
  let isOver = false;
  const nextCall = (): MoneyCall => {
    const id = `${prefix}-purse-${String(made.length + random.int(0, 999) * 1_000).padStart(9, "0")}`;
    return exactCall({ id, isStream: false, maxTokens: purseTokens }, { headersMs: 20 });
  };
  const { promptTokens = 0 } = nextCall().plan;
  const hold = BigInt(promptTokens) * 250n + BigInt(purseTokens) * 2_000n;
  const key = await cluster.createKey(await cluster.createAccount(hold * BigInt(purseCalls)));
  const lane = async (): Promise<void> => {
    while (!isOver) {
      made.push(await make(cluster.balanced, key, nextCall()));
      await pause(random.int(60, 240));
    }
  };
  const lanes = Array.from({ length: 2 }, lane);
  return {
    made,
    async spendAt(place, count) {
      for (let index = 0; index < count; index++) made.push(await make(place, key, nextCall()));
    },
    async stop() {
      isOver = true;
      await Promise.all(lanes);
    },
  };
}

/** Calls far above a limit, through the balancer. */
export interface LimitPool {
  readonly kind: keyof typeof limits;
  stop(): Promise<Offered[]>;
}

async function startLimit(
  cluster: Cluster,
  kind: keyof typeof limits,
  { prefix, random }: { readonly prefix: string; readonly random: Random },
): Promise<LimitPool> {
  const key = await createLimitedKey(cluster, await cluster.createAccount(plenty), { [kind]: limits[kind] });
  let isOver = false;
  const headersMs = kind === "concurrency" ? 400 : 0;
  const offered = offer({
    plazas: [cluster.balanced],
    keys: [key],
    lanes: kind === "concurrency" ? limits.concurrency + 3 : 3,
    prefix: `${prefix}-${kind}`,
    random: random.fork(kind),
    againMs: 120,
    isOver: () => isOver,
    callOf: (id) => exactCall({ id, isStream: true, maxTokens: 4 }, { headersMs }),
  });
  return {
    kind,
    async stop() {
      isOver = true;
      return offered;
    },
  };
}

export const startLimits = (
  cluster: Cluster,
  options: { readonly prefix: string; readonly random: Random },
): Promise<LimitPool[]> =>
  Promise.all([
    startLimit(cluster, "requestsPerMinute", options),
    startLimit(cluster, "concurrency", options),
  ]);
