/**
 * Opens the core for either kind of database and loads only that kind's SQL code. Runs where the storage work
 * is done: in the storage thread, or in the process itself.
 */
import type { Clock } from "../lib/time/clock.ts";
import type { StoreCore } from "./core.ts";
import type { CoreSettings } from "./thread/messages.ts";

/** Throws StoreError when the database cannot be opened. */
export async function openCore(settings: CoreSettings, clock: Clock): Promise<StoreCore> {
  const { database, ...others } = settings;
  switch (database.kind) {
    case "sqlite": {
      const { openSqliteCore } = await import("./sqlite/core.ts");
      return await openSqliteCore({ ...others, file: database.file, clock });
    }
    case "postgres": {
      const { openPostgresCore } = await import("./postgres/core.ts");
      return await openPostgresCore({ ...others, url: database.url, clock });
    }
  }
}
