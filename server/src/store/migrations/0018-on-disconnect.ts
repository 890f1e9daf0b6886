/**
 * A column gets the name its setting has: what becomes of an upstream's work when the client disconnects.
 * Its check follows it on both databases. Columns: `../sql/schema.ts`.
 */
import type { Migration } from "./migration.ts";

const statements = ["alter table upstreams rename column when_caller_leaves to on_disconnect"];

export const onDisconnect: Migration = {
  version: 18,
  name: "on-disconnect",
  sqlite: statements,
  postgres: statements,
};
