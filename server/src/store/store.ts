/**
 * The database as the rest of the product sees it: one type for SQLite and PostgreSQL; no SQL leaves
 * `store/`. Every method may be called on the event loop, because none does storage work on it.
 */

import type { AccountsStore } from "./accounts/account-shapes.ts";
import type { CodesStore } from "./accounts/codes.ts";
import type { ApiKeysStore } from "./accounts/key-shapes.ts";
import type { KeysStore } from "./accounts/keys.ts";
import type { CatalogEditStore } from "./catalog/edit.ts";
import type { SealingStore } from "./catalog/sealing-shapes.ts";
import type { CatalogStore } from "./catalog/shapes.ts";
import type { ConfigurationStore } from "./configuration/shapes.ts";
import type { LeasesStore } from "./ledger/lease-shapes.ts";
import type { LedgerStore } from "./ledger/shapes.ts";
import type { SlicesStore } from "./limits/slice-shapes.ts";
import type { IncidentsStore } from "./operation/incidents-shapes.ts";
import type { LiveStore } from "./operation/live-shapes.ts";
import type { NewsStore } from "./operation/news-shapes.ts";
import type { OperationStore } from "./operation/operation.ts";
import type { StorageStore } from "./operation/storage-shapes.ts";
import type { UpstreamStatesStore } from "./operation/upstream-states-shapes.ts";
import type { PeopleStore } from "./people/people.ts";
import type { ReasoningStore } from "./requests/reasoning-shapes.ts";
import type { RefusalStore } from "./requests/refusal-shapes.ts";
import type { IdempotencyStore } from "./requests/settlement-shapes.ts";
import type { RequestsStore } from "./requests/shapes.ts";
import type { ResponsesStore } from "./responses/shapes.ts";
import type { RetentionStore } from "./retention/shapes.ts";
import type { ExploreStore } from "./usage/explore-shapes.ts";
import type { UsageStore } from "./usage/usage.ts";

/** All methods. Code that needs a part should ask for that part's type. */
export interface Store
  extends AccountsStore,
    ApiKeysStore,
    CatalogEditStore,
    CatalogStore,
    CodesStore,
    ConfigurationStore,
    IdempotencyStore,
    IncidentsStore,
    KeysStore,
    LeasesStore,
    LedgerStore,
    LiveStore,
    NewsStore,
    OperationStore,
    PeopleStore,
    ReasoningStore,
    RefusalStore,
    RequestsStore,
    ResponsesStore,
    RetentionStore,
    SealingStore,
    SlicesStore,
    StorageStore,
    UpstreamStatesStore,
    UsageStore,
    ExploreStore {}
