/** Refused calls without a row of their own, counted by key, reason and minute. Columns: `../schema.ts`. */
import type { Migration } from "../migration.ts";

const table = ({ int, id, strict }: { int: string; id: string; strict: string }): string =>
  `create table refusals (
    account_id ${id} not null,
    minute ${int} not null,
    key_id ${id} not null,
    error_code ${id} not null,
    count ${int} not null check (count > 0),
    primary key (account_id, minute, key_id, error_code)
  ) ${strict}`;

export const refusals: Migration = {
  version: 15,
  name: "refusals",
  kind: "expand",
  sqlite: [table({ int: "integer", id: "text", strict: "strict, without rowid" })],
  postgres: [table({ int: "bigint", id: 'text collate "C"', strict: "" })],
};
