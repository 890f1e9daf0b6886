/**
 * Looks whether a SQLite file is sound: the whole of it when asked, and while it serves often and
 * cheaply, with a connection of its own, because the serving one answers from its memory and
 * would not see what happened to the disk.
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

/** The one value of a pragma. */
type Ask = (pragma: string) => unknown;

const asking =
  (database: DatabaseSync): Ask =>
  (pragma) =>
    Object.values(database.prepare(`pragma ${pragma}`).get() ?? {})[0];

const bytesOf = (ask: Ask): number => Number(ask("page_count")) * Number(ask("page_size"));

function requireOk(file: string, found: unknown): void {
  if (found === "ok") return;
  // The first line only names the database among several attached ones.
  throw damaged(file, String(found).split("\n").at(-1) ?? "");
}

/**
 * Throws `damaged` when SQLite finds anything wrong with the structure of the file.
 * Reads all of it: about 1 GB a second.
 */
export function checkFile(file: string, ask: Ask, bytesMax: number): void {
  if (bytesOf(ask) <= bytesMax) requireOk(file, ask("quick_check(1)"));
}

/**
 * Files up to this size are looked through whole: some 15 ms. Of larger ones the tables that stay small are.
 */
const wholeBytesMax = 16 * 1024 ** 2;
/** Least time between two looks at the tables, milliseconds. */
const pauseMs = 3_000;
/**
 * A look that took long is not repeated before this many times as long: it may
 * take one in so many parts of the thread.
 */
const restFactor = 500;
/**
 * A file that nobody wrote to since it was looked through is looked at again after this time, milliseconds.
 */
const unchangedMs = 60_000;

/** Tables that stay small in the largest installation, and without which no call is served. */
const vitalTables = ["accounts", "api_keys", "upstreams", "models", "credentials", "prices", "leases"];

export interface FileWatch {
  /**
   * Throws StoreError `damaged` or `cannot_open`; to be called every few seconds.
   * Blocks for some milliseconds at the most.
   */
  check(): void;
}

/** `nowMs` never goes back. `file` is no database in memory. */
export function createFileWatch(file: string, nowMs: () => number): FileWatch {
  const { ino, dev } = statSync(file, { bigint: true });
  let nextMs = 0;
  let turn = 0;
  /**
   * As the file was when it was looked at last, and how many looks it still
   * needs to be looked through as it is.
   */
  let version = "";
  let checksLeft = 0;
  let againMs = 0;

  /**
   * A file that was removed or replaced is written to no one's use. Returns what
   * changes when somebody writes to it.
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
