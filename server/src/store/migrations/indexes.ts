/**
 * Builds a migration's indexes on PostgreSQL before its statements, `concurrently`: readers and writers go
 * on meanwhile. A killed process leaves an index that is not valid, which the next one builds again; one that
 * is valid is used, also if an operator made it by hand under this name.
 */
import { type Kysely, sql } from "kysely";
import { StoreError } from "../error.ts";
import type { Database } from "../sql/schema.ts";
import type { NewIndex } from "./migration.ts";

/** Bounds of what a start does, and how long an operator's migration waits. */
interface Patience {
  /** More rows than a start should read: building would take longer than some seconds. */
  readonly rowsMax: number;
  /** Milliseconds a start waits for transactions that began before. It holds up nothing but migrations. */
  readonly startMs: number;
  readonly byHandMs: number;
}

const usual: Patience = { rowsMax: 1_000_000, startMs: 10_000, byHandMs: 10 * 60_000 };

/** The statement that makes an index; on a new table without `concurrently`. */
export const indexText = ({ name, table, text }: NewIndex, how: "" | "concurrently"): string =>
  `create unique index ${how} ${name} on ${table} ${text}`;

/** Undefined: there is none. */
async function isValid(db: Kysely<Database>, { name }: NewIndex): Promise<boolean | undefined> {
  const { rows } = await sql<{ valid: boolean }>`select indisvalid and indisready as valid from pg_index
    where indexrelid = to_regclass(${name})`.execute(db);
  return rows[0]?.valid;
}

async function isLarge(db: Kysely<Database>, { table }: NewIndex, rowsMax: number): Promise<boolean> {
  const { rows } = await sql`select 1 from ${sql.table(table)} limit 1 offset ${rowsMax}`.execute(db);
  return rows.length > 0;
}

async function build(db: Kysely<Database>, index: NewIndex): Promise<void> {
  const found = await isValid(db, index);
  if (found === true) return;
  if (found === false) await sql.raw(`drop index concurrently ${index.name}`).execute(db);
  await sql.raw(indexText(index, "concurrently")).execute(db);
}

async function buildAll(
  db: Kysely<Database>,
  indexes: readonly NewIndex[],
  isByHand: boolean,
  rowsMax: number,
): Promise<boolean> {
  for (const index of indexes) {
    const isLeft = !isByHand && (await isValid(db, index)) !== true && (await isLarge(db, index, rowsMax));
    if (isLeft) return false;
    await build(db, index);
  }
  return true;
}

/**
 * Makes all of them, outside a transaction: `db` must have one connection. False: they would take too long
 * for a start, or a transaction that goes on for long is in the way. By hand it waits longer, and then throws
 * `locked`.
 */
export const createIndexBuilder =
  ({ rowsMax, startMs, byHandMs }: Patience = usual) =>
  async (db: Kysely<Database>, indexes: readonly NewIndex[], isByHand: boolean): Promise<boolean> => {
    const { rows } = await sql<{ ms: string }>`select setting as ms from pg_settings
      where name = 'lock_timeout'`.execute(db);
    const setLockTimeout = (ms: string) => sql`select set_config('lock_timeout', ${ms}, false)`.execute(db);
    await setLockTimeout(String(isByHand ? byHandMs : startMs));
    try {
      return await buildAll(db, indexes, isByHand, rowsMax);
    } catch (error) {
      if (!isByHand && error instanceof StoreError && error.code === "locked") return false;
      throw error;
    } finally {
      // A connection that broke is replaced by one with the usual settings.
      await setLockTimeout(rows[0]?.ms ?? "0").catch(() => {});
    }
  };
