/**
 * The last report of each serving process about its upstreams, deleted with the process. Columns:
 * `../schema.ts`.
 */
import type { Migration } from "../migration.ts";

const table = ({ int, id, strict }: { int: string; id: string; strict: string }): string =>
  `create table upstream_states (
    holder_id ${id} primary key references holders (id) on delete cascade,
    states text not null,
    at ${int} not null
  ) ${strict}`;

export const upstreamStates: Migration = {
  version: 8,
  name: "upstream-states",
  kind: "expand",
  sqlite: [table({ int: "integer", id: "text", strict: "strict" })],
  postgres: [table({ int: "bigint", id: 'text collate "C"', strict: "" })],
};
