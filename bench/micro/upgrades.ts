/**
 * How long an upgrade takes with many requests in the database: a database of an older schema is filled, then
 * a server of this checkout starts on it. Measured are the time until it is ready, and until every migration
 * has run, with the server running and `plaza migrate` called as docs/operate/upgrades.md says.
 * Run: node bench/micro/upgrades.ts [--rows 100000] [--from 22,29] [--database sqlite|postgres]
 * [--dir DIRECTORY] [--only fill|ready] [--keep FOLDER]
 * In pieces on SQLite: `--keep FOLDER --only fill` leaves the filled database in a folder, from which
 * `--keep FOLDER` goes on. `--only ready` stops there, and does not verify the ledger.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { nanoUsd } from "@plaza/contract/money.ts";
import pg from "pg";
import { loadOrCreateKeyFile } from "../../server/src/lib/secret.ts";
import { systemClock } from "../../server/src/lib/time/clock.ts";
import { newestSchema } from "../../server/src/store/migrations/index.ts";
import { openStoreInProcess } from "../../server/src/store/open.ts";
import { fillAllLists, migrateTo } from "../../server/src/store/testing/older-schema.ts";
import type { DatabaseTarget } from "../../server/src/store/thread/messages.ts";
import { startPostgres } from "../../test/postgres/server.ts";
import { get } from "../../test/rigs/harness/http-client.ts";
import { eventually, monotonicMs, pause } from "../../test/rigs/harness/measure/clock.ts";
import { plazaScript } from "../../test/rigs/harness/processes/plaza.ts";
import { closedPort } from "../../test/rigs/harness/processes/ports.ts";
import { nodeBinary, startProcess } from "../../test/rigs/harness/processes/processes.ts";
import { fillLedger } from "./fill-ledger.ts";
import { charge } from "./settling.ts";

const { values: options } = parseArgs({
  options: {
    rows: { type: "string", default: "100000" },
    from: { type: "string", default: "22,29" },
    database: { type: "string", default: "sqlite" },
    dir: { type: "string", default: tmpdir() },
    only: { type: "string" },
    keep: { type: "string" },
  },
});
const rows = Number(options.rows);

/** Wanted of an upgrade at 10^7 requests, in milliseconds. */
const wantedMs = 30_000;
/** From this schema on SQLite, lists of accounts have no index beside them, and servers keep them filled. */
const listsAloneSince = 26;
const migrateEveryMs = 2_000;
const readyMsMax = 600_000;
const allMsMax = 1_800_000;

async function vacuum(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("vacuum analyze");
  await client.end();
}

/** A database of the schema with all requests, as servers of that schema leave it; today's store fills it. */
async function fill(database: DatabaseTarget, from: number, secretKey: Buffer): Promise<void> {
  await migrateTo(database, from, { isForToday: true });
  const store = await openStoreInProcess({ database, secretKey });
  const price = {
    input: nanoUsd(250_000_000n),
    output: nanoUsd(2_000_000_000n),
    cachedInput: nanoUsd(25_000_000n),
  };
  const model = { id: "gpt-5-mini", name: "m", price, deployments: [] };
  await store.applyCatalog({ upstreams: [], models: [model], limits: {} });
  const priceId = (await store.loadCatalog())?.models[0]?.priceRows?.[0]?.id ?? 0;
  await store.close();
  await fillLedger(database, {
    accountIds: Array.from({ length: 1_000 }, (_, index) => `acc_${index}`),
    balance: 1_000_000_000_000_000n,
    rows,
    charge,
    priceId,
    nowMs: systemClock.wallMs(),
  });
  if (database.kind === "postgres") await vacuum(database.url);
  else if (from >= listsAloneSince) await fillAllLists(database.file);
}

interface Times {
  readonly readyMs: number;
  /** Undefined with `--only ready`. */
  readonly allMs: number | undefined;
}

async function run(words: readonly string[]): Promise<string> {
  const running = startProcess(nodeBinary, [plazaScript, ...words]);
  const code = await running.ended;
  if (code !== 0) throw new Error(`plaza ${words.join(" ")}: ${code}, ${running.stderr()}`);
  return running.stdout();
}

async function measure(where: readonly string[]): Promise<Times> {
  const port = await closedPort();
  const beganMs = monotonicMs();
  const words = ["serve", "--host", "127.0.0.1", "--port", String(port), ...where];
  const server = startProcess(nodeBinary, [plazaScript, ...words], { PLAZA_LAME_DUCK_MS: "0" });
  try {
    const isReady = async () =>
      (await get(`http://127.0.0.1:${port}/readyz`).catch(() => ({ status: 0 }))).status === 200;
    if (!(await eventually(async () => server.child.exitCode !== null || (await isReady()), readyMsMax, 10)))
      throw new Error("not ready in time");
    if (server.child.exitCode !== null) throw new Error(server.stderr());
    const readyMs = monotonicMs() - beganMs;
    if (options.only === "ready") return { readyMs, allMs: undefined };
    const schema = async () =>
      Number(JSON.parse(await run(["migrate", "--status", "--json", ...where]))["schema"]);
    while ((await schema()) < newestSchema()) {
      if (monotonicMs() - beganMs > allMsMax) return { readyMs, allMs: Number.POSITIVE_INFINITY };
      await run(["migrate", "--json", ...where]);
      await pause(migrateEveryMs);
    }
    return { readyMs, allMs: monotonicMs() - beganMs };
  } finally {
    await server.stop("SIGINT", 60_000);
  }
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

/** Fills the database unless it is kept from before, and measures. Returns what is printed. */
async function measureIn(data: string, from: number, url: string | undefined): Promise<string> {
  const file = join(data, "plaza.sqlite");
  const database: DatabaseTarget = url === undefined ? { kind: "sqlite", file } : { kind: "postgres", url };
  const beganMs = monotonicMs();
  if (!existsSync(file)) await fill(database, from, loadOrCreateKeyFile(join(data, "secret.key")));
  const size = existsSync(file) ? `, ${(statSync(file).size / 1e6).toFixed(0)} MB` : "";
  const filled = `${seconds(monotonicMs() - beganMs)} to fill${size}`;
  if (options.only === "fill") return filled;
  const where = ["--data", data, ...(url === undefined ? [] : ["--database", url])];
  const { readyMs, allMs } = await measure(where);
  const verdict = readyMs <= wantedMs ? "within" : "NOT within";
  const ready = `ready after ${seconds(readyMs)} (${verdict} ${seconds(wantedMs)})`;
  if (allMs === undefined) return `${ready}; ${filled}`;
  const { ok } = JSON.parse(await run(["ledger", "verify", "--json", ...where]));
  const verified = `ledger ${ok === true ? "verifies" : "DOES NOT VERIFY"}`;
  return `${ready}, every migration after ${seconds(allMs)}, ${verified}; ${filled}`;
}

async function measureFrom(from: number, url: string | undefined): Promise<void> {
  const folder = options.keep ?? mkdtempSync(join(options.dir, "plaza-upgrades-"));
  const data = join(folder, `schema-${from}`);
  mkdirSync(data, { mode: 0o700, recursive: true });
  try {
    console.log(`from schema ${from}: ${await measureIn(data, from, url)}`);
  } finally {
    if (options.keep === undefined) rmSync(folder, { recursive: true });
  }
}

console.log(`${options.database}, ${rows} requests and ${rows} charges, to schema ${newestSchema()}`);
const postgres = options.database === "postgres" ? await startPostgres({ isSynced: true }) : undefined;
try {
  for (const from of options.from.split(",").map(Number))
    await measureFrom(from, await postgres?.newDatabase());
} finally {
  await postgres?.close();
}
