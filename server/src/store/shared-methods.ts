/** The methods of a store core that are the same for every dialect, assembled from the folders' parts. */

import type { Kysely } from "kysely";
import { createKeyRing } from "../lib/secret.ts";
import type { Clock } from "../lib/time/clock.ts";
import { createAccountMethods } from "./accounts/accounts.ts";
import { createApiKeyMethods } from "./accounts/api-keys.ts";
import { createCodesMethods } from "./accounts/codes-methods.ts";
import { createKeysMethods } from "./accounts/keys-methods.ts";
import { createCatalogMethods } from "./catalog/catalog.ts";
import { createCatalogEditMethods } from "./catalog/edit-methods.ts";
import { createSealingKeyMethods } from "./catalog/sealing-key.ts";
import type { KeySource } from "./catalog/sealing-shapes.ts";
import { createUpstreamStateMethods } from "./catalog/upstream-states.ts";
import { createConfigurationMethods } from "./configuration/methods.ts";
import type { SharedMethods } from "./core.ts";
import { createEntryMethods } from "./ledger/entries.ts";
import { createHolderMethods } from "./ledger/holders.ts";
import { createVerifyMethods } from "./ledger/verify.ts";
import { createLimitMethods } from "./limits/limits.ts";
import { createChangeMethods } from "./operation/changes.ts";
import { createIncidentMethods } from "./operation/incidents.ts";
import { createLiveMethods } from "./operation/live.ts";
import { createOperationMethods } from "./operation/methods.ts";
import { createNewsMethods, type NewsSource } from "./operation/news.ts";
import { createPeopleMethods } from "./people/methods.ts";
import { createIdempotencyMethods } from "./requests/idempotency.ts";
import { createReasoningMethods } from "./requests/reasoning.ts";
import { createRefusalMethods } from "./requests/refusals.ts";
import { createRequestMethods } from "./requests/requests.ts";
import { createResponsesMethods } from "./responses/responses.ts";
import { createRetentionMethods } from "./retention/remove.ts";
import type { SqlDialect } from "./sql/dialect.ts";
import type { Database } from "./sql/schema.ts";
import { createUsageMethods } from "./usage/methods.ts";

export function createSharedMethods(options: {
  db: Kysely<Database>;
  /** For writes that a power cut may lose. */
  lazyDb: Kysely<Database>;
  clock: Clock;
  keys: KeySource;
  dialect: SqlDialect;
  news: NewsSource;
}): SharedMethods {
  const { db, lazyDb, clock, keys, dialect, news } = options;
  const keysNow = createKeyRing(keys.secretKey, keys.secretKeyFile);
  const consoleOptions = { db, lazyDb, clock, dialect, keysNow };
  const changes = createChangeMethods(db);
  const states = createUpstreamStateMethods(db, dialect);
  return {
    ...createAccountMethods(db, clock, dialect),
    ...createApiKeyMethods(db, clock),
    ...createCatalogMethods(db, clock, keysNow, dialect),
    ...createSealingKeyMethods(db, keysNow),
    ...changes,
    ...createNewsMethods({ ...news, db, clock, dialect, methods: { ...changes, ...states } }),
    ...createRequestMethods(db, dialect),
    ...createEntryMethods(db, clock, dialect),
    ...createHolderMethods(db, lazyDb, clock, dialect),
    ...createLimitMethods(lazyDb, dialect),
    ...createIdempotencyMethods(db, clock, dialect),
    ...createRefusalMethods(db, lazyDb, dialect),
    ...states,
    ...createReasoningMethods(lazyDb, clock, keysNow),
    ...createResponsesMethods(lazyDb, clock, keysNow),
    ...createRetentionMethods(consoleOptions),
    ...createVerifyMethods(db),
    ...createPeopleMethods(consoleOptions),
    ...createKeysMethods(consoleOptions),
    ...createCodesMethods(consoleOptions),
    ...createConfigurationMethods(consoleOptions),
    ...createOperationMethods(consoleOptions),
    ...createIncidentMethods(consoleOptions),
    ...createLiveMethods(consoleOptions),
    ...createUsageMethods(consoleOptions),
    ...createCatalogEditMethods(consoleOptions),
  };
}
