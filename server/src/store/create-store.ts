/**
 * A store out of a core, wherever that runs: rows are collected here, everything else is handed on until `close`.
 */
import { createRequestBatches } from "./request-batches.ts";
import type { Store } from "./store.ts";
import type { StoreCore } from "./store-core.ts";
import { StoreError } from "./store-error.ts";

/** The methods handed on as they are. A compile error here means that Store has grown. */
const handedOn = {
  migrate: true,
  createAccount: true,
  findAccount: true,
  listAccounts: true,
  createKey: true,
  findKeyByDigest: true,
  listKeys: true,
  setKeyStatus: true,
  setAccountStatus: true,
  loadCatalog: true,
  applyCatalog: true,
  compareCatalog: true,
  listChanges: true,
  lastChangeId: true,
  listRequests: true,
  ping: true,
} as const satisfies Record<Exclude<keyof Store, "recordRequest" | "close">, true>;

/** Names of every method a core has. */
export const coreMethods: readonly (keyof StoreCore)[] = [
  ...(Object.keys(handedOn) as (keyof typeof handedOn)[]),
  "recordRequests",
  "close",
];

export function createStore(core: StoreCore): Store {
  const batches = createRequestBatches((values) => core.recordRequests(values));
  let closing: Promise<void> | undefined;

  const refused = () => Promise.reject(new StoreError("closed", "the store is closed"));
  const methods = Object.keys(handedOn).map((name) => {
    const method = core[name as keyof typeof handedOn] as (...args: unknown[]) => Promise<unknown>;
    return [name, (...args: unknown[]) => (closing === undefined ? method(...args) : refused())];
  });

  return {
    ...(Object.fromEntries(methods) as Pick<Store, keyof typeof handedOn>),
    recordRequest: (row) => (closing === undefined ? batches.record(row) : refused()),
    close() {
      closing ??= batches.drain().then(() => core.close());
      return closing;
    },
  };
}
