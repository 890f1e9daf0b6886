/** The methods of a store core that are the same for every dialect, composed of the rooms' parts. */

import type { Kysely } from "kysely";
import { createKeyRing } from "../lib/secret.ts";
import type { Clock } from "../lib/time/clock.ts";
import { createAccountMethods } from "./accounts/accounts.ts";
import { createApiKeyMethods } from "./accounts/api-keys.ts";
import { createCodesMethods } from "./accounts/codes-methods.ts";
import { createKeysMethods } from "./accounts/keys-methods.ts";
import { createCatalogMethods } from "./catalog/catalog.ts";
import { createCatalogEditMethods } from "./catalog/catalog-edit-methods.ts";
import type { KeyPlace } from "./catalog/key-source.ts";
import { createSealingKeyMethods } from "./catalog/sealing-key.ts";
import { createUpstreamStateMethods } from "./catalog/upstream-states.ts";
import { createEntryMethods } from "./ledger/entries.ts";
import { createHolderMethods } from "./ledger/holders.ts";
import { createVerifyMethods } from "./ledger/verify.ts";
import { createLimitMethods } from "./limits/limits.ts";
import { createChangeMethods } from "./operation/changes.ts";
import { createNewsMethods, type NewsSource } from "./operation/news.ts";
import { createOperationMethods } from "./operation/operation-methods.ts";
import { createPeopleMethods } from "./people/people-methods.ts";
import { createIdempotencyMethods } from "./requests/idempotency.ts";
import { createReasoningMethods } from "./requests/reasoning.ts";
import { createRefusalMethods } from "./requests/refusals.ts";
import { createRequestMethods } from "./requests/requests.ts";
import type { DialectWays } from "./sql/dialect.ts";
import type { Database } from "./sql/schema.ts";
import type { SharedMethods } from "./store-core.ts";
import { createUsageMethods } from "./usage/usage-methods.ts";

export function createSharedMethods(options: {
  db: Kysely<Database>;
  /** For what may be forgotten in a power cut. */
  lazyDb: Kysely<Database>;
  clock: Clock;
  keys: KeyPlace;
  ways: DialectWays;
  news: NewsSource;
}): SharedMethods {
  const { db, lazyDb, clock, keys, ways, news } = options;
  const keysNow = createKeyRing(keys.secretKey, keys.secretKeyFile);
  const consoleOptions = { db, lazyDb, clock, ways, keysNow };
  const changes = createChangeMethods(db);
  const states = createUpstreamStateMethods(db, ways);
  return {
    ...createAccountMethods(db, clock),
    ...createApiKeyMethods(db, clock),
    ...createCatalogMethods(db, clock, keysNow, ways),
    ...createSealingKeyMethods(db, keysNow),
    ...changes,
    ...createNewsMethods({ ...news, db, clock, ways, methods: { ...changes, ...states } }),
    ...createRequestMethods(db),
    ...createEntryMethods(db, clock, ways),
    ...createHolderMethods(db, lazyDb, clock, ways),
    ...createLimitMethods(lazyDb, ways),
    ...createIdempotencyMethods(db, clock, ways),
    ...createRefusalMethods(db, lazyDb, ways),
    ...states,
    ...createReasoningMethods(lazyDb, clock, keysNow),
    ...createVerifyMethods(db),
    ...createPeopleMethods(consoleOptions),
    ...createKeysMethods(consoleOptions),
    ...createCodesMethods(consoleOptions),
    ...createOperationMethods(consoleOptions),
    ...createUsageMethods(consoleOptions),
    ...createCatalogEditMethods(consoleOptions),
  };
}
