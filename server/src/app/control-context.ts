/** What the control plane gets from this process. Everything is loaded or opened on first use. */
import { randomBytes } from "node:crypto";
import pkg from "../../package.json" with { type: "json" };
import type { Config } from "../config/config.ts";
import { RepeatedRefusals } from "../control/audit/repeats.ts";
import type { ControlContext } from "../control/context.ts";
import type { BodyMemory } from "../control/receive.ts";
import type { ModelCatalog } from "../domain/catalog/model-catalog.ts";
import { createIdFactory } from "../lib/id.ts";
import type { Log } from "../lib/telemetry/log.ts";
import type { Clock } from "../lib/time/clock.ts";
import type { LedgerReport } from "../store/ledger/shapes.ts";
import { openStore } from "../store/open.ts";
import type { Store } from "../store/store.ts";
import { installationKeys } from "./installation-keys.ts";
import { machineIdentity, nodeClients } from "./outbound.ts";

/**
 * Verifies the ledger in a storage thread of its own, because otherwise every settlement would wait for it.
 */
async function checkLedger(config: Config, secretKey: () => Uint8Array): Promise<LedgerReport> {
  const store = await openStore({ database: config.database, secretKey: Buffer.from(secretKey()) });
  try {
    return await store.verifyLedger();
  } finally {
    await store.close();
  }
}

export function createControlContext(options: {
  config: Config;
  store: Store;
  clock: Clock;
  log: Log;
  bodies: BodyMemory;
  endpointPort: () => number;
  measuredOf: ControlContext["measuredOf"];
  live: ControlContext["live"];
}): ControlContext {
  const { config } = options;
  const secretKey = installationKeys(config);
  let catalog: Promise<ModelCatalog> | undefined;
  return {
    ...options,
    newId: createIdFactory(options.clock),
    randomBytes,
    version: pkg.version,
    repeats: new RepeatedRefusals(options),
    secretKey,
    createClient: nodeClients(config),
    identity: machineIdentity(options.clock),
    modelCatalog() {
      catalog ??= import("../start/model-catalog-files.ts").then(({ openModelCatalog }) =>
        openModelCatalog(),
      );
      return catalog;
    },
    checkLedger: () => checkLedger(config, secretKey),
  };
}
