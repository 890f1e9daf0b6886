/**
 * Opens the core for a database of either kind, loading the SQL code of that kind only. Runs where the
 * storage work is to happen: in the storage thread, or in the process itself.
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
