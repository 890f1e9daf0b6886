/**
 * SQL for `codes.ts`: pages of a ledger with its running balance. Entries never change and ids grow within an
 * account, so the balance after an entry is constant. It is carried from page to page instead of being summed
 * from the start.
 */
import { message } from "@plaza/contract/messages/message.ts";
import { type NanoUsd, nanoUsd } from "@plaza/contract/money.ts";
import { sql, type Transaction } from "kysely";
import { StoreError } from "../error.ts";
import { toEntry } from "../ledger/entries.ts";
import { entriesOf, inOneView } from "../lists/read.ts";
import type { MethodsOptions, SqlDialect } from "../sql/dialect.ts";
import { nanosOfSum, sumOfNanos } from "../sql/expressions.ts";
import type { Database } from "../sql/schema.ts";
import type { CodesStore, EntryFilter, EntryPosition } from "./codes.ts";

/**
 * Entries read per call, about ten milliseconds. Where there is only one connection, settlements wait
 * meanwhile.
 */
const scanMax = 5_000;

/** Entries are written in order of id, and nearly in order of time: clocks differ by less than this. */
const clockSlackMs = 24 * 60 * 60 * 1000;

/** The account's balance. Throws `not_found`. */
async function balanceOf(trx: Transaction<Database>, accountId: string): Promise<NanoUsd> {
  const row = await trx
    .selectFrom("accounts")
    .select("balance_nanos")
    .where("id", "=", accountId)
    .executeTakeFirst();
  if (row === undefined)
    throw new StoreError("not_found", message("store.accountUnknown", { id: accountId }));
  return nanoUsd(row.balance_nanos);
}

/** The position above the newest entry. Id and balance are of one view, so no entry can come between. */
async function newestPosition(
  trx: Transaction<Database>,
  dialect: SqlDialect,
  accountId: string,
): Promise<EntryPosition> {
  const balance = await balanceOf(trx, accountId);
  const newest = await trx
    .selectFrom((await entriesOf(trx, dialect, accountId, { limit: 1 })).as("seen"))
    .select("id")
    .executeTakeFirst();
  return { id: Number(newest?.id ?? 0) + 1, balance };
}

/** The entries one call reads, newest first. */
const scanned = async (
  trx: Transaction<Database>,
  dialect: SqlDialect,
  accountId: string,
  before: EntryPosition,
  lines: number,
) => (await entriesOf(trx, dialect, accountId, { below: before.id, limit: lines })).as("lines");

/** Where a call continues that did not find enough; null at the end. */
async function positionAfterScan(
  trx: Transaction<Database>,
  dialect: SqlDialect,
  { accountId, from }: EntryFilter,
  before: EntryPosition,
): Promise<EntryPosition | null> {
  const seen = await trx
    .selectFrom(await scanned(trx, dialect, accountId, before, scanMax))
    .select(({ fn }) => [
      fn.countAll<number | bigint>().as("lines"),
      fn.min("id").as("lowest"),
      fn.max("created_at").as("newest"),
      sumOfNanos(sql.ref("amount_nanos")).as("sum_nanos"),
    ])
    .executeTakeFirstOrThrow();
  if (Number(seen.lines) < scanMax) return null;
  if (from !== undefined && Number(seen.newest) < from - clockSlackMs) return null;
  return { id: Number(seen.lowest), balance: nanoUsd(before.balance - nanosOfSum(seen.sum_nanos)) };
}

async function scanEntries(trx: Transaction<Database>, dialect: SqlDialect, filter: EntryFilter) {
  const { accountId, kinds, from, to, limit } = filter;
  const before = filter.before ?? (await newestPosition(trx, dialect, accountId));
  const isFiltered = kinds !== undefined || from !== undefined || to !== undefined;
  const lines = await scanned(trx, dialect, accountId, before, isFiltered ? scanMax : limit);
  const rows = await trx
    .selectFrom(
      trx
        .selectFrom(lines)
        .selectAll()
        .select(
          sumOfNanos(
            sql.ref("amount_nanos"),
            sql`over (order by id desc rows between unbounded preceding and current row)`,
          ).as("running_nanos"),
        )
        .as("seen"),
    )
    .selectAll()
    .$if(kinds !== undefined, (query) => query.where("kind", "in", kinds ?? []))
    .$if(from !== undefined, (query) => query.where("created_at", ">=", from ?? 0))
    .$if(to !== undefined, (query) => query.where("created_at", "<", to ?? 0))
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
  const entries = rows.map((row) => {
    const entry = toEntry(row);
    return { ...entry, balanceAfter: nanoUsd(before.balance - nanosOfSum(row.running_nanos) + entry.amount) };
  });
  const last = entries.at(-1);
  if (last === undefined || entries.length < limit)
    return { entries, next: isFiltered ? await positionAfterScan(trx, dialect, filter, before) : null };
  return { entries, next: { id: last.id, balance: nanoUsd(last.balanceAfter - last.amount) } };
}

export function createEntryPageMethods({
  db,
  dialect,
}: MethodsOptions): Pick<CodesStore, "scanEntries" | "balanceAfterEntry"> {
  return {
    scanEntries: (filter) => inOneView(db, (trx) => scanEntries(trx, dialect, filter)),
    balanceAfterEntry: ({ accountId, id }) =>
      inOneView(db, async (trx) => {
        const balance = await balanceOf(trx, accountId);
        const later = await trx
          .selectFrom((await entriesOf(trx, dialect, accountId, { above: id })).as("later"))
          .select(sumOfNanos(sql.ref("amount_nanos")).as("sum_nanos"))
          .executeTakeFirstOrThrow();
        return nanoUsd(balance - nanosOfSum(later.sum_nanos));
      }),
  };
}
