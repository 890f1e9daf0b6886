/**
 * Databases as every landed schema version wrote them (`corpus/`, made by `write-corpus.ts`): SQLite files,
 * and SQL for PostgreSQL, each compressed; and what must still be true of them after an upgrade.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { brotliDecompressSync } from "node:zlib";
import pg from "pg";

export type DatabaseKind = "sqlite" | "postgres";

/** What an upgrade must not change. */
export interface Essence {
  /** SHA-256 of every ledger entry that moved money, and of every balance. */
  readonly ledger: string;
  /** Rows by table, of tables that upgrades never empty. */
  readonly rows: Readonly<Record<string, number>>;
}

export interface CorpusEntry {
  readonly version: number;
  /** How each database came about. */
  readonly how: Readonly<Record<DatabaseKind, string>>;
  /** The key that seals its credentials, base64url. */
  readonly secretKey: string;
  readonly essence: Readonly<Record<DatabaseKind, Essence>>;
}

export const corpusFolder = fileURLToPath(new URL("corpus/", import.meta.url));

export const corpusFile = (version: number, kind: DatabaseKind): string =>
  `${corpusFolder}${String(version).padStart(2, "0")}.${kind === "sqlite" ? "sqlite" : "sql"}.br`;

/** All databases, oldest first. */
export function readCorpus(): readonly CorpusEntry[] {
  return JSON.parse(readFileSync(`${corpusFolder}index.json`, "utf8")) as CorpusEntry[];
}

/** The SQLite file, or the SQL. */
export function unpack(version: number, kind: DatabaseKind): Buffer {
  return brotliDecompressSync(readFileSync(corpusFile(version, kind)));
}

/** Runs one statement and returns its rows; values are text or null. */
export type Ask = (sql: string) => Promise<Readonly<Record<string, string | null>>[]>;

const counted = ["accounts", "api_keys", "models", "prices", "requests", "upstreams"];

/** Written so that both databases sort and print the same. */
const entriesText = `select account_id, kind, cast(amount_nanos as text) as amount, coalesce(request_id, '') as request,
  coalesce(note, '') as note, cast(created_at as text) as at from ledger_entries where amount_nanos <> 0`;
const balancesText = "select id, cast(balance_nanos as text) as balance from accounts";

/** Reads what an upgrade must not change, past the product. */
export async function readEssence(ask: Ask): Promise<Essence> {
  const lines = [...(await ask(entriesText)), ...(await ask(balancesText))].map((row) =>
    JSON.stringify(Object.values(row)),
  );
  const rows: Record<string, number> = {};
  for (const table of counted) {
    const [row] = await ask(`select cast(count(*) as text) as count from ${table}`);
    rows[table] = Number(row?.["count"]);
  }
  return { ledger: createHash("sha256").update(lines.sort().join("\n")).digest("hex"), rows };
}

export const askFile =
  (file: string): Ask =>
  async (sql) => {
    const database = new DatabaseSync(file, { readOnly: true });
    try {
      return database.prepare(sql).all() as Record<string, string | null>[];
    } finally {
      database.close();
    }
  };

export const askServer =
  (url: string): Ask =>
  async (sql) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  };
