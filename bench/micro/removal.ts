/**
 * What it costs to remove requests after some days, and whether the database stays as large as it is. Each
 * turn settles a day's requests, adds them up, and removes those of the oldest day: CPU of the storage thread
 * per request, the size of the database, and how many are removed in a second.
 * Run: node bench/micro/removal.ts [--day 50000] [--days 4] [--turns 8] [--accounts 1000] [--batch 20]
 * [--database sqlite|postgres] [--archive csv|parquet] [--dir DIRECTORY]
 */
import { randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { parseArgs } from "node:util";
import type { Worker } from "node:worker_threads";
import pg from "pg";
import { createIdFactory } from "../../server/src/lib/id.ts";
import { systemClock } from "../../server/src/lib/time/clock.ts";
import type { StoreCore } from "../../server/src/store/core.ts";
import type { Archive } from "../../server/src/store/retention/shapes.ts";
import { openInThread } from "../../server/src/store/thread/client.ts";
import type { DatabaseTarget } from "../../server/src/store/thread/messages.ts";
import { newThreads } from "../../server/src/store/thread/start.ts";
import { startPostgres } from "../../test/postgres/server.ts";
import { fillLedger } from "./fill-ledger.ts";
import { charge, chargedBatch, takeLeases } from "./settling.ts";

const { values: options } = parseArgs({
  options: {
    day: { type: "string", default: "50000" },
    days: { type: "string", default: "4" },
    turns: { type: "string", default: "8" },
    accounts: { type: "string", default: "1000" },
    batch: { type: "string", default: "20" },
    database: { type: "string", default: "sqlite" },
    archive: { type: "string" },
    dir: { type: "string", default: tmpdir() },
  },
});
const [perDay, days, turns, accounts, batchRows] = [
  options.day,
  options.days,
  options.turns,
  options.accounts,
  options.batch,
].map(Number) as [number, number, number, number, number];

const dayMs = 86_400_000;
/** As `control/background/row-removal.ts`. */
const removedTogether = 1_000;
const piece = 5_000;

/** The day that is settled; a day of the bench takes seconds. */
let nowMs = Math.floor(Date.UTC(2026, 0, 1) / dayMs) * dayMs;
const newId = createIdFactory({ wallMs: () => nowMs, elapsedMs: () => 0 });

interface Size {
  readonly database: number;
  /** Of `requests` with its indexes. */
  readonly requests: number;
}

/** PostgreSQL is vacuumed before, as it does itself within a day. */
async function sizeOf(database: DatabaseTarget): Promise<Size> {
  if (database.kind === "sqlite") {
    const connection = new DatabaseSync(database.file);
    connection.exec("pragma wal_checkpoint(passive)");
    const row = connection
      .prepare("select (select freelist_count from pragma_freelist_count) * 4096 as free")
      .get();
    connection.close();
    const { size } = statSync(database.file);
    return { database: size, requests: size - Number(row?.["free"] ?? 0) };
  }
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query("vacuum analyze requests");
  const { rows } = await client.query(
    "select pg_database_size(current_database()) as database, pg_total_relation_size('requests') as requests",
  );
  await client.end();
  return { database: Number(rows[0].database), requests: Number(rows[0].requests) };
}

async function cpuOf(
  worker: Worker,
  work: () => Promise<number>,
): Promise<{ us: number; perSecond: number }> {
  const before = await worker.cpuUsage();
  const beganMs = systemClock.elapsedMs();
  const rows = await work();
  const after = await worker.cpuUsage();
  const us = (after.user + after.system - before.user - before.system) / Math.max(1, rows);
  return { us, perSecond: (rows * 1_000) / (systemClock.elapsedMs() - beganMs) };
}

async function settleDay(core: StoreCore, accountIds: readonly string[], holderId: string): Promise<number> {
  const startMs = nowMs;
  for (let row = 0; row < perDay; row += batchRows) {
    nowMs = startMs + Math.floor((row / perDay) * (dayMs - 1));
    const { faults } = await core.commitLedger(
      chargedBatch(batchRows, { accountIds, holderId, newId, nowMs }),
    );
    if (faults.length > 0) throw new Error(faults[0]?.message);
  }
  nowMs = startMs + dayMs;
  return perDay;
}

async function addUp(core: StoreCore): Promise<void> {
  for (let idle = 0; idle < 2; idle = (await core.rollUpUsage(piece)) === 0 ? idle + 1 : 0);
  while (await core.fillAccountLists(piece, 0));
}

async function removeBefore(
  core: StoreCore,
  beforeMs: number,
  archive: Archive | undefined,
): Promise<number> {
  for (let removed = 0; ; ) {
    const step = await core.removeRequests({
      beforeMs,
      archive,
      processId: "bench",
      rowsMax: removedTogether,
    });
    removed += step.removed;
    if (!step.isMore) return removed;
  }
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;

async function run(database: DatabaseTarget, archive: Archive | undefined): Promise<void> {
  let worker: Worker | undefined;
  const settings = {
    ...{ database, secretKey: randomBytes(32), busyTimeoutMs: 5_000, statementTimeoutMs: 60_000 },
    connectionsMax: 8,
  };
  const take = () => {
    worker = newThreads.take();
    return worker;
  };
  const core = await openInThread(settings, { ...newThreads, take });
  try {
    await core.migrate();
    const accountIds = Array.from({ length: accounts }, () => newId("acc"));
    await fillLedger(database, {
      accountIds,
      balance: 1_000_000_000_000_000n,
      rows: 0,
      charge,
      priceId: 1,
      nowMs,
    });
    const holderId = newId("hld");
    await core.openHolder(holderId);
    await takeLeases(core, accountIds, holderId);
    for (let turn = 1; turn <= turns; turn++) {
      const settled = await cpuOf(worker as Worker, () => settleDay(core, accountIds, holderId));
      await addUp(core);
      const beforeMs = nowMs - days * dayMs;
      const removed = await cpuOf(worker as Worker, () => removeBefore(core, beforeMs, archive));
      const bytes = await sizeOf(database);
      const size = `${megabytes(bytes.database)}, ${database.kind === "sqlite" ? "in use" : "requests"} ${megabytes(bytes.requests)}`;
      const gone =
        turn > days ? `removed ${removed.us.toFixed(1)} us, ${removed.perSecond.toFixed(0)}/s` : "";
      console.log(`day ${String(turn).padStart(2)}  settle ${settled.us.toFixed(1)} us  ${size}  ${gone}`);
    }
  } finally {
    await core.close();
  }
}

console.log(`${options.database}, ${perDay} requests a day, kept for ${days} days, ${accounts} accounts`);
const postgres = options.database === "postgres" ? await startPostgres({ isSynced: true }) : undefined;
const directory = await mkdtemp(join(options.dir, "removal-bench-"));
try {
  const database: DatabaseTarget =
    postgres === undefined
      ? { kind: "sqlite", file: join(directory, "plaza.db") }
      : { kind: "postgres", url: await postgres.newDatabase() };
  const format = options.archive === "parquet" ? "parquet" : "csv";
  await run(database, options.archive === undefined ? undefined : { folder: directory, format });
} finally {
  await rm(directory, { recursive: true });
  await postgres?.close();
}
