/**
 * What serving processes publish for the live view while it has viewers. Rows of processes that ended are
 * deleted after 15 minutes. Columns: `../sql/schema-console.ts`.
 *
 * A contract for the reason of 27. Until it has run, a live view shows the process that answers, and says so.
 */
import type { Migration } from "./migration.ts";

const table = ({ int, id, strict }: { int: string; id: string; strict: string }): string =>
  `create table live_samples (
    process ${id} primary key not null,
    sample text not null,
    history text not null,
    at ${int} not null
  ) ${strict}`;

export const liveSamples: Migration = {
  version: 30,
  name: "live_samples",
  kind: "contract",
  needs: 23,
  sqlite: [table({ int: "integer", id: "text", strict: "strict" })],
  postgres: [table({ int: "bigint", id: 'text collate "C"', strict: "" })],
};
