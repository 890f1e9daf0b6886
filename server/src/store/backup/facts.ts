/**
 * Reads what a backup's manifest says about a database, and what a restore has to know of one, by statements
 * that every schema understands. Changes nothing.
 */
import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { formatUsd, nanoUsd } from "@plaza/contract/money.ts";
import { StoreError } from "../error.ts";
import { newestSchema } from "../migrations/index.ts";
import { toStoreError } from "../sqlite/errors.ts";

export interface DatabaseFacts {
  /** The newest migration it has; `newest`: that this Plaza knows. */
  readonly schema: number;
  readonly newest: number;
  readonly accounts: number;
  readonly entries: number;
  readonly requests: number;
  /** Unix milliseconds; null without requests. */
  readonly lastRequestAt: number | null;
  /** US dollars, exact. */
  readonly balances: string;
  readonly entriesSum: string;
  /** The fingerprint of the key that seals its credentials; null when none was recorded. */
  readonly sealingKey: string | null;
}

type Value = string | number | bigint | null;

/** A connection that changes no byte, not even by a log file beside a copy that has none. */
function openReadOnly(file: string): DatabaseSync {
  const url = pathToFileURL(file);
  if (!existsSync(`${file}-wal`)) url.search = "immutable=1";
  return new DatabaseSync(url, { readOnly: true, readBigInts: true });
}

/** Runs `work` on the file and closes it; errors become StoreErrors. */
function reading<T>(file: string, work: (database: DatabaseSync) => T): T {
  let database: DatabaseSync | undefined;
  try {
    database = openReadOnly(file);
    return work(database);
  } catch (error) {
    throw toStoreError(error, file);
  } finally {
    database?.close();
  }
}

const rowOf = (database: DatabaseSync, sql: string, ...values: Value[]): Record<string, Value> =>
  (database.prepare(sql).get(...values) ?? {}) as Record<string, Value>;

const nanosPerUsd = 1_000_000_000n;

/** Adds whole dollars and the rest apart: all balances together may exceed 64 bits. */
const sumOf = (column: string) =>
  `coalesce(sum(${column} / ${nanosPerUsd}), 0) as usd, coalesce(sum(${column} % ${nanosPerUsd}), 0) as rest`;

const usdOf = ({ usd, rest }: Record<string, Value>): string =>
  formatUsd(nanoUsd((usd as bigint) * nanosPerUsd + (rest as bigint)));

function sealingKeyIn(database: DatabaseSync): string | null {
  const hasSettings =
    rowOf(database, "select count(*) as found from sqlite_schema where name = 'installation_settings'")[
      "found"
    ] === 1n;
  if (!hasSettings) return null;
  const { value } = rowOf(database, "select value from installation_settings where name = 'sealingKey'");
  return typeof value === "string" ? (JSON.parse(value) as string) : null;
}

/** Reads the facts of a database that nobody writes to. Throws StoreError when it cannot be read. */
export function readDatabaseFacts(file: string): DatabaseFacts {
  return reading(file, (database) => {
    const accounts = rowOf(database, `select count(*) as count, ${sumOf("balance_nanos")} from accounts`);
    const entries = rowOf(database, `select count(*) as count, ${sumOf("amount_nanos")} from ledger_entries`);
    const requests = rowOf(database, "select count(*) as count, max(created_at) as last from requests");
    const { schema } = rowOf(database, "select max(version) as schema from schema_migrations");
    return {
      schema: Number(schema),
      newest: newestSchema(),
      accounts: Number(accounts["count"]),
      entries: Number(entries["count"]),
      requests: Number(requests["count"]),
      lastRequestAt: requests["last"] === null ? null : Number(requests["last"]),
      balances: usdOf(accounts),
      entriesSum: usdOf(entries),
      sealingKey: sealingKeyIn(database),
    };
  });
}

/** Throws StoreError `damaged` when SQLite finds an error in the file, its indexes included. */
export function checkIntegrity(file: string): void {
  const found = reading(file, (database) => rowOf(database, "pragma integrity_check(1)")["integrity_check"]);
  if (found !== "ok") throw new StoreError("damaged", `the database ${file} is damaged (${found})`);
}

/** How many servers had sent a heartbeat less than 45 s before `nowMs`. */
export function countServers(file: string, nowMs: number): number {
  return reading(file, (database) =>
    Number(rowOf(database, "select count(*) as alive from holders where expires_at > ?", nowMs)["alive"]),
  );
}

/** How many requests of the database at `file` the one at `restored` does not have. */
export function countLost(file: string, restored: string): number {
  return reading(file, (database) => {
    database.prepare("attach database ? as restored").run(`${pathToFileURL(restored).href}?immutable=1`);
    const lost = "select count(*) as lost from requests where id not in (select id from restored.requests)";
    return Number(rowOf(database, lost)["lost"]);
  });
}
