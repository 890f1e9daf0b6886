/**
 * Builds a store on a core, wherever the core runs. Batched calls are collected here; all other calls are
 * forwarded until `close`.
 */

import type { Log } from "../lib/telemetry/log.ts";
import { systemClock } from "../lib/time/clock.ts";
import { accountMethods } from "./accounts/account-shapes.ts";
import { codesMethods } from "./accounts/codes.ts";
import { apiKeyMethods } from "./accounts/key-shapes.ts";
import { keysMethods } from "./accounts/keys.ts";
import { catalogEditMethods } from "./catalog/edit.ts";
import { sealingMethods } from "./catalog/sealing-shapes.ts";
import { catalogMethods } from "./catalog/shapes.ts";
import { configurationMethods } from "./configuration/shapes.ts";
import type { CallersMethod, StoreCore } from "./core.ts";
import { StoreError } from "./error.ts";
import { Journal, type SentBatch } from "./journal/journal.ts";
import type { LedgerBatch } from "./ledger/batch.ts";
import { createLedgerBatches } from "./ledger/batches.ts";
import { leaseMethods } from "./ledger/lease-shapes.ts";
import { ledgerMethods } from "./ledger/shapes.ts";
import { sliceMethods } from "./limits/slice-shapes.ts";
import { incidentMethods } from "./operation/incidents-shapes.ts";
import { liveMethods } from "./operation/live-shapes.ts";
import { newsMethods } from "./operation/news-shapes.ts";
import { operationMethods } from "./operation/operation.ts";
import { createFaultMemory } from "./operation/storage-fault.ts";
import { storageMethods } from "./operation/storage-shapes.ts";
import { upstreamStateMethods } from "./operation/upstream-states-shapes.ts";
import { peopleMethods } from "./people/people.ts";
import { reasoningMethods } from "./requests/reasoning-shapes.ts";
import { idempotencyMethods } from "./requests/settlement-shapes.ts";
import { requestMethods } from "./requests/shapes.ts";
import { responsesMethods } from "./responses/shapes.ts";
import { retentionMethods } from "./retention/shapes.ts";
import type { Store } from "./store.ts";
import { exploreMethods } from "./usage/explore-shapes.ts";
import { usageMethods } from "./usage/usage.ts";

/** The forwarded methods. A compile error here means that Store has a new method. */
const handedOn = {
  ...accountMethods,
  ...apiKeyMethods,
  ...catalogMethods,
  ...sealingMethods,
  ...newsMethods,
  ...liveMethods,
  ...ledgerMethods,
  ...leaseMethods,
  ...sliceMethods,
  ...requestMethods,
  ...idempotencyMethods,
  ...upstreamStateMethods,
  ...storageMethods,
  addRefusals: true,
  pruneRefusals: true,
  sumRefusals: true,
  ...reasoningMethods,
  ...responsesMethods,
  ...retentionMethods,
  ...peopleMethods,
  ...keysMethods,
  ...codesMethods,
  ...configurationMethods,
  ...operationMethods,
  ...incidentMethods,
  ...usageMethods,
  ...exploreMethods,
  ...catalogEditMethods,
} as const satisfies Record<Exclude<keyof Store, CallersMethod | "close">, true>;

/** Names of every method a core has. */
export const coreMethods: readonly (keyof StoreCore)[] = [
  ...(Object.keys(handedOn) as (keyof typeof handedOn)[]),
  "commitLedger",
  "close",
];

/** Where settlements are kept while the database is unavailable. Without it they fail during that time. */
export interface StoreJournal {
  readonly directory: string;
  readonly log: Log;
}

/** Sends a batch directly. */
function sendPlainly(core: StoreCore, batch: LedgerBatch): SentBatch {
  const reply = core.commitLedger(batch);
  return { rows: reply.then(({ faults }) => faults), leases: reply };
}

/** `gapMs`: most milliseconds between two commits of settlements (`ledger/pace.ts`). */
export function createStore(bareCore: StoreCore, keptIn?: StoreJournal, gapMs = 0): Store {
  const faults = createFaultMemory(() => systemClock.wallMs());
  const core = faults.watch(bareCore);
  /** The id under which this process holds leases, once it has one. */
  let holder: string | undefined;
  const note = async (hasJournal: boolean): Promise<void> => {
    if (holder !== undefined) await core.noteJournal(holder, hasJournal);
  };
  const journal = keptIn && new Journal({ core, ...keptIn, note });
  const batches = createLedgerBatches((batch) => journal?.send(batch) ?? sendPlainly(core, batch), gapMs);
  let closing: Promise<void> | undefined;
  let given = 0;

  const refused = () => Promise.reject(new StoreError("closed", "the store is closed"));
  const methods = Object.keys(handedOn).map((name) => {
    const method = core[name as keyof typeof handedOn] as (...args: unknown[]) => Promise<unknown>;
    return [name, (...args: unknown[]) => (closing === undefined ? method(...args) : refused())];
  });

  return {
    ...(Object.fromEntries(methods) as Pick<Store, keyof typeof handedOn>),
    recordRequest(row, settlement) {
      if (closing !== undefined) return refused();
      given += 1;
      return batches.record(row, settlement);
    },
    requestsGiven: () => given,
    takeLease: (holderId, subject, requested) =>
      closing === undefined ? batches.take({ holderId, subject, requested }) : refused(),
    returnLease: (holderId, subject, amount) =>
      closing === undefined ? batches.giveBack({ holderId, subject, amount }) : refused(),
    isBehind: () => journal?.isBehind === true,
    journalReadings: () => journal?.readings ?? { bytes: 0, since: null },
    storageFault: () => faults.fault,
    async checkStorage() {
      if (closing !== undefined) return await refused();
      try {
        await core.checkStorage();
      } finally {
        // Whether calls are refused also depends on the journal, which may be on another disk.
        if (faults.fault !== undefined) faults.setJournalTakes((await journal?.takesWrites()) === true);
      }
    },
    async openHolder(id) {
      if (closing !== undefined) return await refused();
      await core.openHolder(id);
      holder = id;
      // A serving process has started: hands over what earlier processes could not.
      await journal?.adopt();
    },
    async heartbeat(id) {
      if (closing !== undefined) return await refused();
      // Done first, because the heartbeat releases what dead processes were working on.
      await journal?.adoptDead();
      return await core.heartbeat(id);
    },
    async closeHolder(id) {
      if (closing !== undefined) return await refused();
      // Pending settlements are paid from this holder's leases, so they are sent before the leases are
      // returned.
      await batches.drain();
      await journal?.flush();
      await core.closeHolder(id);
    },
    close() {
      closing ??= batches
        .drain()
        .then(() => journal?.close())
        .then(() => core.close());
      return closing;
    },
  };
}
