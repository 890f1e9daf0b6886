/** For tests: two weeks of random requests, recorded and summed. */
import { nanoUsd } from "@plaza/contract/money.ts";
import type { seededRandom } from "../../../../test/rigs/harness/random.ts";
import type { RequestRow } from "../requests/shapes.ts";
import type { Store } from "../store.ts";
import { requestRow } from "./behaviour/requests.ts";

/** The two weeks around the night in 2025 when Berlin's clocks went back. */
export const fromMs = Date.parse("2025-10-20T00:00:00Z");
export const toMs = Date.parse("2025-11-03T00:00:00Z");
export const days = (toMs - fromMs) / 86_400_000;

export const states = ["complete", "complete", "complete", "incomplete", "aborted", "failed"] as const;
export const errors = ["upstream_error", "rate_limit_exceeded", "model_not_found", "overloaded"] as const;
const operations = ["chat", "chat", "chat", "embeddings", "completion"] as const;
type Random = ReturnType<typeof seededRandom>;

/** A random row; ids are not in time order. */
export function randomRow(random: Random, number: number): RequestRow {
  const state = random.pick(states);
  const account = random.int(1, 3);
  const errorCode = state === "failed" ? random.pick(errors) : null;
  const tokens = () => random.int(0, 5_000);
  return requestRow(number, {
    id: `req_${random.int(0, 1_000_000)}_${number}`,
    createdAt: fromMs + random.int(0, days * 86_400_000 - 1),
    accountId: `acc_${account}`,
    keyId: `key_${account}_${random.int(1, 2)}`,
    modelId: random.chance(0.1) ? null : `model/${random.int(1, 3)}`,
    operation: random.pick(operations),
    isStream: random.chance(0.7),
    status: state === "failed" ? (errorCode === "upstream_error" ? 502 : 429) : 200,
    state,
    errorCode,
    inputTokens: tokens(),
    cachedInputTokens: tokens(),
    cacheWriteTokens: tokens(),
    outputTokens: tokens(),
    reasoningTokens: 0,
    firstTokenMs: state === "failed" ? null : random.int(1, 3_000),
    durationMs: random.int(3_000, 9_000),
    cost: random.chance(0.2) ? null : nanoUsd(BigInt(random.int(0, 1_000_000))),
  });
}

export async function record(store: Store, rows: readonly RequestRow[]): Promise<void> {
  await Promise.all(rows.map((row) => store.recordRequest(row)));
}

export async function rollUpAll(store: Store, rowsMax = 1_000): Promise<number> {
  let sum = 0;
  for (let rows = -1, idle = 0; idle < 2; idle = rows === 0 ? idle + 1 : 0) {
    rows = await store.rollUpUsage(rowsMax);
    sum += rows;
  }
  return sum;
}

export const maybe = <T>(random: Random, chance: number, value: () => T): T | undefined =>
  random.chance(chance) ? value() : undefined;

export function randomFilter(random: Random) {
  const someModel = () => random.pick(["model/1", "model/2", "", "model/absent"]);
  return {
    accounts: maybe(random, 0.5, () => [`acc_${random.int(1, 4)}`]),
    keys: maybe(random, 0.3, () => [`key_${random.int(1, 3)}_1`, `key_${random.int(1, 3)}_2`]),
    models: maybe(random, 0.4, () => [someModel(), someModel()]),
    operations: maybe(random, 0.3, () => [random.pick(operations), random.pick(operations)]),
  };
}
