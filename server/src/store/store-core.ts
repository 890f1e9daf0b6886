/**
 * The part of a store that sits beside its database: everything but the collecting of request rows, which happens on the
 * caller's side (`request-batches.ts`). The same for every dialect; `openSqliteCore` and its like put one together.
 */
import type { Kysely } from "kysely";
import type { Clock } from "../lib/clock.ts";
import { createAccountMethods } from "./accounts.ts";
import { createApiKeyMethods } from "./api-keys.ts";
import { createCatalogMethods } from "./catalog.ts";
import { createChangeMethods } from "./changes.ts";
import type { RequestValue } from "./request-row.ts";
import { createRequestMethods } from "./requests.ts";
import type { Database } from "./schema.ts";
import type { Store } from "./store.ts";

/** A row of a batch that was refused for its own values. */
export interface RowFault {
  /** Place in the batch, from 0. */
  readonly index: number;
  readonly message: string;
}

export interface StoreCore extends Omit<Store, "recordRequest"> {
  /**
   * Commits a batch of rows, flat (`request-row.ts`). Resolves, when they are durable, with the rows that were refused;
   * rejects when nothing was written. Rows whose id is already there are left as they are.
   */
  recordRequests(values: readonly RequestValue[]): Promise<readonly RowFault[] | undefined>;
}

/** What every dialect shares; `migrate`, `recordRequests`, `ping` and `close` are its own. */
export type SharedMethods = Omit<StoreCore, "migrate" | "recordRequests" | "ping" | "close">;

export function createSharedMethods(options: {
  db: Kysely<Database>;
  clock: Clock;
  secretKey: Uint8Array;
}): SharedMethods {
  const { db, clock, secretKey } = options;
  return {
    ...createAccountMethods(db, clock),
    ...createApiKeyMethods(db, clock),
    ...createCatalogMethods(db, clock, secretKey),
    ...createChangeMethods(db),
    ...createRequestMethods(db),
  };
}
