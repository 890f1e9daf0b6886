/** The behaviour suite over PostgreSQL: in this process, and behind the storage thread. */
import { sharedPostgres } from "../../../test/postgres/shared.ts";
import { type NewDatabase, storeBehaviour } from "./behaviour.ts";
import { type OpenStoreOptions, openStore, openStoreInProcess } from "./open.ts";
import type { Store } from "./store.ts";

const newDatabaseWith =
  (open: (options: OpenStoreOptions) => Promise<Store>): NewDatabase =>
  async () => {
    const server = await sharedPostgres();
    const url = await server.newDatabase();
    return {
      open: ({ secretKey }) => open({ database: { kind: "postgres", url }, secretKey }),
      drop: () => server.dropDatabase(url),
    };
  };

storeBehaviour("PostgreSQL in the process", newDatabaseWith(openStoreInProcess));
storeBehaviour("PostgreSQL in a thread", newDatabaseWith(openStore));
