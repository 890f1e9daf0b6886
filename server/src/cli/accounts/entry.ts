/** A line of an account's ledger as commands write and show it. Knows no command. */

import { formatUsd } from "@plaza/contract/money.ts";
import type { LedgerEntry, LedgerStore, NewLedgerEntry } from "../../store/ledger/shapes.ts";
import type { RequestsStore } from "../../store/requests/shapes.ts";
import { audited } from "../audit.ts";
import type { CommandIo } from "../command-io.ts";
import { isoTime } from "../output.ts";
import { getAccount, withStore } from "../with-store.ts";

/** A line for a JSON document: amounts as text, points in time as ISO 8601. */
export function entryAsJson({ accountId, amount, expiresAt, createdAt, ...entry }: LedgerEntry) {
  return {
    id: entry.id,
    account: accountId,
    kind: entry.kind,
    amount: formatUsd(amount),
    requestId: entry.requestId,
    reference: entry.reference,
    note: entry.note,
    expiresAt: expiresAt === null ? null : isoTime(expiresAt),
    createdAt: isoTime(createdAt),
  };
}

/**
 * Adds the line `createEntry` makes to the ledger of an account that must
 * exist; `action` is the command's words.
 */
export function addMoney(
  io: CommandIo,
  options: object,
  action: string,
  createEntry: (store: LedgerStore & RequestsStore) => Promise<NewLedgerEntry>,
): ReturnType<LedgerStore["addEntry"]> {
  return withStore(io, options, async (store) => {
    const entry = await createEntry(store);
    await getAccount(store, entry.accountId);
    const { accountId, amount, kind: _, ...rest } = entry;
    const detail = { amount: formatUsd(amount), ...rest };
    return await audited(
      io,
      store,
      { action, accountId, detail },
      () => store.addEntry(entry),
      (added) => ({ subject: String(added.entry.id) }),
    );
  });
}
