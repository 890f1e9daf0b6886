/**
 * Backups of a filled SQLite database, beside a process that commits 20 rows every few milliseconds: the ways
 * to copy it, and the commands, with their time, CPU and largest memory, and what the other process noticed.
 * Run: node bench/micro/backup.ts [--rows 1000000] [--dir DIRECTORY]
 */
import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { nanoUsd } from "@plaza/contract/money.ts";
import { loadOrCreateKeyFile } from "../../server/src/lib/secret.ts";
import { copySqlite } from "../../server/src/store/backup/snapshot.ts";
import { openStoreInProcess } from "../../server/src/store/open.ts";
import { percentile } from "../measure/statistics.ts";
import { fillLedger } from "./fill-ledger.ts";

const { values: options } = parseArgs({
  options: {
    rows: { type: "string", default: "1000000" },
    dir: { type: "string", default: tmpdir() },
    /** The writing process: its database. */
    writer: { type: "string" },
  },
});

const main = fileURLToPath(new URL("../../server/src/cli/main.ts", import.meta.url));
const write = (text: string): void => void process.stdout.write(`${text}\n`);

/**
 * Commits until its parent is gone; answers each message with the times of its commits since the last one.
 */
async function commitSteadily(file: string): Promise<void> {
  const database = new DatabaseSync(file, { timeout: 10_000 });
  database.exec("pragma synchronous = full; pragma wal_autocheckpoint = 16000");
  database.exec("create table if not exists bench_rows (text text)");
  const insert = database.prepare("insert into bench_rows values (?)");
  let timesMs: number[] = [];
  process.on("message", () => {
    process.send?.(timesMs);
    timesMs = [];
  });
  for (;;) {
    const startedMs = performance.now();
    database.exec("begin immediate");
    for (let row = 0; row < 20; row += 1) insert.run("y".repeat(400));
    database.exec("commit");
    timesMs.push(performance.now() - startedMs);
    await pause(2);
  }
}

async function fill(folder: string): Promise<string> {
  const file = join(folder, "plaza.sqlite");
  const secretKey = loadOrCreateKeyFile(join(folder, "secret.key"));
  const store = await openStoreInProcess({ database: { kind: "sqlite", file }, secretKey });
  await store.migrate();
  await store.claimSealingKey();
  const price = {
    input: nanoUsd(250_000_000n),
    output: nanoUsd(2_000_000_000n),
    cachedInput: nanoUsd(25_000_000n),
  };
  const model = { id: "gpt-5-mini", name: "m", price, deployments: [] };
  await store.applyCatalog({ upstreams: [], models: [model], limits: {} });
  const priceId = (await store.loadCatalog())?.models[0]?.priceRows?.[0]?.id ?? 0;
  await store.close();
  await fillLedger(
    { kind: "sqlite", file },
    {
      accountIds: Array.from({ length: 100 }, (_, index) => `acc_${index}`),
      balance: 1_000_000_000_000_000n,
      rows: Number(options.rows),
      charge: 1_007_500n,
      priceId,
      nowMs: Date.now(),
    },
  );
  return file;
}

async function commitTimes(writer: ChildProcess): Promise<number[]> {
  const answered = once(writer, "message");
  writer.send("times");
  return (await answered)[0] as number[];
}

/** Runs `work` and prints how long it took, and the commits of the writer meanwhile. */
async function beside(writer: ChildProcess, what: string, work: () => Promise<string>): Promise<void> {
  await commitTimes(writer);
  const startedMs = performance.now();
  const more = await work();
  const tookMs = performance.now() - startedMs;
  const times = await commitTimes(writer);
  const [p50 = 0, p99 = 0] = [0.5, 0.99].map((share) => percentile(times, share));
  const commits = `${times.length} commits of the writer, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`;
  write(`${what.padEnd(34)} ${(tookMs / 1_000).toFixed(1).padStart(6)} s  ${commits}${more}`);
}

/** Runs a command in a process; resolves with its CPU and largest memory. */
async function command(...words: string[]): Promise<string> {
  const code = `process.on("exit", () => { const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
      process.send([userCPUTime + systemCPUTime, maxRSS]); });
    process.argv.splice(1, 9, "plaza", ...${JSON.stringify(words)}); await import(${JSON.stringify(main)});`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", code], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const [[cpuUs, maxRss]] = (await once(child, "message")) as [[number, number]];
  await once(child, "exit");
  return `; CPU ${(cpuUs / 1e6).toFixed(1)} s, memory ${Math.round(maxRss / 1024)} MiB`;
}

async function measure(folder: string): Promise<void> {
  const file = await fill(folder);
  write(`${options.rows} requests: ${(statSync(file).size / 1e6).toFixed(0)} MB`);
  const script = fileURLToPath(import.meta.url);
  const writer = fork(script, ["--writer", file]);
  const copy = join(folder, "copy.sqlite");
  const fresh = (): DatabaseSync => {
    rmSync(copy, { force: true });
    return new DatabaseSync(file, { readOnly: true });
  };
  try {
    await commitTimes(writer);
    await beside(writer, "nothing", () => pause(5_000, ""));
    await beside(writer, "vacuum into", async () => {
      fresh().exec(`vacuum into '${copy}'`);
      return "";
    });
    await beside(writer, "backup(), one step", async () => {
      await backup(fresh(), copy, { rate: 2 ** 31 - 1 });
      return "";
    });
    await beside(writer, "backup() in a read transaction", async () => {
      fresh().close();
      await copySqlite(file, copy, () => {});
      return "";
    });
    rmSync(copy);
    const passphrase = join(folder, "passphrase");
    writeFileSync(passphrase, "a passphrase of a bench\n");
    const [plain, sealed] = [join(folder, "plain"), join(folder, "sealed")];
    const data = ["--data", folder];
    await beside(writer, "plaza backup create", () => command("backup", "create", plain, ...data));
    const words = ["backup", "create", sealed, "--passphrase-file", passphrase, ...data];
    await beside(writer, "plaza backup create, encrypted", () => command(...words));
    const made = join(plain, String(readdirSync(plain)[0]));
    await beside(writer, "plaza backup verify", () => command("backup", "verify", made));
    const target = ["--data", join(folder, "restored")];
    await beside(writer, "plaza backup restore", () => command("backup", "restore", made, ...target));
  } finally {
    writer.kill();
  }
}

if (options.writer !== undefined) {
  process.on("disconnect", () => process.exit());
  await commitSteadily(options.writer);
} else {
  const folder = mkdtempSync(join(options.dir, "plaza-bench-"));
  try {
    await measure(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
