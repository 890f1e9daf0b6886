/**
 * Accounts and keys that have limits of their own, found among all the others: a part of the SQL of
 * `keys.ts`. The conditions are those of the indexes of migration 12, word by word: a database takes an index
 * of a part only when it sees that part asked for.
 */
import { type RawBuilder, type SqlBool, sql } from "kysely";

/** SQL: true when an account has a custom limit. */
export const accountHasLimits: RawBuilder<SqlBool> = sql<SqlBool>`(
  accounts.requests_per_minute is not null or accounts.tokens_per_minute is not null or accounts.concurrency is not null)`;

/** SQL: true when a key is not revoked and has a limit or a budget. */
export const keyHasLimits: RawBuilder<SqlBool> = sql<SqlBool>`(api_keys.status <> 'revoked' and (
  api_keys.requests_per_minute is not null or api_keys.tokens_per_minute is not null
  or api_keys.concurrency is not null or api_keys.budget_nanos is not null))`;
