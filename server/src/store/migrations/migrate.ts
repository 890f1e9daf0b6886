/**
 * Brings a database up to date, as decision 10 says (`docs/decisions/0010-upgrades.md`). A migration's
 * statements run in one transaction with the row that records them, back-fills in many small ones. A process
 * that is killed leaves a state from which the next one continues, and one that fails never serves.
 */
import { type Kysely, type RawBuilder, sql, type Transaction } from "kysely";
import { StoreError } from "../error.ts";
import type { MigrationRan, MigrationReport, MigrationStatus } from "../operation/migration-shapes.ts";
import type { Database } from "../sql/schema.ts";
import { runBackfill } from "./backfill.ts";
import {
  type History,
  missing,
  oldestServing,
  readHistory,
  recordedFrom,
  requireFit,
  requireServable,
  schemaOf,
} from "./history.ts";
import {
  digestOf,
  isIndependent,
  type Migration,
  type MigrationDialect,
  type NewIndex,
  needsContracts,
  needsOf,
} from "./migration.ts";

/** One process migrates at a time. The lock ends with its process. */
export interface MigrationLock {
  /** False while another process holds it. */
  take(): Promise<boolean>;
  release(): Promise<void>;
  isTaken(): Promise<boolean>;
}

export interface MigrateOptions {
  readonly migrations: readonly Migration[];
  readonly dialect: MigrationDialect;
  readonly lock: MigrationLock;
  readonly plazaVersion: string;
  /** Whether a table exists. */
  hasTable(db: Kysely<Database>, name: string): Promise<boolean>;
  /** The time by which holders are alive. */
  databaseNow(): RawBuilder<number>;
  /**
   * Builds a contract's indexes before its statements; false: the contract is left waiting, because they
   * would take too long for a start. Absent where migrations have none.
   */
  buildIndexes?(db: Kysely<Database>, indexes: readonly NewIndex[], isByHand: boolean): Promise<boolean>;
  /** True when an operator migrates, who waits for what takes long. */
  readonly isByHand: boolean;
  /** True for an error that says the database was busy: nothing was changed, and it is tried again. */
  isBusy(error: unknown): boolean;
  wallMs(): number;
  elapsedMs(): number;
  pause(ms: number): Promise<unknown>;
}

/** How long another process may hold the lock, and how long a step is tried while the database is busy. */
const lockPatienceMs = 60 * 60_000;
const busyPatienceMs = 10 * 60_000;
const lockPauseMs = 250;
/** Meanwhile the statements that queue behind a change of a table get through. */
const busyPauseMs = 1_000;
/** Between two parts of a contract's preparation others get through, too. */
const preparePauseMs = 50;

const recordTable = "schema_migrations";

/** A migration as it is recorded and shown. */
const shape = (migration: Migration, { dialect }: MigrateOptions) => {
  const needs = needsOf(migration, dialect);
  const kind: Migration["kind"] = needs === null ? "expand" : "contract";
  const { version, name, backfill } = migration;
  const { waitsForAll = false } = migration.kind === "contract" ? migration : {};
  return { version, name, kind, needs, waitsForAll, hasBackfill: backfill !== undefined };
};

const historyOf = async (db: Kysely<Database>, options: MigrateOptions): Promise<History> =>
  readHistory(db, await options.hasTable(db, recordTable));

/** Serving processes that are alive, by the newest migration they know. */
async function aliveServers(db: Kysely<Database>, history: History, options: MigrateOptions) {
  if (!(await options.hasTable(db, "holders"))) return [];
  const schema =
    schemaOf(history) >= recordedFrom ? sql<number | null>`schema_version` : sql<number | null>`null`;
  const { rows } = await sql<{ schema: number | null; count: number }>`
    select ${schema} as schema, count(*) as count from holders
    where expires_at > ${options.databaseNow()} group by 1 order by 1`.execute(db);
  return rows;
}

/**
 * Whether a contract has to wait. Servers before migration 22 report no schema, and contracts before it were
 * made without this rule, but for one.
 */
async function mustWait(
  trx: Kysely<Database>,
  migration: Migration,
  history: History,
  options: MigrateOptions,
) {
  const { needs, waitsForAll } = shape(migration, options);
  if (needs === null || (needs < recordedFrom && !waitsForAll)) return false;
  // It has begun: its statements ran when no server needed what they removed.
  if (history.progress?.version === migration.version) return false;
  const servers = await aliveServers(trx, history, options);
  return servers.some(({ schema }) => (schema ?? 0) < needs);
}

async function record(
  trx: Kysely<Database>,
  migration: Migration,
  durationMs: number,
  options: MigrateOptions,
): Promise<void> {
  const { version, name, kind, needs } = shape(migration, options);
  const row = { version, name, applied_at: options.wallMs() };
  const more = {
    kind,
    needs,
    digest: digestOf(migration, options.dialect),
    duration_ms: durationMs,
    plaza_version: options.plazaVersion,
  };
  await trx
    .insertInto(recordTable)
    .values(version < recordedFrom ? row : { ...row, ...more })
    .execute();
}

/** Commits with the statements: from here on the migration is begun, and only its back-fill is left. */
async function recordBeginning(
  trx: Kysely<Database>,
  migration: Migration,
  options: MigrateOptions,
): Promise<void> {
  const { version, name, needs } = shape(migration, options);
  const at = options.wallMs();
  await trx
    .insertInto("migration_progress")
    .values({
      version,
      name,
      needs,
      digest: digestOf(migration, options.dialect),
      place: "",
      rows_done: 0,
      started_at: at,
      updated_at: at,
      plaza_version: options.plazaVersion,
    })
    .execute();
}

interface Step {
  readonly migration: Migration;
  /** What its statements took, in milliseconds. */
  readonly ms: number;
  /** True when only its back-fill is left. */
  readonly isBegun: boolean;
  /** True when it passed a contract that waits. */
  readonly isPassing: boolean;
}

/** Whether the first of the missing migrations can be applied; `later`: another process prepares it. */
async function readiness(
  trx: Transaction<Database>,
  lacking: readonly Migration[],
  history: History,
  options: MigrateOptions,
): Promise<"ready" | "preparing" | "later"> {
  const [first, ...behind] = lacking;
  if (first === undefined || (await mustWait(trx, first, history, options))) return "later";
  const prepare = first.kind === "contract" && first[options.dialect].length > 0 ? first.prepare : undefined;
  if (prepare === undefined || (await prepare(trx))) return "ready";
  return behind.some(needsContracts) ? "preparing" : "later";
}

/**
 * Runs the next migration's statements, in the transaction given; undefined: none is left, or all that are
 * left wait. A contract that an expansion behind it needs is prepared first, a part at a time. `isHeldUp`:
 * the first of the missing ones is known to wait.
 */
async function step(
  trx: Transaction<Database>,
  options: MigrateOptions,
  isHeldUp: boolean,
): Promise<Step | "preparing" | undefined> {
  await sql`create table if not exists schema_migrations (
    version integer primary key, name text not null, applied_at bigint not null)`.execute(trx);
  const history = await readHistory(trx, true);
  requireFit(history, options.migrations, options.dialect);
  const lacking = missing(history, options.migrations);
  const begun = lacking.find(({ version }) => version === history.progress?.version);
  if (begun !== undefined) return { migration: begun, ms: 0, isBegun: true, isPassing: isHeldUp };
  const state = isHeldUp ? "later" : await readiness(trx, lacking, history, options);
  if (state === "preparing") return state;
  const next = state === "ready" ? lacking[0] : lacking.find(isIndependent);
  if (next === undefined) return undefined;
  const beganMs = options.elapsedMs();
  for (const statement of next[options.dialect]) await sql.raw(statement).execute(trx);
  const ms = Math.round(options.elapsedMs() - beganMs);
  if (next.backfill === undefined) await record(trx, next, ms, options);
  else await recordBeginning(trx, next, options);
  return { migration: next, ms, isBegun: next.backfill !== undefined, isPassing: state !== "ready" };
}

/** Runs a transaction; while the database is busy, again after a pause in which others get through. */
async function patiently<T>(
  db: Kysely<Database>,
  options: MigrateOptions,
  work: (trx: Transaction<Database>) => Promise<T>,
): Promise<T> {
  const beganMs = options.elapsedMs();
  for (;;) {
    try {
      return await db.transaction().execute(work);
    } catch (error) {
      if (!options.isBusy(error) || options.elapsedMs() - beganMs > busyPatienceMs) throw error;
    }
    await options.pause(busyPauseMs);
  }
}

/** Runs a begun migration's back-fill to its end; returns the rows handled, earlier runs included. */
async function finish(db: Kysely<Database>, migration: Migration, options: MigrateOptions): Promise<number> {
  const { version } = migration;
  let rows = 0;
  const progressOf = (trx: Kysely<Database>) =>
    trx.selectFrom("migration_progress").selectAll().where("version", "=", version).executeTakeFirst();
  await runBackfill({
    migration,
    dialect: options.dialect,
    transaction: (work) => patiently(db, options, work),
    place: async (trx) => (await progressOf(trx))?.place,
    async note(trx, done) {
      const begun = await progressOf(trx);
      if (begun === undefined) return;
      rows = begun.rows_done + done.rows;
      if (!done.isLast) {
        const moved = { place: done.cursor, rows_done: rows, updated_at: options.wallMs() };
        await trx.updateTable("migration_progress").set(moved).where("version", "=", version).execute();
        return;
      }
      await record(trx, migration, Math.max(0, options.wallMs() - begun.started_at), options);
      await trx.deleteFrom("migration_progress").where("version", "=", version).execute();
    },
    elapsedMs: options.elapsedMs,
    pause: options.pause,
  });
  return rows;
}

async function takeLock(options: MigrateOptions): Promise<void> {
  const beganMs = options.elapsedMs();
  while (!(await options.lock.take())) {
    if (options.elapsedMs() - beganMs > lockPatienceMs) {
      throw new StoreError(
        "locked",
        "another process has been migrating this database for an hour: look at `plaza migrate --status`, end that process if it hangs, and start again",
      );
    }
    await options.pause(lockPauseMs);
  }
}

/** Builds the indexes of the next migration. False: it is left waiting, for them or for older servers. */
async function buildNext(db: Kysely<Database>, options: MigrateOptions): Promise<boolean> {
  if (options.buildIndexes === undefined) return true;
  const history = await historyOf(db, options);
  const [next, ...behind] = missing(history, options.migrations);
  // Once its statements have run, the indexes have other names; what has begun is finished first.
  if (next?.indexes === undefined || history.progress !== undefined) return true;
  if (await mustWait(db, next, history, options)) return false;
  const isInTheWay = behind.some(needsContracts);
  return await options.buildIndexes(db, next.indexes, options.isByHand || isInTheWay);
}

/** Why a migration is refused while these are missing and the first of them waits for older servers. */
function heldUp(waiting: readonly Migration[], options: MigrateOptions): StoreError | undefined {
  const [contract, ...behind] = waiting;
  if (contract === undefined || !behind.some(needsContracts)) return undefined;
  const { version, name, needs, waitsForAll } = shape(contract, options);
  const which = "(`plaza migrate --status` counts them; one that was killed counts for 45 s)";
  return new StoreError(
    "older_schema",
    waitsForAll
      ? `servers run on this database that would fail calls after migration ${version} (${name}): stop all of them ${which}, then start this version`
      : `migration ${version} (${name}) waits until no server older than schema ${needs} runs, and later ones wait behind it: stop the older servers ${which}, or upgrade to the version between first`,
  );
}

/** Why a migration would be refused now; undefined: it would not. */
async function findBlocked(db: Kysely<Database>, history: History, options: MigrateOptions) {
  const waiting = missing(history, options.migrations);
  for (const [index, migration] of waiting.entries())
    if (await mustWait(db, migration, history, options)) return heldUp(waiting.slice(index), options);
  return undefined;
}

async function runAll(db: Kysely<Database>, options: MigrateOptions): Promise<MigrationRan[]> {
  const ran: MigrationRan[] = [];
  // Found once: a contract that waits is not prepared a part more for each expansion that passes it.
  let isHeldUp = false;
  for (;;) {
    isHeldUp ||= !(await buildNext(db, options));
    const done = await patiently(db, options, (trx) => step(trx, options, isHeldUp));
    if (done === undefined) return ran;
    if (done === "preparing") {
      await options.pause(preparePauseMs);
      continue;
    }
    const { migration } = done;
    isHeldUp ||= done.isPassing;
    const { version, name, kind } = shape(migration, options);
    const beganMs = options.elapsedMs();
    const rows = done.isBegun ? await finish(db, migration, options) : null;
    ran.push({ version, name, kind, durationMs: done.ms + Math.round(options.elapsedMs() - beganMs), rows });
  }
}

/**
 * Applies what is missing, oldest first. Contracts that older servers alive still need are left waiting;
 * independent expansions pass them. Throws StoreError `newer_schema` or `cannot_open` (`history.ts`),
 * `older_schema` when an expansion needs a contract that waits, `locked`, and whatever a migration's
 * statements throw.
 */
export async function migrate(db: Kysely<Database>, options: MigrateOptions): Promise<MigrationReport> {
  const { migrations, dialect } = options;
  const before = await historyOf(db, options);
  requireFit(before, migrations, dialect);
  const from = schemaOf(before);
  if (missing(before, migrations).length === 0) return { from, to: from, ran: [], waiting: [] };
  // Before anything is changed, so that the older servers may be started again.
  const blocked = await findBlocked(db, before, options);
  if (blocked !== undefined) throw blocked;
  await takeLock(options);
  try {
    const ran = await runAll(db, options);
    const after = await historyOf(db, options);
    const waiting = missing(after, migrations);
    const refusal = heldUp(waiting, options);
    if (refusal !== undefined) throw refusal;
    return { from, to: schemaOf(after), ran, waiting: waiting.map((one) => shape(one, options)) };
  } finally {
    await options.lock.release();
  }
}

/** What is applied, missing and running. Changes nothing, not even an empty database. */
export async function readMigrationStatus(
  db: Kysely<Database>,
  options: MigrateOptions,
): Promise<MigrationStatus> {
  const { migrations, dialect } = options;
  const history = await historyOf(db, options);
  let refusal: MigrationStatus["refusal"] = null;
  try {
    requireServable(history, migrations, dialect);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    refusal = { code: error.code, message: error.message };
  }
  const blocked = await findBlocked(db, history, options);
  return {
    schema: schemaOf(history),
    newest: migrations.at(-1)?.version ?? 0,
    oldestServing: oldestServing(history),
    applied: history.applied,
    missing: missing(history, migrations).map((one) => shape(one, options)),
    progress: history.progress ?? null,
    isRunning: await options.lock.isTaken(),
    servers: await aliveServers(db, history, options),
    refusal,
    blocked: blocked?.message ?? null,
  };
}

/** The number of the last migration; 0 for a new database. */
export async function readSchemaVersion(db: Kysely<Database>): Promise<number> {
  const row = await db
    .selectFrom(recordTable)
    .select((eb) => eb.fn.max("version").as("version"))
    .executeTakeFirst();
  return row?.version ?? 0;
}
