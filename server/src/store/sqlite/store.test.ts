/** The behaviour suite on SQLite: in-process and behind the storage thread. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type OpenStoreOptions, openStore, openStoreInProcess } from "../open.ts";
import type { Store } from "../store.ts";
import { consoleStoreBehaviour, storeBehaviour } from "../testing/behaviour/behaviour.ts";
import type { NewDatabase } from "../testing/fixture.ts";
import { createMigratedFile } from "../testing/migrated-file.ts";
import { createReusedThreads } from "../testing/reused-threads.ts";

const newDatabaseWith =
  (open: (options: OpenStoreOptions) => Promise<Store>): NewDatabase =>
  async (options) => {
    const directory = await mkdtemp(join(tmpdir(), "store-"));
    const file = join(directory, "plaza.db");
    if (options?.isBare !== true) await createMigratedFile(file);
    return {
      open: (keys) => open({ database: { kind: "sqlite", file }, ...keys }),
      drop: () => rm(directory, { recursive: true }),
    };
  };

storeBehaviour("SQLite in the process", newDatabaseWith(openStoreInProcess));
consoleStoreBehaviour("SQLite in the process, for the console", newDatabaseWith(openStoreInProcess));

const threads = createReusedThreads();
storeBehaviour(
  "SQLite in a thread",
  newDatabaseWith((options) => openStore({ ...options, threads })),
);
