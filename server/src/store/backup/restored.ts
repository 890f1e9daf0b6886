/** What is changed in a restored database before a server uses it. */
import { DatabaseSync } from "node:sqlite";
import { toStoreError } from "../sqlite/errors.ts";

/**
 * Ends all sessions of the console with their ephemeral keys: one that was ended after the backup must not
 * come back to life. Leases, limit slices and idempotency keys of the servers of before stay: the
 * next server returns them as after a kill, once it has settled the journals that are paid from them.
 */
export function endSessions(file: string): void {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file);
    const hasSessions = database.prepare("select 1 from sqlite_schema where name = 'sessions'").get();
    if (hasSessions !== undefined) database.exec("delete from sessions");
  } catch (error) {
    throw toStoreError(error, file);
  } finally {
    database?.close();
  }
}
