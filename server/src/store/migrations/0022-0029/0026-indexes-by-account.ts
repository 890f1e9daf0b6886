/**
 * Drops the two indexes by account on SQLite: half of what a settlement cost, and no settlement reads them.
 * It waits until the tables that replace them are filled (`../../lists/fill.ts`).
 */
import { fillSome, isBehind } from "../../lists/fill.ts";
import type { Migration } from "../migration.ts";

/** Rows that may be left when the indexes go. */
const rowsLeft = 20_000;
/** A part is done in one transaction: a second or less. A small database needs no more. */
const piecesMax = 4;
const pieceRows = 5_000;

export const indexesByAccount: Migration = {
  version: 26,
  name: "indexes_by_account",
  kind: "contract",
  needs: 23,
  sqlite: [
    "drop index requests_by_account",
    "drop index ledger_entries_by_account",
    "update account_lists set is_alone = 1",
  ],
  postgres: [],
  async prepare(trx) {
    for (let piece = 0; piece < piecesMax && (await fillSome(trx, pieceRows)); piece += 1);
    return !(await isBehind(trx, rowsLeft));
  },
};
