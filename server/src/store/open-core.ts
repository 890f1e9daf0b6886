/**
 * Opens the core for either kind of database and loads only that kind's SQL code. Runs where the storage work
 * is done: in the storage thread, or in the process itself.
 */
import type { Clock } from "../lib/time/clock.ts";
import type { StoreCore } from "./core.ts";
import type { CoreSettings } from "./thread/messages.ts";

/** The SQL code of a kind of database; loaded once. */
const cores = {
  sqlite: () => import("./sqlite/core.ts"),
  postgres: () => import("./postgres/core.ts"),
};

/** Loads the code of a kind of database before it is opened. */
export const loadCore = (kind: keyof typeof cores): Promise<unknown> => cores[kind]();

/** Throws StoreError when the database cannot be opened. */
export async function openCore(settings: CoreSettings, clock: Clock): Promise<StoreCore> {
  const { database, ...others } = settings;
  switch (database.kind) {
    case "sqlite": {
      const { openSqliteCore } = await cores.sqlite();
      return await openSqliteCore({ ...others, file: database.file, clock });
    }
    case "postgres": {
      const { openPostgresCore } = await cores.postgres();
      return await openPostgresCore({ ...others, url: database.url, clock });
    }
  }
}
