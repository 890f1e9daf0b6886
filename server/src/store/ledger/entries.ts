/**
 * Ledger entries made by people (top-ups, adjustments, refunds) and expiring grants. A balance changes only
 * together with an entry, in one transaction. Batches write the charges.
 */
import { type Message, message } from "@plaza/contract/messages/message.ts";
import { formatUsd, type NanoUsd, nanoUsd } from "@plaza/contract/money.ts";
import type { Kysely, Selectable, Transaction } from "kysely";
import type { Clock } from "../../lib/time/clock.ts";
import { checkBalance, lockAccount } from "../accounts/accounts.ts";
import { StoreError } from "../error.ts";
import { entriesOf, inOneView } from "../lists/read.ts";
import { insertChange } from "../operation/changes.ts";
import type { SqlDialect } from "../sql/dialect.ts";
import type { AccountsTable, Database, LedgerEntriesTable } from "../sql/schema.ts";
import type { Store } from "../store.ts";
import { nextEntryNumber } from "./entry-numbers.ts";
import { allocateGrants } from "./grants.ts";
import type { LedgerEntry, NewLedgerEntry } from "./shapes.ts";

const listMax = 10_000;

/** Converts an entry's row. */
export function toEntry(row: Selectable<LedgerEntriesTable>): LedgerEntry {
  return {
    id: row.id,
    accountId: row.account_id,
    kind: row.kind,
    amount: nanoUsd(row.amount_nanos),
    requestId: row.request_id,
    reference: row.reference,
    note: row.note,
    expiresAt: row.expires_at,
    createdAt: row.created_at,
  };
}

const invalid = (refusal: Message) => new StoreError("invalid", refusal);

const usd = (nanos: bigint): string => `${formatUsd(nanoUsd(nanos))} USD`;

/** When an entry written at `writtenMs` expires. */
function expiryOf({ expiresAt, expiresAfterMs }: NewLedgerEntry, writtenMs: number): number | undefined {
  return expiresAfterMs === undefined ? expiresAt : writtenMs + expiresAfterMs;
}

function checkEntry(entry: NewLedgerEntry, account: Selectable<AccountsTable>, nowMs: number): void {
  const { amount, kind } = entry;
  if (entry.requestId !== undefined && kind !== "refund")
    throw invalid(message("store.requestWithoutRefund"));
  const expiresAt = expiryOf(entry, nowMs);
  if (expiresAt !== undefined) {
    if (kind !== "topup") throw invalid(message("store.expiryWithoutTopUp"));
    if (expiresAt <= nowMs) throw invalid(message("store.expiredAlready"));
  }
  if (account.closed_at !== null) throw invalid(message("store.accountClosed", { id: account.id }));
  if (amount === 0n) throw invalid(message("store.entryZero"));
  if (amount < 0n && kind !== "adjustment") throw invalid(message("store.kindNegative", { kind }));
  checkBalance(account.balance_nanos + amount);
  const free = account.balance_nanos - account.leased_nanos;
  if (amount < 0n && free + amount < 0n) {
    const { id, leased_nanos } = account;
    throw invalid(
      leased_nanos > 0n
        ? message("store.tooMuchWhileLent", { free: usd(free), id, lent: usd(leased_nanos) })
        : message("store.tooMuch", { free: usd(free), id }),
    );
  }
}

/** Checks a refund: at most the request's charge, once, and to the account that paid. */
async function checkRefund(trx: Transaction<Database>, entry: NewLedgerEntry): Promise<void> {
  const requestId = entry.requestId;
  if (requestId === undefined) throw invalid(message("store.refundWithoutRequest"));
  const entries = await trx
    .selectFrom("ledger_entries")
    .select(["account_id", "kind", "amount_nanos"])
    .where("request_id", "=", requestId)
    .where("kind", "in", ["charge", "operator_loss", "refund"])
    .execute();
  const paid = -entries
    .filter(({ account_id }) => account_id === entry.accountId)
    .reduce((sum, { amount_nanos }) => sum + amount_nanos, 0n);
  if (entries.some(({ kind }) => kind === "refund")) {
    throw new StoreError("duplicate", message("store.refundedBefore", { requestId }));
  }
  if (paid < entry.amount) {
    throw invalid(message("store.refundTooLarge", { id: entry.accountId, paid: usd(paid), requestId }));
  }
}

/**
 * The earlier entry with the same reference, whatever its note. Throws `duplicate` when it differs otherwise.
 */
async function findRepeated(
  trx: Transaction<Database>,
  entry: NewLedgerEntry,
): Promise<LedgerEntry | undefined> {
  if (entry.reference === undefined) return undefined;
  const row = await trx
    .selectFrom("ledger_entries")
    .selectAll()
    .where("account_id", "=", entry.accountId)
    .where("reference", "=", entry.reference)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const expiresAt = expiryOf(entry, row.created_at) ?? null;
  if (row.kind === entry.kind && row.amount_nanos === entry.amount && row.expires_at === expiresAt) {
    return toEntry(row);
  }
  const { reference, accountId } = entry;
  const other = { reference, accountId, kind: row.kind, amount: usd(row.amount_nanos) };
  throw new StoreError(
    "duplicate",
    row.expires_at === null
      ? message("store.referenceTaken", other)
      : message("store.referenceTakenUntil", { ...other, until: new Date(row.expires_at).toISOString() }),
  );
}

/** Writes the entry and moves the balance. The account's row must be locked and everything checked. */
async function write(
  trx: Transaction<Database>,
  entry: NewLedgerEntry,
  account: Selectable<AccountsTable>,
  nowMs: number,
  dialect: SqlDialect,
): Promise<LedgerEntry> {
  const row = await trx
    .insertInto("ledger_entries")
    .values({
      ...(await nextEntryNumber(trx, entry.accountId, dialect)),
      account_id: entry.accountId,
      kind: entry.kind,
      amount_nanos: entry.amount,
      request_id: entry.requestId ?? null,
      reference: entry.reference ?? null,
      note: entry.note ?? null,
      expires_at: expiryOf(entry, nowMs) ?? null,
      created_at: nowMs,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  // A deduction uses up grants like spending, or the amount would be deducted again when they expire.
  const spent = entry.amount < 0n ? -entry.amount : 0n;
  await trx
    .updateTable("accounts")
    .set({
      balance_nanos: account.balance_nanos + entry.amount,
      spent_nanos: account.spent_nanos + spent,
    })
    .where("id", "=", entry.accountId)
    .execute();
  return toEntry(row);
}

/** Implements `addEntry`, inside a transaction. */
export async function addEntry(
  trx: Transaction<Database>,
  entry: NewLedgerEntry,
  nowMs: number,
  dialect: SqlDialect,
): Promise<{ entry: LedgerEntry; isNew: boolean; balance: NanoUsd }> {
  const account = await lockAccount(trx, entry.accountId, dialect);
  const repeated = await findRepeated(trx, entry);
  if (repeated !== undefined) {
    return { entry: repeated, isNew: false, balance: nanoUsd(account.balance_nanos) };
  }
  checkEntry(entry, account, nowMs);
  if (entry.kind === "refund") await checkRefund(trx, entry);
  // Earlier spending must not be deducted from the new grant.
  const expiresAt = expiryOf(entry, nowMs);
  if (expiresAt !== undefined) await allocateGrants(trx, account);
  const written = await write(trx, entry, account, nowMs, dialect);
  if (expiresAt !== undefined) {
    await trx
      .insertInto("grants")
      .values({
        entry_id: written.id,
        account_id: entry.accountId,
        remaining_nanos: entry.amount,
        expires_at: expiresAt,
      })
      .execute();
  }
  await insertChange(trx, { kind: "account", subject: entry.accountId }, nowMs);
  return { entry: written, isNew: true, balance: nanoUsd(account.balance_nanos + entry.amount) };
}

type EntryMethods = Pick<Store, "addEntry" | "listEntries">;

export function createEntryMethods(db: Kysely<Database>, clock: Clock, dialect: SqlDialect): EntryMethods {
  return {
    addEntry: (entry) => db.transaction().execute((trx) => addEntry(trx, entry, clock.wallMs(), dialect)),
    async listEntries({ accountId, limit }) {
      const most = Math.min(Math.max(0, Math.trunc(limit)), listMax);
      const rows = await inOneView(db, async (trx) => {
        const entries = await entriesOf(trx, dialect, accountId, { limit: most });
        return await trx.selectFrom(entries.as("entries")).selectAll().orderBy("id", "desc").execute();
      });
      return rows.map(toEntry);
    },
  };
}
