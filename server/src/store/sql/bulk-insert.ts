/**
 * What is needed to insert many rows with few texts. `sqlite/bulk-insert.ts` and `postgres/bulk-insert.ts`
 * do it.
 */
import type { Transaction } from "kysely";
import type { Database } from "./schema.ts";

/** The target table, and what happens on conflict. Create it once: statements are cached by it. */
export interface BulkTarget {
  readonly table: string;
  /** Name and type; `int` is a 64-bit integer. */
  readonly columns: readonly (readonly [name: string, type: "int" | "text"])[];
  /** The columns of the key on which rows conflict. */
  readonly key: readonly string[];
  /** What each other column becomes on conflict, as SQL; absent: it stays. */
  readonly onConflict: Readonly<Record<string, string>>;
  /** True when `onConflict` adds, so that a 0 of a row changes nothing. */
  readonly isSum?: boolean;
  /** Columns to return, of inserted and of updated rows. */
  readonly returning?: readonly string[];
}

export type BulkValue = string | number | bigint;

/**
 * Writes rows, with values in column order, in a transaction that may be lost in a power cut; returns what
 * the target returns. No two rows may conflict with each other.
 */
export type BulkInsert = (
  trx: Transaction<Database>,
  target: BulkTarget,
  rows: readonly (readonly BulkValue[])[],
) => Promise<readonly unknown[]>;

/** `on conflict …` and, if rows are wanted, `returning …`. `changed`: columns to change; default: all. */
export function tailOf({ key, onConflict, returning }: BulkTarget, changed?: ReadonlySet<string>): string {
  const changes = Object.entries(onConflict).filter(([column]) => changed?.has(column) ?? true);
  const set = changes.map(([column, value]) => `${column} = ${value}`).join(", ");
  const what = set === "" ? "nothing" : `update set ${set}`;
  const tail = `on conflict (${key.join(", ")}) do ${what}`;
  return returning === undefined ? tail : `${tail} returning ${returning.join(", ")}`;
}

export const headOf = ({ table, columns }: BulkTarget): string =>
  `insert into ${table} (${columns.map(([name]) => name).join(", ")})`;
