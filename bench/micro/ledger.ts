/**
 * What a charged request costs: hold in memory, charge, group commit with row, ledger entry, balance and lease. Settlements
 * per second and their latency, over many accounts or one, with as many ledger rows before as asked.
 * Run: node bench/micro/ledger.ts [--accounts N] [--callers N] [--rows N] [--rounds N] [--before ROWS] [--database postgres://…] [--dir DIRECTORY]
 */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { nanoUsd } from "@plaza/contract/money.ts";
import { createLeases } from "../../server/src/gateway/leases.ts";
import { systemClock } from "../../server/src/lib/clock.ts";
import { createIdFactory } from "../../server/src/lib/id.ts";
import { createLog } from "../../server/src/lib/log.ts";
import { holderLifeMs } from "../../server/src/store/holder-life.ts";
import { openStore } from "../../server/src/store/open.ts";
import type { RequestRow, Store } from "../../server/src/store/store.ts";
import { median, percentile } from "../statistics.ts";

const { values: options } = parseArgs({
  options: {
    accounts: { type: "string", default: "1000" },
    callers: { type: "string", default: "64" },
    rows: { type: "string", default: "40000" },
    rounds: { type: "string", default: "5" },
    before: { type: "string", default: "0" },
    database: { type: "string" },
    dir: { type: "string", default: tmpdir() },
  },
});

const newId = createIdFactory(systemClock);
const accountIds = Array.from({ length: Number(options.accounts) }, () => newId("acc"));
const hold = 4_000_000n;
const charge = nanoUsd(2_100_000n);

const newRow = (accountId: string): RequestRow => ({
  id: newId("req"),
  createdAt: systemClock.wallMs(),
  accountId,
  keyId: "key_bench",
  modelId: "gpt-5-mini",
  upstreamId: "main",
  upstreamModel: "gpt-5-mini-2026-01-01",
  isStream: false,
  status: 200,
  state: "complete",
  errorCode: null,
  attempts: 1,
  inputTokens: 1200,
  cachedInputTokens: 300,
  cacheWriteTokens: 0,
  outputTokens: 350,
  reasoningTokens: 50,
  usageSource: "exact",
  firstTokenMs: 210,
  durationMs: 4200,
  usageParts: null,
  attemptLog: null,
  priceId: 1,
  cost: null,
  charge,
});

async function fill(store: Store): Promise<void> {
  for (let from = 0; from < accountIds.length; from += 100) {
    const some = accountIds.slice(from, from + 100);
    await Promise.all(
      some.map((id) => store.createAccount({ id, name: "bench", balance: nanoUsd(1_000_000_000_000_000n) })),
    );
  }
}

const directory = await mkdtemp(join(options.dir, "ledger-bench-"));
const file = join(directory, "plaza.db");
const store = await openStore({
  database:
    options.database === undefined ? { kind: "sqlite", file } : { kind: "postgres", url: options.database },
  secretKey: randomBytes(32),
});
await store.migrate();
await fill(store);
const leases = createLeases({
  store,
  clock: systemClock,
  log: createLog({ level: "warn", clock: systemClock, write: (line) => process.stderr.write(line) }),
  newHolderId: () => newId("hld"),
  holderLifeMs,
  sleep,
});
await leases.open();
const tick = setInterval(() => leases.tick(), 1_000);

/** `callers` loops, each settling its next request when its last is durable. */
async function measure(callers: number, rows: number) {
  const latencies: number[] = [];
  let left = rows;
  const loop = async () => {
    while (left-- > 0) {
      const accountId = accountIds[left % accountIds.length] as string;
      const placed = await leases.hold(
        { kind: "account", id: accountId, ownerId: accountId },
        { amount: hold, atLeast: hold },
      );
      if (!("purse" in placed)) throw new Error(`no hold: ${placed.kind}`);
      const beganMs = systemClock.elapsedMs();
      const { fromLease, release } = placed.purse.end(placed, charge);
      await store.recordRequest(newRow(accountId), {
        holderId: placed.holderId,
        account: { fromLease: nanoUsd(fromLease), release: nanoUsd(release) },
      });
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
    perSecond: rows / seconds,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
  };
}

try {
  if (Number(options.before) > 0) await measure(500, Number(options.before));
  const figures = [];
  for (let round = 1; round <= Number(options.rounds); round++) {
    const figure = await measure(Number(options.callers), Number(options.rows));
    figures.push(figure);
    console.log(
      `round ${round}: ${Math.round(figure.perSecond)} settlements/s, ${figure.cpuUs.toFixed(1)} us CPU each, p50 ${figure.p50Ms.toFixed(2)} ms, p99 ${figure.p99Ms.toFixed(2)} ms`,
    );
  }
  const where = options.database === undefined ? "SQLite" : "PostgreSQL";
  console.log(
    `median ${Math.round(median(figures.map(({ perSecond }) => perSecond)))} settlements/s, ${median(figures.map(({ cpuUs }) => cpuUs)).toFixed(1)} us CPU each: ${where}, ${options.accounts} accounts, ${options.callers} callers, ${options.before} rows before`,
  );
  const began = systemClock.elapsedMs();
  const report = await store.verifyLedger();
  console.log(
    `ledger ${report.isOk ? "adds up" : JSON.stringify(report.findings.slice(0, 3))}: ${report.entries} entries verified in ${Math.round(systemClock.elapsedMs() - began)} ms`,
  );
  if (options.database === undefined)
    console.log(`file ${((await stat(file)).size / 2 ** 20).toFixed(0)} MB`);
} finally {
  clearInterval(tick);
  await leases.close();
  await store.close();
  await rm(directory, { recursive: true });
}
