/** The type of a migration, and what identifies one. */
import { createHash } from "node:crypto";
import type { Transaction } from "kysely";
import type { Database } from "../sql/schema.ts";

/** The databases a migration is written for. */
export type MigrationDialect = "sqlite" | "postgres";

/** What a chunk of a back-fill did. */
export interface ChunkDone {
  /** Where the next chunk continues; the back-fill's own text. */
  readonly cursor: string;
  /** Rows handled, for the reports. */
  readonly rows: number;
  /** True when nothing is left. */
  readonly isLast: boolean;
}

/** What a chunk is given. */
export interface Chunk {
  /**
   * The chunk's own transaction; the cursor moves in it, too. Use `sql` texts: the types are today's tables,
   * not those of the migration's time.
   */
  readonly trx: Transaction<Database>;
  /** Where the last committed chunk ended; "" at first. */
  readonly cursor: string;
  /** Rows to handle at most. It follows the clock, so that a chunk takes about `chunkMs` (`backfill.ts`). */
  readonly rowsMax: number;
  readonly dialect: MigrationDialect;
}

/**
 * Work on many rows, done after the statements in small transactions while older servers go on. What those
 * write meanwhile must be covered by a trigger that the statements create.
 */
export interface Backfill {
  /** Handles some rows after the cursor. May run again from the same cursor, after a kill. */
  chunk(chunk: Chunk): Promise<ChunkDone>;
}

/** A unique index that PostgreSQL builds before a migration's statements, while servers go on. */
export interface NewIndex {
  readonly name: string;
  readonly table: string;
  /** Columns and condition. */
  readonly text: string;
}

interface AnyMigration {
  /** 1, 2, 3 … without gaps. */
  readonly version: number;
  readonly name: string;
  /** Statements for SQLite, run in one transaction; none: nothing changes there. */
  readonly sqlite: readonly string[];
  /**
   * Statements for PostgreSQL. Integers are `bigint` and ids `text collate "C"`, so that both databases sort
   * them alike.
   */
  readonly postgres: readonly string[];
  /** Built on PostgreSQL before the statements (`indexes.ts`). Only for a contract, which may wait. */
  readonly indexes?: readonly NewIndex[];
  readonly backfill?: Backfill;
}

/** Only adds: servers of the schema before it go on beside it, and may be started again. */
interface Expansion extends AnyMigration {
  readonly kind: "expand";
  /**
   * True when no contract before it touches its tables: while one of those waits, it is applied all the same.
   * Others make the contracts before them be done first, however long that takes.
   */
  readonly isIndependent?: true;
}

/** Takes away or changes what servers before schema `needs` use. No code may depend on its having run. */
interface Contraction extends AnyMigration {
  readonly kind: "contract";
  /** The oldest schema whose servers may still serve afterwards. */
  readonly needs: number;
  /**
   * Does a part of what must be done before the statements, and says whether all of it is done. Servers do
   * the same in the background, so that a start need not wait: until it is done the contract is left
   * waiting, unless an expansion that needs it stands behind it. Called only where there are statements.
   */
  readonly prepare?: (trx: Transaction<Database>) => Promise<boolean>;
  /**
   * Of a contract before migration 22, whose servers do not report their schema: waits until no server at
   * all runs, because those that do would fail calls.
   */
  readonly waitsForAll?: true;
}

/** A migration. There is no way back, and a released one is never edited. */
export type Migration = Expansion | Contraction;

/** True for an expansion that does not wait behind a contract. */
export const isIndependent = (migration: Migration): boolean =>
  migration.kind === "expand" && migration.isIndependent === true;

/** True for an expansion before which every contract in front of it must be done. */
export const needsContracts = (migration: Migration): boolean =>
  migration.kind === "expand" && !isIndependent(migration);

/**
 * The oldest schema whose servers may serve after a migration; null: any. A contract without statements for
 * this database takes nothing away there.
 */
export const needsOf = (migration: Migration, dialect: MigrationDialect): number | null =>
  migration.kind === "contract" && migration[dialect].length > 0 ? migration.needs : null;

/** Identifies a migration's statements: SHA-256, in hex. A back-fill counts by being there. */
export function digestOf(migration: Migration, dialect: MigrationDialect): string {
  const { version, name, kind, backfill } = migration;
  const needs = migration.kind === "contract" ? migration.needs : 0;
  const indexes = dialect === "sqlite" ? [] : (migration.indexes ?? []);
  const parts = [
    ...[version, name, kind, needs, backfill === undefined ? "" : "backfill", ...migration[dialect]],
    ...indexes.flatMap((index) => [index.name, index.table, index.text]),
  ];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}
