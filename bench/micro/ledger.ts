/**
 * The cost of a charged request: hold in memory, charge, group commit of row, ledger entry, balance and
 * lease. Settlements per second and their latency, for many accounts or one, after a given number of existing
 * ledger rows. Run: node bench/micro/ledger.ts [--accounts N] [--callers N] [--rows N] [--rounds N] [--before
 * ROWS] [--database postgres://…] [--dir DIRECTORY]
 */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { Catalog } from "@plaza/contract/catalog.ts";
import { nanoUsd, parseUsd } from "@plaza/contract/money.ts";
import { createLeases } from "../../server/src/gateway/money/leases.ts";
import { createIdFactory } from "../../server/src/lib/id.ts";
import { createLog } from "../../server/src/lib/telemetry/log.ts";
import { systemClock } from "../../server/src/lib/time/clock.ts";
import { holderLifeMs } from "../../server/src/store/ledger/lease-shapes.ts";
import { openStore } from "../../server/src/store/open.ts";
import type { RequestRow } from "../../server/src/store/requests/shapes.ts";
import { median } from "../measure/statistics.ts";
import { fillLedger } from "./fill-ledger.ts";
import { measureRows, usualRow } from "./settling.ts";

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
/** The charge of the usual row at the price below. */
const charge = nanoUsd(1_007_500n);

const newRow = (accountId: string): RequestRow => ({
  ...usualRow,
  id: newId("req"),
  createdAt: systemClock.wallMs(),
  accountId,
  keyId: "key_bench",
  priceId,
  charge,
});

const catalog: Catalog = {
  upstreams: [],
  models: [
    {
      id: usualRow.modelId,
      name: "bench",
      price: { input: parseUsd("0.25"), cachedInput: parseUsd("0.025"), output: parseUsd("2") },
      deployments: [],
    },
  ],
  limits: {},
};

const directory = await mkdtemp(join(options.dir, "ledger-bench-"));
const file = join(directory, "plaza.db");
const database =
  options.database === undefined
    ? ({ kind: "sqlite", file } as const)
    : ({ kind: "postgres", url: options.database } as const);
const store = await openStore({ database, secretKey: randomBytes(32) });
await store.migrate();
await store.applyCatalog(catalog);
const priceId = (await store.loadCatalog())?.models[0]?.priceRows?.[0]?.id ?? 0;
await fillLedger(database, {
  accountIds,
  balance: 1_000_000_000_000_000n,
  rows: Number(options.before),
  charge,
  priceId,
  nowMs: systemClock.wallMs(),
});
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

/** One hold and its settlement; resolves with the time at which the wait for the commit began. */
async function settleOne(number: number): Promise<number> {
  const accountId = accountIds[number % accountIds.length] as string;
  const placed = await leases.hold(
    { kind: "account", id: accountId, ownerId: accountId },
    { amount: hold, atLeast: hold },
  );
  if (!("leasePool" in placed)) throw new Error(`no hold: ${placed.kind}`);
  const beganMs = systemClock.elapsedMs();
  const { fromLease, release } = placed.leasePool.end(placed, charge);
  await store.recordRequest(newRow(accountId), {
    holderId: placed.holderId,
    account: { fromLease: nanoUsd(fromLease), release: nanoUsd(release) },
  });
  return beganMs;
}

try {
  const figures = [];
  for (let round = 1; round <= Number(options.rounds); round++) {
    const figure = await measureRows(Number(options.callers), Number(options.rows), settleOne);
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
