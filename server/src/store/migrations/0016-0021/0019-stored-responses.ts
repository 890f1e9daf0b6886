/**
 * Responses that are kept for the caller's next turn, and which items are in them. Digests stand for ids:
 * the database alone does not say what a caller would have to send. Columns: `../../sql/schema.ts`.
 */
import type { Migration } from "../migration.ts";

const steps = ({ int, id, strict }: { int: string; id: string; strict: string }): string[] => [
  `create table stored_responses (
    digest ${id} not null primary key,
    account_id ${id} not null,
    parent_digest ${id},
    model_id ${id} not null,
    deployment ${id} not null,
    sealed text not null,
    bytes ${int} not null check (bytes >= 0),
    created_at ${int} not null,
    expires_at ${int} not null
  ) ${strict}`,
  "create index stored_responses_by_account on stored_responses (account_id, created_at, bytes)",
  "create index stored_responses_by_expiry on stored_responses (expires_at)",
  `create table response_items (
    item_digest ${id} not null primary key,
    response_digest ${id} not null
  ) ${strict}`,
  "create index response_items_by_response on response_items (response_digest)",
];

export const storedResponses: Migration = {
  version: 19,
  name: "stored_responses",
  kind: "expand",
  sqlite: steps({ int: "integer", id: "text", strict: "strict" }),
  postgres: steps({ int: "bigint", id: 'text collate "C"', strict: "" }),
};
