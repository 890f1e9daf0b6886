/**
 * What a database says about its migrations, and what follows for a Plaza that knows a given list: what is
 * missing, who may serve, what refuses. Reads any schema, also an empty database.
 */
import type { Kysely } from "kysely";
import { StoreError } from "../error.ts";
import type { AppliedMigration, BackfillProgress } from "../operation/migration-shapes.ts";
import type { Database } from "../sql/schema.ts";
import type { MigrationProgressTable, SchemaMigrationsTable } from "../sql/schema-upgrades.ts";
import { upgrades } from "./0022-0029/0022-upgrades.ts";
import { digestOf, type Migration, type MigrationDialect } from "./migration.ts";

/** The first schema with the columns and tables that migrations are recorded in. */
export const recordedFrom = upgrades.version;

export interface History {
  /** Oldest first. */
  readonly applied: readonly AppliedMigration[];
  /** The migration whose back-fill is not finished. */
  readonly progress: BackfillProgress | undefined;
}

/** True once the database has this migration: tables of one that may have to wait are there. */
export async function hasMigration(db: Kysely<Database>, version: number): Promise<boolean> {
  const found = db.selectFrom("schema_migrations").select("version").where("version", "=", version);
  return (await found.executeTakeFirst()) !== undefined;
}

/** The number of the last migration; 0 for a new database. */
export const schemaOf = ({ applied }: History): number => applied.at(-1)?.version ?? 0;

/** The oldest schema whose servers may still serve; 0: any. */
export function oldestServing({ applied, progress }: History): number {
  return Math.max(0, ...applied.map(({ needs }) => needs ?? 0), progress?.needs ?? 0);
}

function toApplied(row: SchemaMigrationsTable): AppliedMigration {
  return {
    version: row.version,
    name: row.name,
    appliedAt: row.applied_at,
    kind: row.kind ?? null,
    needs: row.needs ?? null,
    digest: row.digest ?? null,
    durationMs: row.duration_ms ?? null,
    plazaVersion: row.plaza_version ?? null,
  };
}

function toProgress(row: MigrationProgressTable): BackfillProgress {
  return {
    version: row.version,
    name: row.name,
    needs: row.needs,
    digest: row.digest,
    place: row.place,
    rows: row.rows_done,
    startedAt: row.started_at,
    updatedAt: row.updated_at,
  };
}

/** `hasTable`: whether the table that records migrations exists. */
export async function readHistory(db: Kysely<Database>, hasTable: boolean): Promise<History> {
  if (!hasTable) return { applied: [], progress: undefined };
  const rows = await db.selectFrom("schema_migrations").selectAll().orderBy("version").execute();
  const applied = rows.map(toApplied);
  if ((applied.at(-1)?.version ?? 0) < recordedFrom) return { applied, progress: undefined };
  const begun = await db.selectFrom("migration_progress").selectAll().executeTakeFirst();
  return { applied, progress: begun && toProgress(begun) };
}

/** The migrations that this Plaza knows and the database lacks, oldest first. */
export function missing(history: History, migrations: readonly Migration[]): readonly Migration[] {
  const done = new Set(history.applied.map(({ version }) => version));
  return migrations.filter(({ version }) => !done.has(version));
}

/**
 * Throws when this Plaza must not touch the database: it is too new (`newer_schema`), or one of its
 * migrations was not ours (`cannot_open`).
 */
export function requireFit(
  history: History,
  migrations: readonly Migration[],
  dialect: MigrationDialect,
): void {
  const newest = migrations.at(-1)?.version ?? 0;
  const oldest = oldestServing(history);
  const isUnsaid = history.applied.some(({ version, kind }) => version > newest && kind === null);
  if (oldest > newest || isUnsaid) {
    throw new StoreError(
      "newer_schema",
      `a newer Plaza wrote this database (schema ${schemaOf(history)}; this Plaza knows up to ${newest}${isUnsaid ? "" : `, and ${oldest} is the oldest that may still serve`}): start that version again, or restore a backup from before the upgrade`,
    );
  }
  const ours = new Map(migrations.map((migration) => [migration.version, migration]));
  const begun = history.progress === undefined ? [] : [history.progress];
  for (const { version, name, digest } of [...history.applied, ...begun]) {
    const mine = ours.get(version);
    if (mine === undefined || digest === null || digest === digestOf(mine, dialect)) continue;
    throw new StoreError(
      "cannot_open",
      `migration ${version} (${name}) of this database is not the one this Plaza has (${mine.name}): it was changed after it had been used; start the Plaza that ran it, or restore a backup from before it`,
    );
  }
}

/**
 * Throws when a server of these migrations must not serve: what `requireFit` says, or `older_schema` while an
 * expansion is missing or half done. Contracts may be pending.
 */
export function requireServable(
  history: History,
  migrations: readonly Migration[],
  dialect: MigrationDialect,
): void {
  requireFit(history, migrations, dialect);
  const lacking = missing(history, migrations).filter(
    ({ kind, version }) => kind === "expand" || history.progress?.version === version,
  );
  const [first] = lacking;
  if (first === undefined) return;
  const isHalf = history.progress?.version === first.version;
  throw new StoreError(
    "older_schema",
    `the database has schema ${schemaOf(history)} and lacks migration ${first.version} (${first.name})${isHalf ? ", whose back-fill is half done" : ""}: run \`plaza migrate\`, then start again`,
  );
}
