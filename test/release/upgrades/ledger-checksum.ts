/** The checksum of ledger entries that were there at a moment, to be compared after an upgrade. */
import { createHash } from "node:crypto";
import type { Ask } from "../../upgrades/corpus.ts";

export interface LedgerMoment {
  /** Account and number of each entry. */
  readonly ids: ReadonlySet<string>;
  /** SHA-256 of these entries. */
  readonly checksum: string;
}

type Row = Readonly<Record<string, string | null>>;

/** Columns that every schema has. */
const entries = `select cast(id as text) as id, account_id, kind, cast(amount_nanos as text) as amount,
  coalesce(request_id, '') as request, coalesce(note, '') as note, cast(created_at as text) as at
  from ledger_entries where amount_nanos <> 0`;

const idOf = ({ account_id: account, id }: Row): string => `${account} ${id}`;

function checksumOf(rows: readonly Row[]): string {
  const lines = rows.map((row) => JSON.stringify(Object.values(row))).sort();
  return createHash("sha256").update(lines.join("\n")).digest("hex");
}

/** Reads all entries of now. */
export async function readLedger(ask: Ask): Promise<LedgerMoment> {
  const rows = await ask(entries);
  return { ids: new Set(rows.map(idOf)), checksum: checksumOf(rows) };
}

/** The checksum now of the entries that were there at `moment`; it is the same unless one changed or went. */
export async function checksumSince(ask: Ask, { ids }: LedgerMoment): Promise<string> {
  return checksumOf((await ask(entries)).filter((row) => ids.has(idOf(row))));
}
