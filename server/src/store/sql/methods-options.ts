/** What the console's parts of the store are made with. */
import type { Kysely } from "kysely";
import type { Clock } from "../../lib/time/clock.ts";
import type { SqlDialect } from "./dialect.ts";
import type { Database } from "./schema.ts";

export interface MethodsOptions {
  readonly db: Kysely<Database>;
  /** For what may be forgotten in a power cut. */
  readonly lazyDb: Kysely<Database>;
  readonly clock: Clock;
  readonly dialect: SqlDialect;
  /** The sealing keys as they are now (`lib/secret.ts`); asked within the transaction that needs them. */
  readonly keysNow: () => Uint8Array;
}
