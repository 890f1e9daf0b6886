/**
 * SQL for `codes.ts`: pages of a ledger with its running balance. Entries never change and ids grow within an
 * account, so the balance after an entry is constant. It is carried from page to page instead of being summed
 * from the start.
 */
import { message } from "@plaza/contract/messages/message.ts";
import { nanoUsd } from "@plaza/contract/money.ts";
import { type Kysely, sql } from "kysely";
import { StoreError } from "../error.ts";
import { toEntry } from "../ledger/entries.ts";
import type { MethodsOptions } from "../sql/dialect.ts";
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

/** The position above the newest entry. One statement reads id and balance, so no entry can come between. */
async function newestPosition(db: Kysely<Database>, accountId: string): Promise<EntryPosition> {
  const row = await db
    .selectFrom("accounts")
    .select((eb) => [
      "balance_nanos",
      eb
        .selectFrom("ledger_entries")
        .select(({ fn }) => fn.max("ledger_entries.id").as("id"))
        .whereRef("ledger_entries.account_id", "=", "accounts.id")
        .as("newest"),
    ])
    .where("id", "=", accountId)
    .executeTakeFirst();
  if (row === undefined)
    throw new StoreError("not_found", message("store.accountUnknown", { id: accountId }));
  return { id: Number(row.newest ?? 0) + 1, balance: nanoUsd(row.balance_nanos) };
}

/** The entries one call reads, newest first. */
const scanned = (db: Kysely<Database>, accountId: string, before: EntryPosition, lines: number) =>
  db
    .selectFrom("ledger_entries")
    .where("account_id", "=", accountId)
    .where("id", "<", before.id)
    .orderBy("id", "desc")
    .limit(lines);

/** Where a call continues that did not find enough; null at the end. */
async function positionAfterScan(
  db: Kysely<Database>,
  { accountId, from }: EntryFilter,
  before: EntryPosition,
): Promise<EntryPosition | null> {
  const seen = await db
    .selectFrom(
      scanned(db, accountId, before, scanMax).select(["id", "amount_nanos", "created_at"]).as("seen"),
    )
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

async function scanEntries(db: Kysely<Database>, filter: EntryFilter) {
  const { accountId, kinds, from, to, limit } = filter;
  const before = filter.before ?? (await newestPosition(db, accountId));
  const isFiltered = kinds !== undefined || from !== undefined || to !== undefined;
  const rows = await db
    .selectFrom(
      scanned(db, accountId, before, isFiltered ? scanMax : limit)
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
    return { entries, next: isFiltered ? await positionAfterScan(db, filter, before) : null };
  return { entries, next: { id: last.id, balance: nanoUsd(last.balanceAfter - last.amount) } };
}

export function createEntryPageMethods({
  db,
}: MethodsOptions): Pick<CodesStore, "scanEntries" | "balanceAfterEntry"> {
  return {
    scanEntries: (filter) => scanEntries(db, filter),
    async balanceAfterEntry({ accountId, id }) {
      const row = await db
        .selectFrom("accounts")
        .select((eb) => [
          "balance_nanos",
          eb
            .selectFrom("ledger_entries")
            .select(sumOfNanos(sql.ref("amount_nanos")).as("sum_nanos"))
            .whereRef("ledger_entries.account_id", "=", "accounts.id")
            .where("ledger_entries.id", ">", id)
            .as("later_nanos"),
        ])
        .where("id", "=", accountId)
        .executeTakeFirst();
      if (row === undefined)
        throw new StoreError("not_found", message("store.accountUnknown", { id: accountId }));
      return nanoUsd(row.balance_nanos - nanosOfSum(row.later_nanos));
    },
  };
}
