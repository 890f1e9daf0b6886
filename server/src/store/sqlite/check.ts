/**
 * Checks whether a SQLite file is sound: all of it on request, and cheaply and often while serving. Uses its
 * own connection, because the serving one answers from its cache and would not see damage on disk.
 */
import { statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { StoreError } from "../error.ts";
import { toStoreError } from "./errors.ts";

const damaged = (file: string, reason: string) =>
  new StoreError(
    "damaged",
    `the database ${file} is damaged (${reason}): stop Plaza and restore it from a backup`,
  );

/** Returns the single value of a pragma. */
type Ask = (pragma: string) => unknown;

const asking =
  (database: DatabaseSync): Ask =>
  (pragma) =>
    Object.values(database.prepare(`pragma ${pragma}`).get() ?? {})[0];

const bytesOf = (ask: Ask): number => Number(ask("page_count")) * Number(ask("page_size"));

function requireOk(file: string, found: unknown): void {
  if (found === "ok") return;
  // The first line only names the database.
  throw damaged(file, String(found).split("\n").at(-1) ?? "");
}

/**
 * Throws `damaged` when SQLite finds an error in the file's structure. Reads the whole file at about 1 GB a
 * second.
 */
export function checkFile(file: string, ask: Ask, bytesMax: number): void {
  if (bytesOf(ask) <= bytesMax) requireOk(file, ask("quick_check(1)"));
}

/**
 * Files up to this size are checked completely, in about 15 ms. Of larger ones only the tables that stay
 * small are.
 */
const wholeBytesMax = 16 * 1024 ** 2;
/** Minimum milliseconds between two checks of the tables. */
const pauseMs = 3_000;
/** A check is repeated only after this many times its own duration, to limit the thread's load. */
const restFactor = 500;
/** A file without writes since its last complete check is checked again after this many milliseconds. */
const unchangedMs = 60_000;

/** Tables that stay small in any installation and without which no call can be served. */
const vitalTables = ["accounts", "api_keys", "upstreams", "models", "credentials", "prices", "leases"];

export interface FileWatch {
  /**
   * Throws StoreError `damaged` or `cannot_open`. Called every few seconds; blocks for a few milliseconds at
   * most.
   */
  check(): void;
}

/** `nowMs` never goes back. `file` must not be an in-memory database. */
export function createFileWatch(file: string, nowMs: () => number): FileWatch {
  const { ino, dev } = statSync(file, { bigint: true });
  let nextMs = 0;
  let turn = 0;
  /** The file's version at the last check, and the checks still needed to cover this version completely. */
  let version = "";
  let checksLeft = 0;
  let againMs = 0;

  /**
   * Throws when the file was removed or replaced, because writes to it would be lost. Returns a value that
   * changes with every write.
   */
  function requireSameFile(): string {
    const now = statSync(file, { bigint: true, throwIfNoEntry: false });
    if (now?.ino === ino && now.dev === dev) return `${now.size} ${now.mtimeNs} ${now.ctimeNs}`;
    throw damaged(file, now === undefined ? "the file was removed" : "the file was replaced by another one");
  }

  function lookThrough(): void {
    const database = new DatabaseSync(file, { readOnly: true });
    try {
      const ask = asking(database);
      if (bytesOf(ask) <= wholeBytesMax) {
        requireOk(file, ask("quick_check(1)"));
        checksLeft = 0;
        return;
      }
      requireOk(file, ask(`quick_check(${vitalTables[turn % vitalTables.length]})`));
      turn += 1;
      checksLeft -= 1;
    } finally {
      database.close();
    }
  }

  return {
    check() {
      const found = requireSameFile();
      const startedMs = nowMs();
      if (startedMs < nextMs) return;
      if (found !== version || startedMs >= againMs) {
        version = found;
        checksLeft = vitalTables.length;
        againMs = startedMs + unchangedMs;
      }
      if (checksLeft <= 0) return;
      try {
        lookThrough();
      } catch (error) {
        throw toStoreError(error, file);
      }
      nextMs = nowMs() + Math.max(pauseMs, (nowMs() - startedMs) * restFactor);
    },
  };
}
