/**
 * On PostgreSQL leases and budgets say which account they belong to, for an engine that spreads rows by
 * account (decision 12 step 4). What servers before it write meanwhile has none; migration 35 fills that in,
 * once they are gone. Until then nothing may read the column.
 */
import { sql } from "kysely";
import type { Migration } from "./migration.ts";

export const accountOfLeases: Migration = {
  version: 34,
  name: "account_of_leases",
  kind: "expand",
  isIndependent: true,
  sqlite: [],
  postgres: ["leases", "key_budgets"].map(
    (table) => `alter table ${table} add column account_id text collate "C"`,
  ),
  backfill: {
    async chunk({ trx, cursor, rowsMax, dialect }) {
      if (dialect === "sqlite") return { cursor, rows: 0, isLast: true };
      const { rows } = await sql<{ id: string }>`with piece as (
          select id, key_id from key_budgets where id > ${cursor} order by id limit ${rowsMax})
        update key_budgets set account_id = api_keys.account_id from piece join api_keys on api_keys.id = piece.key_id
        where key_budgets.id = piece.id returning key_budgets.id`.execute(trx);
      const last = rows.reduce((most, { id }) => (id > most ? id : most), cursor);
      return { cursor: last, rows: rows.length, isLast: rows.length < rowsMax };
    },
  },
};
