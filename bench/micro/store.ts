/**
 * What a recorded request costs: CPU of the whole process (event loop and storage thread together) per row, latency, and
 * the memory the storage thread adds. Run: node bench/micro/store.ts [--callers N] [--accounts N] [--rows N] [--rounds N] [--dir DIRECTORY]
 */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { nanoUsd } from "@plaza/contract/money.ts";
import { systemClock } from "../../server/src/lib/clock.ts";
import { createIdFactory } from "../../server/src/lib/id.ts";
import { openStore } from "../../server/src/store/open.ts";
import type { RequestRow, Store } from "../../server/src/store/store.ts";
import { median, percentile } from "../statistics.ts";

const { values: options } = parseArgs({
  options: {
    // Rows of many accounts touch many pages of the index by account: the cost depends on it.
    accounts: { type: "string", default: "10" },
    callers: { type: "string", default: "64" },
    rows: { type: "string", default: "40000" },
    rounds: { type: "string", default: "6" },
    dir: { type: "string", default: tmpdir() },
  },
});
const newId = createIdFactory(systemClock);
const accountIds = Array.from({ length: Number(options.accounts) }, () => newId("acc"));
const keyIds = accountIds.map(() => newId("key"));

function newRow(number: number): RequestRow {
  const index = number % accountIds.length;
  return {
    id: newId("req"),
    createdAt: systemClock.wallMs(),
    accountId: accountIds[index] as string,
    keyId: keyIds[index] as string,
    modelId: "gpt-5-mini",
    upstreamId: "main",
    upstreamModel: "gpt-5-mini-2026-01-01",
    isStream: true,
    status: 200,
    state: "complete",
    errorCode: null,
    attempts: 1,
    inputTokens: 1200 + index,
    cachedInputTokens: 300,
    cacheWriteTokens: 0,
    outputTokens: 350 + index,
    reasoningTokens: 50,
    usageSource: "exact",
    firstTokenMs: 210,
    durationMs: 4200,
    usageParts: null,
    attemptLog: null,
    priceId: null,
    cost: null,
    charge: nanoUsd(0n),
  };
}

interface Round {
  readonly cpuUs: number;
  readonly rowsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** `callers` loops, each recording its next row when its last is durable. */
async function measure(store: Pick<Store, "recordRequest">, callers: number, rows: number): Promise<Round> {
  const latencies: number[] = [];
  let left = rows;
  const loop = async () => {
    while (left-- > 0) {
      const beganMs = systemClock.elapsedMs();
      await store.recordRequest(newRow(left));
      latencies.push(systemClock.elapsedMs() - beganMs);
    }
  };
  const beganMs = systemClock.elapsedMs();
  const before = process.cpuUsage();
  await Promise.all(Array.from({ length: callers }, loop));
  const { user, system } = process.cpuUsage(before);
  const seconds = (systemClock.elapsedMs() - beganMs) / 1000;
  return {
    cpuUs: (user + system) / rows,
    rowsPerSecond: rows / seconds,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
  };
}

const megabytes = (): number => process.memoryUsage().rss / 1024 ** 2;

const directory = await mkdtemp(join(options.dir, "store-bench-"));
const file = join(directory, "plaza.db");
const restingMs = 1_000;
try {
  await setTimeout(restingMs);
  const rssBefore = megabytes();
  const store = await openStore({ database: { kind: "sqlite", file }, secretKey: randomBytes(32) });
  await store.migrate();
  await store.loadCatalog();
  await setTimeout(restingMs);
  const rssOpen = megabytes();
  console.log(
    `RSS before ${rssBefore.toFixed(1)} MB, store open and migrated +${(rssOpen - rssBefore).toFixed(1)} MB`,
  );
  const nowhere = { recordRequest: () => Promise.resolve() };
  await measure(nowhere, Number(options.callers), Number(options.rows));
  const own = await measure(nowhere, Number(options.callers), Number(options.rows));
  console.log(`the bench itself: ${own.cpuUs.toFixed(2)} us CPU/row, contained in the figures below`);
  const costs: number[] = [];
  for (let round = 1; round <= Number(options.rounds); round++) {
    const { cpuUs, rowsPerSecond, p50Ms, p99Ms } = await measure(
      store,
      Number(options.callers),
      Number(options.rows),
    );
    costs.push(cpuUs);
    console.log(
      `round ${round}: ${cpuUs.toFixed(2)} us CPU/row, ${Math.round(rowsPerSecond)} rows/s, p50 ${p50Ms.toFixed(2)} ms, p99 ${p99Ms.toFixed(2)} ms`,
    );
  }
  await setTimeout(restingMs);
  const fileMb = (await stat(file)).size / 1024 ** 2;
  console.log(
    `median ${median(costs).toFixed(2)} us CPU/row at ${options.callers} callers, ${options.accounts} accounts`,
  );
  console.log(`RSS at the end +${(megabytes() - rssBefore).toFixed(1)} MB, file ${fileMb.toFixed(1)} MB`);
  await store.close();
} finally {
  await rm(directory, { recursive: true });
}
