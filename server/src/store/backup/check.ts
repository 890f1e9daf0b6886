/** The whole check of a restored database: SQLite's own, then that of the ledger. */
import { copyFileSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { type Clock, systemClock } from "../../lib/time/clock.ts";
import type { LedgerReport } from "../ledger/shapes.ts";
import { openStoreInProcess } from "../open.ts";
import { checkIntegrity, readDatabaseFacts } from "./facts.ts";

/** Nothing is sealed or opened by a check, so any key does. */
const anyKey = Buffer.alloc(32);

async function verify(file: string, isOlder: boolean, clock: Clock): Promise<LedgerReport> {
  const store = await openStoreInProcess({ database: { kind: "sqlite", file }, secretKey: anyKey, clock });
  try {
    if (isOlder) await store.migrate();
    return await store.verifyLedger();
  } finally {
    await store.close();
  }
}

/** No server uses the copy: those that ran when it was made would hold a migration up. */
function endHolders(copy: string): void {
  const database = new DatabaseSync(copy);
  try {
    const found = database.prepare("select 1 from sqlite_schema where type = 'table' and name = 'holders'");
    if (found.get() !== undefined) database.exec("update holders set expires_at = 0");
  } finally {
    database.close();
  }
}

/**
 * Checks a database that nobody else uses. One of an older schema is checked in a copy, `FILE.check`, that is
 * migrated for it. Throws StoreError `damaged`; what is off in the ledger is in the report.
 */
export async function checkDatabase(file: string, clock: Clock = systemClock): Promise<LedgerReport> {
  checkIntegrity(file);
  const { schema, newest } = readDatabaseFacts(file);
  if (schema >= newest) return verify(file, false, clock);
  const copy = `${file}.check`;
  try {
    copyFileSync(file, copy);
    endHolders(copy);
    return await verify(copy, true, clock);
  } finally {
    for (const end of ["", "-wal", "-shm", "-migrating"]) rmSync(`${copy}${end}`, { force: true });
  }
}
