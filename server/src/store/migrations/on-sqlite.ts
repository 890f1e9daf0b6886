/**
 * How migrations run on a SQLite file. Their lock is an exclusive one on an empty file beside the database:
 * the system ends it with its process, however that dies.
 */
import { rmSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import type { Clock } from "../../lib/time/clock.ts";
import { isBusy } from "../sqlite/errors.ts";
import { touchDatabaseFile } from "../sqlite/file-rights.ts";
import { migrations, plazaVersion } from "./index.ts";
import type { MigrateOptions, MigrationLock } from "./migrate.ts";

const lockFileOf = (file: string): string => `${file}-migrating`;

const inodeOf = (path: string): bigint | undefined =>
  statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;

/** Takes the lock; undefined while another holds it. */
function tryLock(path: string): DatabaseSync | undefined {
  touchDatabaseFile(path);
  const inode = inodeOf(path);
  const database = new DatabaseSync(path);
  try {
    database.exec("pragma journal_mode = memory");
    database.exec("begin exclusive");
    // Its last holder may have removed the file in between; a new one is not locked.
    if (inodeOf(path) === inode) return database;
  } catch (error) {
    database.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
  database.close();
  return undefined;
}

/** The lock of migrations of a file. */
export function createFileLock(file: string): MigrationLock {
  const path = lockFileOf(file);
  let held: DatabaseSync | undefined;
  const end = (database: DatabaseSync) => {
    // Windows removes no open file; the empty file then stays.
    if (process.platform !== "win32") rmSync(path, { force: true });
    database.close();
  };
  return {
    async take() {
      held = tryLock(path);
      return held !== undefined;
    },
    async release() {
      if (held !== undefined) end(held);
      held = undefined;
    },
    async isTaken() {
      if (held !== undefined) return true;
      if (inodeOf(path) === undefined) return false;
      const mine = tryLock(path);
      if (mine !== undefined) end(mine);
      return mine === undefined;
    },
  };
}

/** A database in memory belongs to its process alone. */
const noLock: MigrationLock = { take: async () => true, release: async () => {}, isTaken: async () => false };

export function sqliteMigrations(file: string, clock: Clock): MigrateOptions {
  return {
    isByHand: false,
    migrations,
    dialect: "sqlite",
    lock: file === ":memory:" ? noLock : createFileLock(file),
    plazaVersion,
    async hasTable(db, name) {
      const { rows } = await sql`select 1 from sqlite_schema where type = 'table' and name = ${name}`.execute(
        db,
      );
      return rows.length > 0;
    },
    databaseNow: () => sql<number>`${clock.wallMs()}`,
    isBusy,
    wallMs: clock.wallMs,
    elapsedMs: clock.elapsedMs,
    pause,
  };
}
