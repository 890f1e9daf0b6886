/**
 * Reads an account's requests and ledger entries from the lists that are filled behind the settlements, with
 * the rows behind their marks: every row once, whether it was copied or not. Where there are no lists, or
 * they are far behind while the indexes by account are still there, the tables themselves are read.
 */
import { type Kysely, type RawBuilder, type Selectable, sql, type Transaction } from "kysely";
import type { RequestsTable } from "../requests/columns.ts";
import type { SqlDialect } from "../sql/dialect.ts";
import { sqliteOrder as order } from "../sql/insertion-order.ts";
import type { Database, LedgerEntriesTable } from "../sql/schema.ts";
import { isFurther, type ListsMark, readState } from "./fill.ts";

/** Beyond this many rows behind a mark an index by account is quicker, if there is one. */
const behindMax = 20_000;

/** How far the lists are filled; undefined: read the tables themselves. */
export async function readLists(
  trx: Transaction<Database>,
  { hasAccountLists }: SqlDialect,
): Promise<ListsMark | undefined> {
  const state = hasAccountLists ? await readState(trx) : undefined;
  if (state === undefined || !(await order.isSound(trx, state.requests))) return undefined;
  return state.isAlone || !(await isFurther(trx, state, behindMax)) ? state : undefined;
}

/** Requests to read: their source, a condition, and the columns that are in order there. */
export interface RequestScope {
  readonly source: RawBuilder<unknown>;
  /** Finds rows without reading others. */
  readonly condition: RawBuilder<boolean>;
  readonly time: RawBuilder<number>;
  readonly id: RawBuilder<string>;
  /** The account's column in further conditions. */
  readonly account?: RawBuilder<string>;
}

/** The table itself, by a condition that an index serves. */
export const among = (condition: RawBuilder<boolean>, account?: RawBuilder<string>): RequestScope => ({
  source: sql`requests`,
  condition,
  time: sql.raw("requests.created_at"),
  id: sql.raw("requests.id"),
  ...(account === undefined ? {} : { account }),
});

/** An account's requests: all of them without lists, otherwise those that are copied. */
export const ownRequests = (accountId: string, lists: ListsMark | undefined): RequestScope =>
  lists === undefined
    ? among(sql`requests.account_id = ${accountId}`)
    : {
        source: sql`requests_of_account as own cross join requests`,
        condition: sql`own.account_id = ${accountId} and requests.id = own.id`,
        time: sql.raw("own.created_at"),
        id: sql.raw("own.id"),
        account: sql.raw("own.account_id"),
      };

/** An account's requests that are not copied. An index by account, if there is one, would be slower. */
export function newRequests(accountId: string, { requests }: ListsMark): RequestScope {
  const account = sql.raw<string>("+requests.account_id");
  return among(sql`${order.isAfter(requests)} and ${account} = ${accountId}`, account);
}

/** Runs in one snapshot of the database. */
export const inOneView = <T>(
  db: Kysely<Database>,
  work: (trx: Transaction<Database>) => Promise<T>,
): Promise<T> =>
  db.transaction().setAccessMode("read only").setIsolationLevel("repeatable read").execute(work);

/** An account's newest requests, newest first. */
export async function newestRequests(
  db: Kysely<Database>,
  dialect: SqlDialect,
  accountId: string,
  limit: number,
): Promise<Selectable<RequestsTable>[]> {
  return await inOneView(db, async (trx) => {
    const lists = await readLists(trx, dialect);
    const scopes = [ownRequests(accountId, lists)];
    if (lists !== undefined) scopes.push(newRequests(accountId, lists));
    const parts = scopes.map(
      ({ source, condition, time, id }) => sql`select * from (select requests.* from ${source}
        where ${condition} order by ${time} desc, ${id} desc limit ${limit}) part`,
    );
    const { rows } = await sql<Selectable<RequestsTable>>`select * from (${sql.join(parts, sql` union all `)})
      as found order by created_at desc, id desc limit ${limit}`.execute(trx);
    return rows;
  });
}

/** Which of an account's entries are wanted: those with numbers between, the newest `limit` of them. */
interface EntryRange {
  /** Exclusive, like `below`. */
  readonly above?: number;
  readonly below?: number;
  readonly limit?: number;
}

/** Rows of `ledger_entries` of an account, in a subquery to select from. */
export async function entriesOf(
  trx: Transaction<Database>,
  dialect: SqlDialect,
  accountId: string,
  { above, below, limit }: EntryRange,
): Promise<RawBuilder<Selectable<LedgerEntriesTable>>> {
  const lists = await readLists(trx, dialect);
  const least = above === undefined ? sql`` : sql` and id > ${above}`;
  const most = below === undefined ? sql`` : sql` and id < ${below}`;
  const newest = limit === undefined ? sql`` : sql` order by id desc limit ${limit}`;
  const inRange = (of: RawBuilder<unknown>) => sql`${of}${least}${most}${newest}`;
  if (lists === undefined) {
    const whole = sql`select * from ledger_entries where account_id = ${accountId}`;
    return sql`(${inRange(whole)})`;
  }
  const own = sql`select id from entries_of_account where account_id = ${accountId}`;
  const added = sql`select id from ledger_entries where id > ${lists.entry} and +account_id = ${accountId}`;
  return sql`(select * from ledger_entries where id in (select id from (${inRange(own)})
    union all select id from (${inRange(added)}))${newest})`;
}
