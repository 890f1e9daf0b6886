/**
 * Makes of this checkout the version after it: preloaded into a process (`--require`), it adds an expansion
 * with a long back-fill over `requests`, and a contract.
 */
import { migrations } from "../../../server/src/store/migrations/index.ts";
import type { Migration } from "../../../server/src/store/migrations/migration.ts";

const next = (migrations.at(-1)?.version ?? 0) + 1;
/** Rows of a chunk at most, so that a short form has chunks enough to be killed in. */
const rowsOfChunk = 200;
const copied = "next_at";

const column = (int: string) => `alter table requests add column ${copied} ${int}`;

const expansion: Migration = {
  version: next,
  name: "next-expansion",
  kind: "expand",
  sqlite: [
    column("integer"),
    `create trigger requests_${copied} after insert on requests when new.${copied} is null begin
      update requests set ${copied} = new.created_at where rowid = new.rowid; end`,
  ],
  postgres: [
    column("bigint"),
    `create function requests_${copied}() returns trigger language plpgsql as
      $$ begin new.${copied} := new.created_at; return new; end $$`,
    `create trigger requests_${copied} before insert on requests
      for each row execute function requests_${copied}()`,
  ],
  backfill: {
    async chunk({ trx, cursor, rowsMax }) {
      const limit = Math.min(rowsMax, rowsOfChunk);
      const rows = await trx
        .selectFrom("requests")
        .select("id")
        .where("id", ">", cursor)
        .orderBy("id")
        .limit(limit)
        .execute();
      const last = rows.at(-1)?.id ?? cursor;
      await trx
        .updateTable("requests")
        // The column is not one of today's.
        .set((eb) => ({ [copied]: eb.ref("created_at") }) as never)
        .where("id", ">", cursor)
        .where("id", "<=", last)
        .execute();
      return { cursor: last, rows: rows.length, isLast: rows.length < limit };
    },
  },
};

/** What it takes away is empty; servers before the expansion are kept out all the same. */
const contract: Migration = {
  version: next + 1,
  name: "next-contract",
  kind: "contract",
  needs: next,
  sqlite: [`drop trigger requests_${copied}`],
  postgres: [`drop trigger requests_${copied} on requests`, `drop function requests_${copied}()`],
};

(migrations as Migration[]).push(expansion, contract);
