/**
 * Checks whether an existing SQLite file is Plaza's before anything is done to it, without changing a byte: a
 * file of another program keeps its journal mode. Knows which tables every Plaza database has had since its
 * first schema.
 */
import { closeSync, existsSync, openSync, readSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { StoreError } from "../error.ts";

const magic = "SQLite format 3\0";
/** Offset in the header; 2 means that the newest rows may be in a write-ahead log. */
const writeVersionAt = 18;
const headerBytes = 100;
/** Created by the first migration, in one transaction. */
const ownTables = ["schema_migrations", "accounts", "api_keys", "ledger_entries", "requests"];
const tablesShown = 3;

/** The header, shorter if the file is; undefined when there is no file. */
function readHeader(file: string): Buffer | undefined {
  if (!existsSync(file)) return undefined;
  const header = Buffer.alloc(headerBytes);
  const descriptor = openSync(file, "r");
  try {
    return header.subarray(0, readSync(descriptor, header));
  } finally {
    closeSync(descriptor);
  }
}

const bytesOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/**
 * A connection that changes nothing. A file without a log is opened as immutable, because SQLite would create
 * log files. An interrupted transaction of a file without a log is rolled back, as any next reader would do.
 */
function openUntouched(file: string, header: Buffer): DatabaseSync {
  const hasLog = header[writeVersionAt] === 2;
  if (!hasLog) return new DatabaseSync(file, { readOnly: !existsSync(`${file}-journal`) });
  if (bytesOf(`${file}-wal`) > 0) return new DatabaseSync(file, { readOnly: true });
  const url = pathToFileURL(file);
  url.search = "immutable=1";
  return new DatabaseSync(url, { readOnly: true });
}

/**
 * What the file contains that is not Plaza's; undefined for Plaza's own file and for an empty one, left by a
 * first start that was killed.
 */
function strangerIn(database: DatabaseSync): string | undefined {
  const names = database
    .prepare("select name from sqlite_schema where type = 'table' and name not like 'sqlite\\_%' escape '\\'")
    .all()
    .map(({ name }) => String(name));
  if (ownTables.every((name) => names.includes(name))) return undefined;
  if (names.length > 0) {
    const more = names.length > tablesShown ? ", …" : "";
    return `its tables are ${names.slice(0, tablesShown).join(", ")}${more}`;
  }
  const marks = ["application_id", "user_version"];
  const isMarked = marks.some((mark) => database.prepare(`pragma ${mark}`).get()?.[mark] !== 0);
  return isMarked ? "it bears another program's mark" : undefined;
}

/**
 * Throws StoreError for a file that is not a SQLite database (`damaged`) or belongs to another program
 * (`cannot_open`), and SQLite's own errors.
 */
export function checkOwner(file: string): void {
  const header = readHeader(file);
  if (header === undefined || header.length === 0) return;
  const advice = "Plaza left it as it is; give another place with --data or --database";
  if (header.toString("latin1", 0, magic.length) !== magic) {
    throw new StoreError(
      "damaged",
      `${file} is damaged or is not a SQLite database: ${advice}, or restore it from a backup`,
    );
  }
  const database = openUntouched(file, header);
  try {
    const stranger = strangerIn(database);
    if (stranger !== undefined) {
      throw new StoreError(
        "cannot_open",
        `the database ${file} belongs to another program (${stranger}): ${advice}`,
      );
    }
  } finally {
    database.close();
  }
}
