/** `plaza migrate`: brings the database up to date, or says what it would do and how far it is. */
import { existsSync } from "node:fs";
import { type Command, Option } from "commander";
import type { Config } from "../../config/config.ts";
import { progressLine, watchMigration } from "../../start/migration-progress.ts";
import type { MigrationReport, MigrationStatus } from "../../store/operation/migration-shapes.ts";
import type { Store } from "../../store/store.ts";
import type { CommandIo } from "../command-io.ts";
import { ReportedFailure } from "../failure.ts";
import { isoTime, writeJson } from "../output.ts";
import { readSettings } from "../settings-options.ts";
import { addStoreSettings, loadSecretKey, storeSettings } from "../with-store.ts";
import { planText, reportText, statusText } from "./texts.ts";

interface MigrateFlags {
  readonly dryRun?: boolean;
  readonly status?: boolean;
  readonly json?: boolean;
}

/** How often progress is shown, in milliseconds. */
const showEveryMs = 2_000;

const statusAsJson = (status: MigrationStatus) => ({
  ...status,
  isCurrent: status.missing.length === 0,
  applied: status.applied.map((one) => ({ ...one, appliedAt: isoTime(one.appliedAt) })),
  progress: status.progress && {
    ...status.progress,
    startedAt: isoTime(status.progress.startedAt),
    updatedAt: isoTime(status.progress.updatedAt),
  },
});

async function openDatabase(io: CommandIo, { database }: Config, secretKey: Buffer): Promise<Store> {
  // Loaded here, because `--help` does not need it.
  const { openStoreInProcess } = await import("../../store/open.ts");
  return openStoreInProcess({ database, secretKey, clock: io.clock });
}

/** The status of a database, which is not created when there is none. */
async function readStatus(io: CommandIo, config: Config): Promise<MigrationStatus> {
  const { database } = config;
  const isThere = database.kind !== "sqlite" || existsSync(database.file);
  // Nothing is sealed or opened here, so that any key does.
  const where: Config = isThere ? config : { ...config, database: { kind: "sqlite", file: ":memory:" } };
  const store = await openDatabase(io, where, Buffer.alloc(32));
  try {
    return await store.readMigrations();
  } finally {
    await store.close();
  }
}

async function status(io: CommandIo, config: Config, { json }: MigrateFlags): Promise<void> {
  const found = await readStatus(io, config);
  if (json === true) writeJson(io, statusAsJson(found));
  else io.out(statusText(found));
  if (found.refusal !== null) throw new ReportedFailure();
}

async function dryRun(io: CommandIo, config: Config, { json }: MigrateFlags): Promise<void> {
  const found = await readStatus(io, config);
  const { refusal } = found;
  const { schema: from, newest: to, missing, blocked } = found;
  const isBlocked = blocked !== null || (refusal !== null && refusal.code !== "older_schema");
  if (json === true) writeJson(io, { from, to, missing, refusal, blocked });
  else io.out(planText(found));
  if (isBlocked) throw new ReportedFailure();
}

async function run(io: CommandIo, config: Config, options: MigrateFlags): Promise<void> {
  const store = await openDatabase(io, config, await loadSecretKey(io, options));
  const end = watchMigration(store, (progress) => io.err(progressLine(progress)), showEveryMs);
  let report: MigrationReport;
  try {
    if ((await store.readMigrations()).isRunning)
      io.err("Another process is migrating this database; waiting for it.\n");
    report = await store.migrate(true);
  } finally {
    end();
    await store.close();
  }
  if (options.json === true) writeJson(io, report);
  else io.out(reportText(report));
}

const more = `
Servers and commands migrate by themselves; with PLAZA_MIGRATE=manual only this command does. It may be ended at any
time and run again: it goes on where it was. docs/operate/upgrades.md says what older servers do meanwhile.

Exit status: 0 done, or nothing to do; 1 failed, with --dry-run: it would be refused now, with --status: a server of
this Plaza may not serve now; 2 not understood.

Examples:
  $ npx plaza migrate --dry-run
  $ npx plaza migrate
  $ npx plaza migrate --status --json
`;

export function addMigrate(program: Command, io: CommandIo): void {
  const command = program
    .command("migrate")
    .description("Bring the database up to this Plaza's schema.")
    .addOption(new Option("--dry-run", "show what would be done; change nothing").conflicts("status"))
    .option("--status", "show what is applied, missing and running; change nothing")
    .option("--json", "print JSON")
    .addHelpText("after", more);
  addStoreSettings(command).action((options: MigrateFlags) => {
    const config = readSettings(io, options, storeSettings);
    if (options.status === true) return status(io, config, options);
    if (options.dryRun === true) return dryRun(io, config, options);
    return run(io, config, options);
  });
}
