/** Ledger entries for the console: pages with the running balance, and the same as CSV. */

import type { entriesQuery, ledgerEntry } from "@plaza/contract/api/billing.ts";
import { type Message, message, textOf } from "@plaza/contract/messages/message.ts";
import { formatUsd, nanoUsd } from "@plaza/contract/money.ts";
import { z } from "zod";
import { csvLine } from "../../../lib/csv.ts";
import type {
  CodesStore,
  EntryFilter,
  EntryPosition,
  EntryWithBalance,
} from "../../../store/accounts/codes.ts";
import type { LedgerEntry } from "../../../store/ledger/shapes.ts";
import type { Download } from "../../context.ts";
import { readCursor, writeCursor } from "../../cursor.ts";

type Shown = z.output<typeof ledgerEntry>;
type Query = z.output<typeof entriesQuery>;

/** Most store calls per page; each reads about 5,000 entries. */
const scansMax = 200;

const csvRows = 1_000;

const isoOrNull = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

/** An entry and the balance after it. */
/**
 * The message of a note that the store wrote, in English, so that the console can translate it. Null for
 * notes by people.
 */
function noteMessageOf({ kind, reference, note }: EntryWithBalance): Message | null {
  const isCode = reference?.startsWith("code:") === true;
  if (note === null || (kind !== "expiry" && !isCode)) return null;
  const last = note.slice(note.search(/[^ …]*$/));
  const made = isCode ? message("ledger.code", { end: last }) : message("ledger.unusedRest", { entry: last });
  return textOf(made) === note ? made : null;
}

export function showEntry(entry: EntryWithBalance): Shown {
  const { id, kind, amount, balanceAfter, requestId, note, reference } = entry;
  return {
    id,
    createdAt: new Date(entry.createdAt).toISOString(),
    kind,
    amount: formatUsd(amount),
    balanceAfter: formatUsd(balanceAfter),
    requestId,
    note,
    noteMessage: noteMessageOf(entry),
    reference,
    expiresAt: isoOrNull(entry.expiresAt),
  };
}

/** An entry that was just written, or existed before. */
export async function showWritten(store: CodesStore, entry: LedgerEntry): Promise<Shown> {
  return showEntry({ ...entry, balanceAfter: await store.balanceAfterEntry(entry) });
}

const place = z.tuple([z.number().int(), z.string().regex(/^-?\d{1,20}$/)]);

const filterOf = (accountId: string, { kind, from, to }: Pick<Query, "kind" | "from" | "to">) => ({
  accountId,
  kinds: kind,
  from: from === undefined ? undefined : Date.parse(from),
  to: to === undefined ? undefined : Date.parse(to),
});

/**
 * Calls the store until the page is full, the ledger ends or the call limit is reached; the cursor continues
 * from there.
 */
async function scan(
  store: CodesStore,
  filter: EntryFilter,
): Promise<{ entries: EntryWithBalance[]; next: EntryPosition | null }> {
  const entries: EntryWithBalance[] = [];
  let before = filter.before;
  for (let scans = 0; scans < scansMax; scans += 1) {
    const found = await store.scanEntries({ ...filter, before, limit: filter.limit - entries.length });
    entries.push(...found.entries);
    if (found.next === null || entries.length >= filter.limit) return { entries, next: found.next };
    before = found.next;
  }
  return { entries, next: before ?? null };
}

/** A page of an account's ledger, newest first. */
export async function pageOfEntries(
  store: CodesStore,
  accountId: string,
  query: Query,
): Promise<{ entries: Shown[]; next: string | null }> {
  const [id, balance] = readCursor(query.cursor, place) ?? [];
  const { entries, next } = await scan(store, {
    ...filterOf(accountId, query),
    before: id === undefined || balance === undefined ? undefined : { id, balance: nanoUsd(BigInt(balance)) },
    limit: query.limit,
  });
  return {
    entries: entries.map(showEntry),
    next: next === null ? null : writeCursor([next.id, next.balance.toString()]),
  };
}

const headings = [
  "time",
  "id",
  "kind",
  "amount_usd",
  "balance_after_usd",
  "request_id",
  "reference",
  "note",
  "expires",
];

async function* csvPieces(
  store: CodesStore,
  filter: Omit<EntryFilter, "limit" | "before">,
): AsyncGenerator<string> {
  yield csvLine(headings);
  let before: EntryPosition | undefined;
  do {
    const { entries, next } = await store.scanEntries({ ...filter, before, limit: csvRows });
    const lines = entries
      .map(showEntry)
      .map((entry) =>
        csvLine([
          entry.createdAt,
          entry.id,
          entry.kind,
          entry.amount,
          entry.balanceAfter,
          entry.requestId,
          entry.reference,
          entry.note,
          entry.expiresAt,
        ]),
      );
    if (lines.length > 0) yield lines.join("");
    before = next ?? undefined;
  } while (before !== undefined);
}

/** An account's ledger as CSV, newest first, generated on demand. */
export function entriesAsCsv(
  store: CodesStore,
  accountId: string,
  query: Pick<Query, "kind" | "from" | "to">,
): Download {
  return { fileName: "ledger.csv", pieces: csvPieces(store, filterOf(accountId, query)) };
}
