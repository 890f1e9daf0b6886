/** The numbers that a batch gives to its ledger entries (`../ledger/entry-numbers.ts`). */
import { invariant } from "../../lib/invariant.ts";
import { isNumbered, lastEntry } from "../ledger/entry-numbers.ts";
import { arrayLiteral } from "./array.ts";
import type { PostgresClient } from "./pool.ts";

const askWhetherNumbered = `select ${isNumbered} as is_numbered`;
const selectLast = `select id, ${lastEntry} as last from accounts where id = any($1::text[])`;

/** An account's row, as far as it is read here. */
export interface LastEntryRow {
  readonly id: string;
  /** Null until its first entry that is numbered by account. */
  readonly last_entry: number | null;
}

export class EntryNumbers {
  readonly #last: Map<string, number> | undefined;

  /** `last`: of every account that the batch may write to; undefined while a sequence gives the numbers. */
  constructor(last: Map<string, number> | undefined) {
    this.#last = last;
  }

  /** False while a sequence gives the numbers. */
  get areOurs(): boolean {
    return this.#last !== undefined;
  }

  /** Takes the next number of an account. */
  take(accountId: string): number {
    const last = this.#last?.get(accountId);
    invariant(last !== undefined, "a batch numbers the entries of accounts it has locked", accountId);
    this.#last?.set(accountId, last + 1);
    return last + 1;
  }

  /** The last number that was taken, for the account's row; null while a sequence gives them. */
  lastOf(accountId: string): number | null {
    return this.#last?.get(accountId) ?? null;
  }
}

/** For locked accounts. `isSure`: looks at the entries themselves, also of accounts that know their last. */
export async function readEntryNumbers(
  client: PostgresClient,
  accounts: Iterable<LastEntryRow>,
  isSure: boolean,
): Promise<EntryNumbers> {
  const last = new Map<string, number>();
  const unsure: string[] = [];
  for (const { id, last_entry } of accounts) {
    if (last_entry !== null) last.set(id, last_entry);
    if (last_entry === null || isSure) unsure.push(id);
  }
  if (unsure.length === 0) return new EntryNumbers(last);
  if (last.size === 0) {
    const { rows } = await client.query<{ is_numbered: boolean }>(askWhetherNumbered, [], "is_numbered");
    if (rows[0]?.is_numbered !== true) return new EntryNumbers(undefined);
  }
  const { rows } = await client.query<{ id: string; last: number }>(
    selectLast,
    [arrayLiteral(unsure)],
    "last_entries",
  );
  for (const row of rows) last.set(row.id, row.last);
  return new EntryNumbers(last);
}
