/**
 * Test files that take twenty seconds or more, longest first, as measured on two cores. `ready.ts` starts
 * them first, each in a process of its own; files that are not listed share processes. The last file counts
 * calls that Plaza makes as time passes, so it cannot wait for its neighbours' tests.
 */
export const longFiles: readonly string[] = [
  "test/console/axe.test.ts",
  "server/src/store/postgres/store.test.ts",
  "server/src/store/sqlite/store.test.ts",
  "test/simulator/simulator.test.ts",
  "test/upgrades/corpus.test.ts",
  "test/console/access-walks.test.ts",
  "test/release/release.test.ts",
  "server/src/store/postgres/server.test.ts",
  "test/sdk/errors.test.ts",
  "test/behaviour/process/lifecycle.test.ts",
  "test/behaviour/control/sign-in-denial.test.ts",
  "test/behaviour/process/deploys.test.ts",
  "test/console/installation-walks.test.ts",
  "test/behaviour/money/journalled-keys.test.ts",
  "test/sdk/refusals.test.ts",
  "test/console/everyday-walks.test.ts",
  "test/console/visual/pages.test.ts",
  "test/behaviour/process/workers.test.ts",
  "test/behaviour/process/https.test.ts",
  "test/behaviour/providers/provider-faults.test.ts",
];
