/** What the parts of P28 share: a database of either kind, its rows, and processes that are killed. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startPostgres } from "../../postgres/server.ts";
import { type Ask, askFile, askServer } from "../../upgrades/corpus.ts";
import type { DatabaseKind } from "../harness/figure.ts";
import { eventually, pause } from "../harness/measure/clock.ts";
import { plazaScript, temporaryFolder } from "../harness/processes/plaza.ts";
import { nodeBinary, type Running, startProcess } from "../harness/processes/processes.ts";

export interface Stage {
  readonly kind: DatabaseKind;
  /** Data folder. */
  readonly folder: string;
  /** As `--database` takes it. */
  readonly database: string;
  /** Reads the database past the product. */
  readonly ask: Ask;
}

/** The environment of a process that is the version after this checkout. */
export const nextVersion: Readonly<Record<string, string>> = {
  // Unlike `--import`, this reaches the storage threads, too.
  NODE_OPTIONS: `--require=${fileURLToPath(new URL("next-version.ts", import.meta.url))}`,
  // The migrations are added to those of the sources.
  LAUNCH_SOURCES: "1",
};

/** Settings under which only upgrades fail calls: rig and processes share the cores. */
export const patient: Readonly<Record<string, string>> = { PLAZA_LOOP_LAG_MAX_MS: "60s" };

export async function withStages<T>(
  kind: DatabaseKind,
  work: (newStage: () => Promise<Stage>) => Promise<T>,
): Promise<T> {
  const server = kind === "postgres" ? await startPostgres() : undefined;
  try {
    return await work(async () => {
      const folder = temporaryFolder();
      if (server === undefined) {
        const file = join(folder, "plaza.sqlite");
        return { kind, folder, database: `sqlite:${file}`, ask: askFile(file) };
      }
      const url = await server.newDatabase();
      return { kind, folder, database: url, ask: askServer(url) };
    });
  } finally {
    await server?.close();
  }
}

/** Starts a `plaza` command on the stage's database. */
export function startCommand(
  { folder, database }: Stage,
  words: readonly string[],
  env: Readonly<Record<string, string>>,
  script: string = plazaScript,
): Running {
  const where = ["--data", folder, "--database", database];
  return startProcess(nodeBinary, [script, ...words, ...where], { ...patient, ...env });
}

export async function killed(running: Running): Promise<void> {
  running.child.kill("SIGKILL");
  await running.ended;
}

/** Rows of the back-fill so far; -1: it has not begun, or is finished. */
export async function rowsDone(ask: Ask): Promise<number> {
  const [row] = await ask("select cast(rows_done as text) as rows from migration_progress").catch(() => []);
  return row === undefined ? -1 : Number(row["rows"]);
}

/** Waits until the back-fill has done this many rows, or the process has ended. */
export async function waitForRows(stage: Stage, running: Running, rows: number): Promise<void> {
  const isOver = () => running.child.exitCode !== null;
  await eventually(async () => isOver() || (await rowsDone(stage.ask)) >= rows, 60_000);
}

/** Entries and balances as text; the upgrade may only add to the entries. */
export async function entriesOf(ask: Ask): Promise<string[]> {
  const rows =
    await ask(`select cast(id as text) as id, account_id, kind, cast(amount_nanos as text) as amount,
    coalesce(request_id, '') as request, coalesce(note, '') as note, cast(created_at as text) as at
    from ledger_entries where amount_nanos <> 0`);
  return rows.map((row) => JSON.stringify(Object.values(row)));
}

/** What is missing of the entries that there were before. */
export async function lostEntries(ask: Ask, before: readonly string[]): Promise<string[]> {
  const after = new Set(await entriesOf(ask));
  return before.filter((line) => !after.has(line)).map((line) => `changed or lost: ${line}`);
}

/** Lets the last settlements be written. */
export const settle = (): Promise<unknown> => pause(1_000);
