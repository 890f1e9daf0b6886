/**
 * The cost of limits per request: admit, start and end with limits of three kinds on key, account and
 * installation, with slices available; and the memory of keys with limits. Run: node --expose-gc
 * bench/micro/limits.ts [--keys N] [--rounds N]
 */
import { parseArgs } from "node:util";
import { lendSlice, newBucket, type SliceAsk } from "../../server/src/domain/limits/limit.ts";
import { createLimits, type LimitRequest } from "../../server/src/gateway/limits/limits.ts";
import type { Caller } from "../../server/src/gateway/request/authenticate.ts";
import { systemClock } from "../../server/src/lib/time/clock.ts";
import { median } from "../measure/statistics.ts";

const { values: options } = parseArgs({
  options: {
    keys: { type: "string", default: "100000" },
    rounds: { type: "string", default: "7" },
  },
});

const perRound = 200_000;
const large = 1_000_000_000;

const grantOf = (ask: SliceAsk) => lendSlice(newBucket(ask, 0), 0, ask, 0).grant;

const limits = createLimits({
  store: {
    takeSlices: async (_holder, asks) => ({ status: "granted", grants: asks.map(grantOf), holders: 1 }),
  },
  clock: systemClock,
  log: { debug() {}, info() {}, warn() {}, error() {} },
  holder: { holderId: "hld_bench", isValid: true, beat: async () => {} },
  later(ms, then) {
    const timer = setTimeout(then, ms).unref();
    return () => clearTimeout(timer);
  },
});

const callerOf = (number: number): Caller =>
  ({
    key: {
      id: `key_${String(number).padStart(22, "0")}`,
      accountId: "acc_bench",
      requestsPerMinute: large,
      tokensPerMinute: large,
      concurrency: large,
    },
    accountLimits: { requestsPerMinute: large, tokensPerMinute: large, concurrency: large },
    models: undefined,
  }) as unknown as Caller;

const snapshot = {
  limits: {},
  installation: { requestsPerMinute: large, tokensPerMinute: large, concurrency: large },
};

const requestOf = (caller: Caller): LimitRequest => ({
  caller,
  snapshot,
  model: { id: "gpt-5-mini" },
  inputTokens: 300,
  outputTokens: 200,
  answers: 1,
  maxOutput: undefined,
});

async function hotPath(): Promise<void> {
  const request = requestOf(callerOf(0));
  const figures: number[] = [];
  let waits = 0;
  for (let round = 0; round < Number(options.rounds); round += 1) {
    const startedMs = performance.now();
    for (let index = 0; index < perRound; index += 1) {
      const admitting = limits.admit(request);
      const admitted = admitting instanceof Promise ? await admitting : admitting;
      if (admitting instanceof Promise) waits += 1;
      admitted.start();
      admitted.end(450);
    }
    figures.push(((performance.now() - startedMs) * 1_000) / perRound);
    limits.tick();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const headersMs = performance.now();
  for (let index = 0; index < perRound; index += 1) limits.headers(request);
  const perHeaders = ((performance.now() - headersMs) * 1_000) / perRound;
  process.stdout.write(
    `admit + start + end, 9 limits: ${median(figures).toFixed(2)} us (waited for the store ${waits} times); headers: ${perHeaders.toFixed(2)} us\n`,
  );
}

function memoryBytes(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

async function weight(): Promise<void> {
  const count = Number(options.keys);
  // Create the callers before measuring, since they exist without limits too.
  const callers = Array.from({ length: count }, (_, index) => callerOf(index + 1));
  const before = memoryBytes();
  for (const caller of callers) {
    const admitted = await limits.admit(requestOf(caller));
    admitted.start();
    admitted.end(450);
  }
  const grown = memoryBytes() - before;
  process.stdout.write(
    `${count} keys with limits of three kinds: ${(grown / 2 ** 20).toFixed(1)} MiB more (${limits.counts.subjects} limits in memory)\n`,
  );
  const startedMs = performance.now();
  limits.tick();
  process.stdout.write(
    `one tick with all of them in use: ${(performance.now() - startedMs).toFixed(1)} ms\n`,
  );
  process.exitCode = callers.length === count ? 0 : 1;
}

await hotPath();
await weight();
await limits.close();
