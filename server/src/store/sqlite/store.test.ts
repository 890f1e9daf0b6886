/** The behaviour suite on SQLite: in-process and behind the storage thread. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type OpenStoreOptions, openStore, openStoreInProcess } from "../open.ts";
import type { Store } from "../store.ts";
import { consoleStoreBehaviour, storeBehaviour } from "../testing/behaviour/behaviour.ts";
import type { NewDatabase } from "../testing/fixture.ts";

const newDatabaseWith =
  (open: (options: OpenStoreOptions) => Promise<Store>): NewDatabase =>
  async () => {
    const directory = await mkdtemp(join(tmpdir(), "store-"));
    return {
      open: (keys) => open({ database: { kind: "sqlite", file: join(directory, "plaza.db") }, ...keys }),
      drop: () => rm(directory, { recursive: true }),
    };
  };

storeBehaviour("SQLite in the process", newDatabaseWith(openStoreInProcess));
consoleStoreBehaviour("SQLite in the process, for the console", newDatabaseWith(openStoreInProcess));
storeBehaviour("SQLite in a thread", newDatabaseWith(openStore));
