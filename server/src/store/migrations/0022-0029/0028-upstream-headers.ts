/**
 * Headers that an operator adds to the calls of an upstream, with their sealed values. Columns:
 * `../../sql/schema-console.ts`. Servers of before 28 read nothing of it: they call upstreams without these
 * headers.
 *
 * A contract, although it only adds, for the reason of migration 27. There are no headers before it has run.
 */
import type { Migration } from "../migration.ts";

const table = (id: string, suffix: string): string => `create table upstream_headers (
    upstream_id ${id} not null references upstreams (id) on delete cascade,
    name ${id} not null,
    sealed text not null,
    primary key (upstream_id, name)
  )${suffix}`;

export const upstreamHeaders: Migration = {
  version: 28,
  name: "upstream_headers",
  kind: "contract",
  needs: 23,
  sqlite: [table("text", " strict, without rowid")],
  postgres: [table('text collate "C"', "")],
};
