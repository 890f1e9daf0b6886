/** A month of requests with charges, generated from a seed and recorded through the product's store. */
import type { Model } from "@plaza/contract/catalog.ts";
import { nanoUsd } from "@plaza/contract/money.ts";
import { chargeFor } from "../../../server/src/domain/money/price.ts";
import { createIdFactory } from "../../../server/src/lib/id.ts";
import type { RequestRow } from "../../../server/src/store/requests/shapes.ts";
import type { Store } from "../../../server/src/store/store.ts";
import type { Random } from "../../rigs/harness/random.ts";

const dayMs = 86_400_000;

/** A key used for the requests. */
export interface SeededKey {
  readonly id: string;
  readonly accountId: string;
  /** Share of its account's traffic. */
  readonly weight: number;
}

/** More requests by day than by night, and recently than a month ago. */
function momentOf(random: Random, nowMs: number): number {
  const age = (1 - Math.sqrt(random.next())) * 30 * dayMs;
  const at = nowMs - age;
  const hour = new Date(at).getUTCHours();
  const shift = hour < 6 && random.next() < 0.7 ? 8 * 3_600_000 : 0;
  return Math.min(nowMs - 1_000, Math.round(at + shift));
}

const skewed = (random: Random, most: number): number => Math.round(random.next() ** 3 * most);

/** Milliseconds a token, from 4 to 19: a model's own, so that models differ in charts. */
function paceOf(id: string): number {
  let sum = 0;
  for (const letter of id) sum = (sum * 31 + letter.charCodeAt(0)) % 65_521;
  return 4 + (sum % 16);
}

type Ending = Pick<RequestRow, "state" | "status" | "errorCode">;

function endingOf(random: Random): Ending {
  const roll = random.next();
  if (roll < 0.95) return { state: "complete", status: 200, errorCode: null };
  if (roll < 0.965) return { state: "aborted", status: 200, errorCode: null };
  if (roll < 0.972) return { state: "incomplete", status: 200, errorCode: "upstream_error" };
  if (roll < 0.985) return { state: "failed", status: 429, errorCode: "rate_limit_exceeded" };
  return { state: "failed", status: 502, errorCode: "upstream_error" };
}

function rowOf(random: Random, key: SeededKey, model: Model, at: number, id: string): RequestRow {
  const ending = endingOf(random);
  const isCharged = ending.state !== "failed";
  const prompt = isCharged ? 20 + skewed(random, 12_000) : 0;
  const cached = random.next() < 0.3 ? Math.floor(prompt * 0.6) : 0;
  const output = isCharged ? 5 + skewed(random, 2_500) : 0;
  const usage = {
    input: prompt - cached,
    cachedInput: cached,
    cacheWrite: 0,
    output,
    reasoning: Math.floor(output * 0.2),
  };
  const charge = isCharged && model.price !== undefined ? chargeFor(usage, model.price) : nanoUsd(0n);
  const firstTokenMs = isCharged ? 180 + skewed(random, 3_000) : null;
  return {
    id,
    createdAt: at,
    accountId: key.accountId,
    keyId: key.id,
    operation: "chat",
    modelId: model.id,
    upstreamId: ending.status === 429 ? null : "main",
    upstreamModel: ending.status === 429 ? null : `up-${model.id}`,
    isStream: random.next() < 0.8,
    ...ending,
    attempts: ending.status === 429 ? 0 : 1,
    inputTokens: usage.input,
    cachedInputTokens: usage.cachedInput,
    cacheWriteTokens: 0,
    outputTokens: usage.output,
    reasoningTokens: usage.reasoning,
    usageSource: !isCharged ? "none" : ending.state === "complete" ? "exact" : "estimated",
    usageParts: null,
    firstTokenMs,
    durationMs: (firstTokenMs ?? 40) + output * paceOf(model.id),
    charge,
    cost: null,
    priceId: isCharged ? (model.priceRows?.[0]?.id ?? null) : null,
    attemptLog: null,
    queueMs: ending.status === 429 ? null : output % 40,
  };
}

function drawKey(random: Random, keys: readonly SeededKey[]): SeededKey {
  let roll = random.next() * keys.reduce((sum, { weight }) => sum + weight, 0);
  for (const key of keys) {
    roll -= key.weight;
    if (roll <= 0) return key;
  }
  return keys[0] as SeededKey;
}

/** Records this many requests, with balances and ledger. */
export async function addRequests(
  store: Store,
  keys: readonly SeededKey[],
  random: Random,
  count: number,
): Promise<void> {
  const catalog = await store.loadCatalog();
  const served = (catalog?.models ?? []).filter((model) => model.price !== undefined && model.id !== "demo");
  const nowMs = Date.now();
  const moments = Array.from({ length: count }, () => momentOf(random, nowMs)).sort((a, b) => a - b);
  // No two at the same time: lists put those in the order of their ids, which are random.
  for (let at = count - 2; at >= 0; at -= 1) {
    moments[at] = Math.min(moments[at] as number, (moments[at + 1] as number) - 1);
  }
  const pending: Promise<void>[] = [];
  for (const at of moments) {
    const key = drawKey(random, keys);
    const model = served[Math.floor(random.next() ** 1.7 * served.length)] as Model;
    const newId = createIdFactory({ wallMs: () => at, elapsedMs: () => 0 });
    pending.push(store.recordRequest(rowOf(random, key, model, at, newId("req"))));
    if (pending.length >= 500) await Promise.all(pending.splice(0));
  }
  await Promise.all(pending);
}
