/** Keys with limits, and callers that send far more than the limits allow. */
import { randomBytes } from "node:crypto";
import { Agent } from "node:http";
import { createApiKey, digestApiKey } from "../../../server/src/domain/keys/api-key.ts";
import type { AccountLimits } from "../../../server/src/store/accounts/account-shapes.ts";
import { post, type Seen } from "./http-client.ts";
import { monotonicMs, pause } from "./measure/clock.ts";
import { type MoneyCall, requestTo } from "./money/calls.ts";
import type { MoneyKey, MoneyStage } from "./money/money.ts";
import type { Plaza } from "./processes/plaza.ts";
import type { Random } from "./random.ts";

const none: AccountLimits = { requestsPerMinute: null, tokensPerMinute: null, concurrency: null };

/** Creates a key with custom limits. */
export async function createLimitedKey(
  { store }: Pick<MoneyStage, "store">,
  accountId: string,
  limits: Partial<AccountLimits> = {},
): Promise<MoneyKey> {
  const { secret, visiblePrefix } = createApiKey(randomBytes);
  const { id } = await store.createKey({
    ...none,
    ...limits,
    id: `key_rig${randomBytes(9).toString("hex")}`,
    accountId,
    name: "rig",
    visiblePrefix,
    digest: digestApiKey(secret),
    models: null,
    budget: null,
    expiresAt: null,
  });
  return { id, secret, accountId };
}

/** What calls need to know of a Plaza. */
export type Served = Pick<Plaza, "origin" | "seed">;

/** One call, as its caller sees it. */
export interface Offered {
  readonly id: string;
  readonly sentAt: number;
  readonly endedAt: number;
  readonly status: number;
  readonly retryAfterMs: number;
  readonly seen: Seen;
}

export interface Offer {
  readonly plazas: readonly Served[];
  readonly keys: readonly MoneyKey[];
  /** Concurrent callers; each sends its next call after the previous one ended. */
  readonly lanes: number;
  readonly callOf: (id: string) => MoneyCall;
  readonly prefix: string;
  readonly random: Random;
  /** Pause after a refusal in milliseconds, with jitter. */
  readonly againMs: number;
  /** Called before every call, with the number of refusals so far. */
  readonly isOver: (refused: number) => boolean;
}

const agent = new Agent({ keepAlive: true, maxSockets: 2_000 });

export async function offerOne(plaza: Served, key: MoneyKey, call: MoneyCall): Promise<Offered> {
  const seen = await post({
    ...requestTo(plaza, call),
    key: key.secret,
    agent,
    withinMs: 30_000,
  });
  return {
    id: call.id,
    sentAt: seen.sentAt,
    endedAt: seen.endedAt,
    status: seen.status,
    retryAfterMs: Number(seen.headers["retry-after-ms"] ?? Number.NaN),
    seen,
  };
}

/** Sends calls until it is over, to all processes and with all keys. */
export async function offer(what: Offer): Promise<Offered[]> {
  const offered: Offered[] = [];
  let refused = 0;
  const lane = async (index: number): Promise<void> => {
    const random = what.random.fork(`${what.prefix}-${index}`);
    for (let made = 0; !what.isOver(refused); made += 1) {
      const id = `${what.prefix}-${String(index).padStart(2, "0")}-${String(made).padStart(5, "0")}`;
      const one = await offerOne(random.pick(what.plazas), random.pick(what.keys), what.callOf(id));
      offered.push(one);
      if (one.status === 200) continue;
      refused += 1;
      await pause(random.int(what.againMs / 2, what.againMs * 2));
    }
  };
  await Promise.all(Array.from({ length: what.lanes }, (_, index) => lane(index)));
  return offered;
}

/** Returns a function that is true once this many milliseconds have passed. */
export function after(milliseconds: number): () => boolean {
  const until = monotonicMs() + milliseconds;
  return () => monotonicMs() >= until;
}
