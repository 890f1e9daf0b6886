/**
 * Copies a SQLite database while servers write to it. Page by page, not with `VACUUM INTO`: that may give
 * rows new numbers, and lists and sums rely on the order of insertion (`sql/insertion-order.ts`).
 */
import { chmod } from "node:fs/promises";
import { backup, DatabaseSync } from "node:sqlite";
import { StoreError } from "../error.ts";
import { toStoreError } from "../sqlite/errors.ts";
import { checkOwner } from "../sqlite/owner.ts";

/** About 8 MB: progress is reported a few times a second, and little is in memory. */
const pagesPerStep = 2_000;

/**
 * Copies the database at `file`, of any schema, to the new file `target`, which is not synced. The copy has
 * every transaction committed before the call and none half. Writers are not held up; their log grows
 * meanwhile.
 */
export async function copySqlite(
  file: string,
  target: string,
  onProgress: (share: number) => void,
): Promise<void> {
  let database: DatabaseSync | undefined;
  try {
    checkOwner(file);
    database = new DatabaseSync(file, { readOnly: true });
    // One transaction for all steps. Without it the copy begins anew whenever another process has written,
    // and never ends on a busy server.
    database.exec("begin");
    database.prepare("select count(*) from sqlite_schema").get();
    await backup(database, target, {
      rate: pagesPerStep,
      progress: ({ totalPages, remainingPages }) => onProgress(1 - remainingPages / totalPages),
    });
  } catch (error) {
    throw toCopyError(error, file, target);
  } finally {
    database?.close();
  }
  await chmod(target, 0o600);
}

/** A full disk is that of the copy: the database is only read. */
function toCopyError(thrown: unknown, file: string, target: string): unknown {
  const error = toStoreError(thrown, file);
  if (!(error instanceof StoreError) || error.code !== "disk_full") return error;
  const message = `the disk that holds ${target} is full: a backup needs twice the size of the database while it is made; the database itself is not affected`;
  return new StoreError("disk_full", message, { cause: thrown });
}
