/**
 * The behaviour every store must have, as a test suite. A dialect's test file calls it with a function that
 * creates databases. Uses only the Store interface, no SQL and no dialect.
 */

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, test } from "node:test";
import type { Store } from "../../store.ts";
import type { NewDatabase, NewFixture } from "../fixture.ts";
import { accountBehaviour } from "./accounts.ts";
import { catalogBehaviour } from "./catalog.ts";
import { adoptingBehaviour } from "./console/adopting.ts";
import { consoleCatalogBehaviour } from "./console/catalog.ts";
import { consoleCodesBehaviour } from "./console/codes.ts";
import { configurationBehaviour } from "./console/configuration.ts";
import { exploreBehaviour, sampledLatencyBehaviour } from "./console/explore.ts";
import { consoleKeysBehaviour } from "./console/keys.ts";
import { labelsBehaviour } from "./console/labels.ts";
import { listBehaviour } from "./console/lists.ts";
import { consoleOperationBehaviour } from "./console/operation.ts";
import { consolePeopleBehaviour } from "./console/people.ts";
import { requestListBehaviour } from "./console/requests.ts";
import { signInBehaviour } from "./console/sign-in.ts";
import { consoleStandingBehaviour } from "./console/standing.ts";
import { usageBehaviour } from "./console/usage.ts";
import { idempotencyBehaviour } from "./idempotency.ts";
import { leaseBehaviour } from "./leases.ts";
import { ledgerBehaviour } from "./ledger.ts";
import { limitBehaviour } from "./limits.ts";
import { liveBehaviour } from "./live.ts";
import { newsBehaviour } from "./news.ts";
import { reasoningBehaviour } from "./reasoning.ts";
import { refusalBehaviour } from "./refusals.ts";
import { requestBehaviour } from "./requests.ts";
import { responsesBehaviour } from "./responses.ts";
import { retentionBehaviour } from "./retention.ts";
import { retentionAuditBehaviour } from "./retention-audit.ts";
import { sealingBehaviour } from "./sealing.ts";
import { settleBehaviour } from "./settle.ts";
import { upstreamStateBehaviour } from "./upstream-states.ts";

function fixtures(newDatabase: NewDatabase): NewFixture {
  return async (context) => {
    const database = await newDatabase();
    const key = randomBytes(32);
    const opened: Store[] = [];
    context.after(async () => {
      await Promise.all(opened.map((store) => store.close()));
      await database.drop();
    });
    const reopen = async (secretKey = key, secretKeyFile?: string) => {
      const store = await database.open({ secretKey, secretKeyFile });
      opened.push(store);
      return store;
    };
    const store = await reopen();
    await store.migrate();
    return { store, reopen };
  };
}

function lifeBehaviour(newDatabase: NewDatabase, newFixture: NewFixture): void {
  test("several stores migrate one database at once, each step once", async (context) => {
    const database = await newDatabase({ isBare: true });
    const secretKey = randomBytes(32);
    const stores = await Promise.all(Array.from({ length: 3 }, () => database.open({ secretKey })));
    context.after(async () => {
      await Promise.all(stores.map((store) => store.close()));
      await database.drop();
    });
    await Promise.all(stores.map((store) => store.migrate()));
    await Promise.all(stores.map((store) => store.migrate()));
    for (const store of stores) assert.deepEqual(await store.listAccounts(), []);
  });

  test("a closed store says so, and closing twice is closing once", async (context) => {
    const { store } = await newFixture(context);
    await store.ping();
    await Promise.all([store.close(), store.close()]);
    await store.close();
    await assert.rejects(store.ping(), { name: "StoreError", code: "closed" });
    await assert.rejects(store.findAccount("a"), { name: "StoreError", code: "closed" });
  });
}

/** Registers the suite. `newDatabase` returns an empty database each time. */
export function storeBehaviour(name: string, newDatabase: NewDatabase): void {
  describe(name, () => {
    const newFixture = fixtures(newDatabase);
    lifeBehaviour(newDatabase, newFixture);
    accountBehaviour(newFixture);
    catalogBehaviour(newFixture);
    sealingBehaviour(newFixture);
    requestBehaviour(newFixture);
    ledgerBehaviour(newFixture);
    leaseBehaviour(newFixture);
    limitBehaviour(newFixture);
    settleBehaviour(newFixture);
    idempotencyBehaviour(newFixture);
    upstreamStateBehaviour(newFixture);
    liveBehaviour(newFixture);
    newsBehaviour(newFixture);
    usageBehaviour(newFixture);
    exploreBehaviour(newFixture);
    sampledLatencyBehaviour(newFixture);
    requestListBehaviour(newFixture);
    listBehaviour(newFixture);
  });
}

/**
 * Registers the tests of what a dialect may do differently behind the storage thread: connections, batches,
 * concurrency. SQLite runs the whole suite behind the thread, which is the same for all dialects.
 */
export function threadStoreBehaviour(name: string, newDatabase: NewDatabase): void {
  describe(name, () => {
    const newFixture = fixtures(newDatabase);
    lifeBehaviour(newDatabase, newFixture);
    ledgerBehaviour(newFixture);
    leaseBehaviour(newFixture);
    settleBehaviour(newFixture);
  });
}

/**
 * Registers the tests of the console's methods. They are not repeated behind the storage thread, which
 * forwards them like others. Usage is not included, because a server has a second thread for it.
 */
export function consoleStoreBehaviour(name: string, newDatabase: NewDatabase): void {
  describe(name, () => {
    const newFixture = fixtures(newDatabase);
    consoleCatalogBehaviour(newFixture);
    consoleKeysBehaviour(newFixture);
    labelsBehaviour(newFixture);
    consoleCodesBehaviour(newFixture);
    consoleOperationBehaviour(newFixture);
    adoptingBehaviour(newFixture);
    configurationBehaviour(newFixture);
    consolePeopleBehaviour(newFixture);
    consoleStandingBehaviour(newFixture);
    signInBehaviour(newFixture);
    refusalBehaviour(newFixture);
    reasoningBehaviour(newFixture);
    responsesBehaviour(newFixture);
    retentionBehaviour(newFixture);
    retentionAuditBehaviour(newFixture);
  });
}
