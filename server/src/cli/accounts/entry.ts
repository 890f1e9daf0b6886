/** Ledger entries as commands write and show them. */

import { formatUsd } from "@plaza/contract/money.ts";
import type { LedgerEntry, LedgerStore, NewLedgerEntry } from "../../store/ledger/shapes.ts";
import type { RequestsStore } from "../../store/requests/shapes.ts";
import { audited } from "../audit.ts";
import type { CommandIo } from "../command-io.ts";
import { isoTime } from "../output.ts";
import { getAccount, withStore } from "../with-store.ts";

/** An entry as JSON: amounts as text, times as ISO 8601. */
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

/** Adds the entry made by `createEntry` to the ledger of an existing account. `action`: the command. */
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
