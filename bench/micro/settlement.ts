/**
 * CPU of the storage thread alone per settled request, then per request added to the numbers of use, and per
 * request copied into the lists of accounts, in batches as a busy server makes them. Each line is one
 * database: rows that were there before, and accounts that pay.
 * Then, without `--only`, the bytes a request adds to the database with all of that, and how many are settled
 * in a second by one storage thread and by `--threads` of them at once, as many processes would.
 * Run: node bench/micro/settlement.ts [--rows 1000,1000000] [--accounts 10,10000] [--batch 20]
 * [--settled 40000] [--rounds 3] [--piece 60] [--fill 100] [--only settle|rollup]
 * [--database sqlite|postgres] [--threads 4] [--dir DIRECTORY]
 */
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
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
import { openInThread } from "../../server/src/store/thread/client.ts";
import type { DatabaseTarget } from "../../server/src/store/thread/messages.ts";
import { newThreads } from "../../server/src/store/thread/start.ts";
import { startPostgres } from "../../test/postgres/server.ts";
import { median } from "../measure/statistics.ts";
import { fillLedger } from "./fill-ledger.ts";
import { charge, chargedBatch, takeLeases } from "./settling.ts";

const { values: options } = parseArgs({
  options: {
    rows: { type: "string", default: "1000,100000,1000000" },
    accounts: { type: "string", default: "10,1000,10000" },
    batch: { type: "string", default: "20" },
    settled: { type: "string", default: "40000" },
    rounds: { type: "string", default: "3" },
    piece: { type: "string", default: "60" },
    fill: { type: "string", default: "100" },
    only: { type: "string" },
    threads: { type: "string", default: "4" },
    database: { type: "string", default: "sqlite" },
    dir: { type: "string", default: tmpdir() },
  },
});

const listOf = (text: string): number[] => text.split(",").map(Number);
const batchRows = Number(options.batch);
const settledPerRound = Number(options.settled);
const newId = createIdFactory(systemClock);
/** As `control/background/usage-rollup.ts`: what pieces of sums and of lists should take, in milliseconds. */
const pieceMs = Number(options.piece);
const fillMs = Number(options.fill);
const pieceMin = 100;
const pieceMax = 20_000;

/** CPU so far, in microseconds: of the thread, and of the database server's sessions. */
interface Reading {
  readonly thread: number;
  readonly server: number;
}

type ThreadSettings = Parameters<typeof openInThread>[0];

type Meter = () => Promise<Reading>;

const clockTickUs = 10_000;

/** User and system time of all children of a process. */
function childrenUs(parent: number | undefined): number {
  if (parent === undefined) return 0;
  let ticks = 0;
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
      if (Number(fields[1]) === parent) ticks += Number(fields[11]) + Number(fields[12]);
    } catch {
      // It ended meanwhile.
    }
  }
  return ticks * clockTickUs;
}

const meterOf =
  (worker: Worker, serverPid: number | undefined): Meter =>
  async () => {
    const { user, system } = await worker.cpuUsage();
    return { thread: user + system, server: childrenUs(serverPid) };
  };

/** CPU per row in microseconds: of the thread, and of the server. */
interface Cost {
  readonly threadUs: number;
  readonly serverUs: number;
}

async function measured(meter: Meter, work: () => Promise<number>): Promise<Cost> {
  const before = await meter();
  const rows = await work();
  const after = await meter();
  return { threadUs: (after.thread - before.thread) / rows, serverUs: (after.server - before.server) / rows };
}

async function settle(core: StoreCore, accountIds: readonly string[], holderId: string): Promise<number> {
  for (let row = 0; row < settledPerRound; row += batchRows) {
    const batch = chargedBatch(batchRows, { accountIds, holderId, newId, nowMs: systemClock.wallMs() });
    const { faults } = await core.commitLedger(batch);
    if (faults.length > 0) throw new Error(faults[0]?.message);
  }
  return settledPerRound;
}

/** Bytes of the database's file, or of what the server keeps of it. */
async function bytesOf(database: DatabaseTarget): Promise<number> {
  if (database.kind === "sqlite") {
    const connection = new DatabaseSync(database.file);
    connection.exec("pragma wal_checkpoint(passive)");
    connection.close();
    return statSync(database.file).size;
  }
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query("select pg_database_size(current_database()) as bytes");
  await client.end();
  return Number(rows[0].bytes);
}

/** Requests settled in a second by several threads at once, each one batch after the other. */
async function rateOf(
  settings: ThreadSettings,
  threads: number,
  accountIds: readonly string[],
): Promise<number> {
  const cores = await Promise.all(Array.from({ length: threads }, () => openInThread(settings, newThreads)));
  const holders = cores.map(() => newId("hld"));
  for (const [index, core] of cores.entries()) {
    await core.openHolder(holders[index] as string);
    await takeLeases(core, accountIds, holders[index] as string);
  }
  const beganMs = systemClock.elapsedMs();
  const settled = await Promise.all(
    cores.map((core, index) => settle(core, accountIds, holders[index] as string)),
  );
  const seconds = (systemClock.elapsedMs() - beganMs) / 1_000;
  await Promise.all(cores.map((core) => core.close()));
  return settled.reduce((sum, rows) => sum + rows, 0) / seconds;
}

/** Adds everything up, in pieces that the server would make. */
async function rollUp(core: StoreCore): Promise<number> {
  let total = 0;
  let piece = pieceMin;
  for (let rows = piece; rows >= piece; ) {
    const beganMs = systemClock.elapsedMs();
    rows = await core.rollUpUsage(piece);
    total += rows;
    if (rows < piece) break;
    const tookMs = Math.max(1, systemClock.elapsedMs() - beganMs);
    const fitting = Math.floor((piece * pieceMs) / tookMs);
    piece = Math.min(pieceMax, Math.max(pieceMin, Math.min(fitting, piece * 2)));
    rows = piece;
  }
  return Math.max(total, 1);
}

/** Copies everything into the lists of accounts, in pieces that the server would make. */
async function fillLists(core: StoreCore): Promise<number> {
  let piece = pieceMin;
  for (;;) {
    const beganMs = systemClock.elapsedMs();
    if (!(await core.fillAccountLists(piece, 0))) return settledPerRound;
    const tookMs = Math.max(1, systemClock.elapsedMs() - beganMs);
    const fitting = Math.floor((piece * fillMs) / tookMs);
    piece = Math.min(pieceMax, Math.max(pieceMin, Math.min(fitting, piece * 2)));
  }
}

const figure = (costs: readonly Cost[]): string => {
  const thread = median(costs.map(({ threadUs }) => threadUs));
  const server = median(costs.map(({ serverUs }) => serverUs));
  return `${thread.toFixed(1).padStart(6)} us${server > 0 ? ` (server ${server.toFixed(1)} us)` : ""}`;
};

async function measureDatabase(
  database: DatabaseTarget,
  serverPid: number | undefined,
  before: number,
  accounts: number,
): Promise<void> {
  let worker: Worker | undefined;
  const settings = {
    ...{ database, secretKey: randomBytes(32), busyTimeoutMs: 5_000, statementTimeoutMs: 60_000 },
    connectionsMax: 8,
  };
  const core = await openInThread(settings, {
    ...newThreads,
    take() {
      worker = newThreads.take();
      return worker;
    },
  });
  try {
    await core.migrate();
    const accountIds = Array.from({ length: accounts }, () => newId("acc"));
    const balance = 1_000_000_000_000_000n;
    await fillLedger(database, {
      accountIds,
      balance,
      rows: before,
      charge,
      priceId: 1,
      nowMs: systemClock.wallMs(),
    });
    const holderId = newId("hld");
    await core.openHolder(holderId);
    await takeLeases(core, accountIds, holderId);
    const meter = meterOf(worker as Worker, serverPid);
    await rollUp(core);
    await fillLists(core);
    await settle(core, accountIds, holderId);
    await rollUp(core);
    await fillLists(core);
    const bytesBefore = await bytesOf(database);
    const settling: Cost[] = [];
    const adding: Cost[] = [];
    const copying: Cost[] = [];
    for (let round = 0; round < Number(options.rounds); round++) {
      settling.push(await measured(meter, () => settle(core, accountIds, holderId)));
      if (options.only === "settle") continue;
      adding.push(await measured(meter, () => rollUp(core)));
      copying.push(await measured(meter, () => fillLists(core)));
    }
    const parts = [`${String(before).padStart(8)} rows, ${String(accounts).padStart(6)} accounts:`];
    if (options.only !== "rollup") parts.push(`settle ${figure(settling)}`);
    if (options.only !== "settle") parts.push(`roll-up ${figure(adding)}`, `lists ${figure(copying)}`);
    if (options.only === undefined) {
      const added = (await bytesOf(database)) - bytesBefore;
      parts.push(`${Math.round(added / (Number(options.rounds) * settledPerRound))} bytes a request`);
      for (const threads of [1, Number(options.threads)])
        parts.push(`${Math.round(await rateOf(settings, threads, accountIds))}/s by ${threads}`);
    }
    console.log(parts.join("  "));
  } finally {
    await core.close();
  }
}

console.log(`${options.database}, CPU of the storage thread per request, batches of ${batchRows}`);
const postgres = options.database === "postgres" ? await startPostgres({ isSynced: true }) : undefined;
try {
  for (const before of listOf(options.rows)) {
    for (const accounts of listOf(options.accounts)) {
      const directory = await mkdtemp(join(options.dir, "settlement-bench-"));
      const database: DatabaseTarget =
        postgres === undefined
          ? { kind: "sqlite", file: join(directory, "plaza.db") }
          : { kind: "postgres", url: await postgres.newDatabase() };
      await measureDatabase(database, postgres?.pid(), before, accounts);
      await rm(directory, { recursive: true });
      if (database.kind === "postgres") await postgres?.freeDatabase(database.url);
    }
  }
} finally {
  await postgres?.close();
}
