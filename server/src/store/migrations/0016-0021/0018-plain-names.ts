/**
 * Plainer names: what happens to an upstream's work when the client disconnects, and ephemeral keys.
 * Constraints and references are adapted in both databases. Columns: `../../sql/schema.ts`.
 */
import type { Migration } from "../migration.ts";

const statements = [
  "alter table upstreams rename column when_caller_leaves to on_disconnect",
  "alter table key_passes rename to ephemeral_keys",
  "drop index key_passes_by_session",
  "drop index key_passes_by_expiry",
  "create index ephemeral_keys_by_session on ephemeral_keys (session_id)",
  "create index ephemeral_keys_by_expiry on ephemeral_keys (expires_at)",
];

export const plainNames: Migration = {
  version: 18,
  name: "plain-names",
  kind: "contract",
  needs: 18,
  // Older servers look up in `key_passes` every key that they have not in memory.
  waitsForAll: true,
  sqlite: statements,
  postgres: statements,
};
