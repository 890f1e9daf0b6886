/**
 * Copies requests and ledger entries into the lists of their accounts, some time after they were settled: a
 * batch sorted by account costs a fraction of what an index by account costs each settlement. On SQLite only,
 * where rows are numbered in the order of their commits. A batch and the marks behind which it lies are one
 * transaction, so a kill loses a batch whole, and it is copied again. What a journal brings days later lies
 * behind the mark, whatever its id.
 */
import { sql, type Transaction } from "kysely";
import type { MethodsOptions } from "../sql/dialect.ts";
import { type Mark, sqliteOrder as order } from "../sql/insertion-order.ts";
import type { Database } from "../sql/schema.ts";

/** How far the lists are filled. */
export interface ListsMark {
  readonly requests: Mark;
  /** The number of the last entry copied. */
  readonly entry: number;
}

interface ListsState extends ListsMark {
  /** True when the indexes by account are gone. */
  readonly isAlone: boolean;
  /** When nothing was left to copy, in Unix milliseconds. */
  readonly filledAt: number;
}

/** What `account_lists` says; undefined: nothing was copied yet. */
export async function readState(trx: Transaction<Database>): Promise<ListsState | undefined> {
  const row = await trx.selectFrom("account_lists").selectAll().executeTakeFirst();
  return (
    row && {
      requests: { mark: row.mark, markId: row.mark_id },
      entry: row.entry_mark,
      isAlone: row.is_alone === 1,
      filledAt: row.filled_at,
    }
  );
}

/** True when more than `rows` requests or entries are not copied. */
export async function isFurther(
  trx: Transaction<Database>,
  { requests, entry }: ListsMark,
  rows: number,
): Promise<boolean> {
  const found = await sql`select 1 where
    exists (select 1 from requests where ${order.isAfter(requests)} limit 1 offset ${rows})
    or exists (select 1 from ledger_entries where id > ${entry} limit 1 offset ${rows})`.execute(trx);
  return found.rows.length > 0;
}

async function copyRequests(trx: Transaction<Database>, from: Mark, rowsMax: number): Promise<void> {
  const to = await order.pieceEnd(trx, from, rowsMax);
  if (to === undefined) return;
  await sql`insert into requests_of_account (account_id, created_at, id)
    select account_id, created_at, id from requests where ${order.isBetween(from, to)}
    order by account_id, created_at, id`.execute(trx);
  await trx.updateTable("account_lists").set({ mark: to.mark, mark_id: to.markId }).execute();
}

async function copyEntries(trx: Transaction<Database>, from: number, rowsMax: number): Promise<void> {
  const { rows } = await sql<{ last: number | null }>`select max(id) as last from
    (select id from ledger_entries where id > ${from} order by id limit ${rowsMax})`.execute(trx);
  const to = rows[0]?.last ?? null;
  if (to === null) return;
  await sql`insert into entries_of_account (account_id, id) select account_id, id from ledger_entries
    where id > ${from} and id <= ${to} order by account_id, id`.execute(trx);
  await trx.updateTable("account_lists").set({ entry_mark: to }).execute();
}

/** Restarts the lists of requests, because rows were moved. Entries keep their numbers. */
export async function refill(trx: Transaction<Database>): Promise<void> {
  await trx.deleteFrom("requests_of_account").execute();
  await trx.updateTable("account_lists").set({ mark: 0, mark_id: "" }).execute();
}

/** Copies the next piece of at most `rowsMax` requests and entries. Resolves with true when more is left. */
export async function fillSome(trx: Transaction<Database>, rowsMax: number): Promise<boolean> {
  await sql`insert into account_lists (id, mark, mark_id, entry_mark, is_alone, filled_at)
    values (1, 0, '', 0, 0, 0) on conflict do nothing`.execute(trx);
  const state = await readState(trx);
  if (state === undefined) return false;
  if (!(await order.isSound(trx, state.requests))) {
    await refill(trx);
    return true;
  }
  await copyRequests(trx, state.requests, rowsMax);
  await copyEntries(trx, state.entry, rowsMax);
  return await isBehind(trx, 0);
}

/** True when more than `rowsLeft` requests or entries are not copied yet. */
export async function isBehind(trx: Transaction<Database>, rowsLeft: number): Promise<boolean> {
  const state = await readState(trx);
  return state === undefined || (await isFurther(trx, state, rowsLeft));
}

/** What there is to copy; "few": so many requests and entries at most. */
type Due = "nothing" | "few" | "much";

/**
 * Whether there is something to copy and no process has copied everything within the last `everyMs`. Reads a
 * few rows and writes nothing.
 */
async function findDue({ db, clock, dialect }: MethodsOptions, everyMs: number, few: number): Promise<Due> {
  if (!dialect.hasAccountLists) return "nothing";
  const filledBefore = clock.wallMs() - everyMs;
  return await db
    .transaction()
    .setAccessMode("read only")
    .execute(async (trx) => {
      const state = await readState(trx);
      if (state === undefined) return "much";
      if (state.filledAt > filledBefore) return "nothing";
      if (!(await order.isSound(trx, state.requests)) || (await isFurther(trx, state, few))) return "much";
      return (await isFurther(trx, state, 0)) ? "few" : "nothing";
    });
}

/**
 * Copies the next piece, unless a process has copied everything within the last `everyMs`. Resolves with true
 * when more is left. A commit does not wait for the disk: what a power cut takes back is copied again.
 */
export async function fillLists(options: MethodsOptions, rowsMax: number, everyMs: number): Promise<boolean> {
  const { lazyDb, clock } = options;
  if ((await findDue(options, everyMs, 0)) === "nothing") return false;
  return await lazyDb.transaction().execute(async (trx) => {
    const isMore = await fillSome(trx, rowsMax);
    if (!isMore) await trx.updateTable("account_lists").set({ filled_at: clock.wallMs() }).execute();
    return isMore;
  });
}

/**
 * Copies what is due when that is at most `rowsMax` requests and entries. Resolves with true when more is
 * left; then nothing was copied.
 */
export async function fillFew(options: MethodsOptions, rowsMax: number, everyMs: number): Promise<boolean> {
  const due = await findDue(options, everyMs, rowsMax);
  return due === "few" ? await fillLists(options, rowsMax, everyMs) : due === "much";
}
