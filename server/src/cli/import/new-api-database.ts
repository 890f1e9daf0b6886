/** Reads the rows of a new-api database: a SQLite file, MySQL, MariaDB or PostgreSQL. Changes nothing. */
import { existsSync } from "node:fs";
import { basename } from "node:path";
import { CommandFailure } from "../failure.ts";
import { isMysqlAddress, readMysqlAddress } from "./mysql-address.ts";
import type { Channel, NewApiRows } from "./new-api.ts";

type Row = Readonly<Record<string, unknown>>;
type Ask = (sql: string) => Promise<readonly Row[]>;

const columns = `id, type, "key", status, name, weight, base_url, other, models, "group" as groups, model_mapping, priority`;

const number = (value: unknown): number => Number(value ?? 0);
const text = (value: unknown): string | null =>
  value === null || value === undefined ? null : String(value);

const toChannel = (row: Row): Channel => ({
  id: number(row["id"]),
  type: number(row["type"]),
  key: text(row["key"]) ?? "",
  status: number(row["status"]),
  name: text(row["name"]) ?? "",
  weight: number(row["weight"]),
  base_url: text(row["base_url"]),
  other: text(row["other"]),
  models: text(row["models"]) ?? "",
  groups: text(row["groups"]),
  model_mapping: text(row["model_mapping"]),
  priority: number(row["priority"]),
});

async function readRows(ask: Ask, hasKeys: boolean): Promise<NewApiRows> {
  const channels = await ask(`select ${columns} from channels order by id`);
  const options = await ask(`select "key", value from options`);
  const countOf = async (table: string) =>
    number((await ask(`select count(*) as count from ${table}`))[0]?.["count"]);
  return {
    channels: channels.map(toChannel),
    options: new Map(options.map((row) => [String(row["key"]), String(row["value"])])),
    users: await countOf("users"),
    tokens: await countOf("tokens"),
    ...(hasKeys
      ? {
          keys: {
            // Versions differ in the columns.
            users: await ask("select * from users order by id"),
            tokens: await ask("select * from tokens order by id"),
          },
        }
      : {}),
  };
}

const unreadable = (place: string, error: unknown): CommandFailure =>
  new CommandFailure(
    "unreadable",
    `${place} cannot be read as a new-api database: ${error instanceof Error ? error.message : String(error)}`,
  );

async function fromFile(file: string, hasKeys: boolean): Promise<NewApiRows> {
  if (!existsSync(file)) throw new CommandFailure("not_found", `${file}: no such file`);
  const { DatabaseSync } = await import("node:sqlite");
  try {
    const database = new DatabaseSync(file, { readOnly: true });
    try {
      return await readRows(async (sql) => {
        const statement = database.prepare(sql);
        // A quota may be larger than a number holds exactly, which would be an error.
        statement.setReadBigInts(true);
        return statement.all() as Row[];
      }, hasKeys);
    } finally {
      database.close();
    }
  } catch (error) {
    throw unreadable(file, error);
  }
}

const connectMs = 5_000;

async function fromMysql(place: string, hasKeys: boolean): Promise<NewApiRows> {
  const { ssl, ...address } = readMysqlAddress(place);
  const { createConnection } = await import("mysql2/promise");
  const options = { ...address, ...(ssl === undefined ? {} : { ssl }) };
  try {
    const connection = await createConnection({
      ...options,
      connectTimeout: connectMs,
      // As the other databases give them: integers exactly, dates as text.
      supportBigNumbers: true,
      dateStrings: true,
    });
    try {
      await connection.query("set session sql_mode = 'ANSI_QUOTES'");
      await connection.query("start transaction read only");
      return await readRows(async (sql) => (await connection.query(sql))[0] as Row[], hasKeys);
    } finally {
      await connection.end().catch(() => {});
    }
  } catch (error) {
    throw unreadable(`${address.host}:${address.port}/${address.database}`, error);
  }
}

function hostAndPath(url: string): string {
  try {
    const { host, pathname } = new URL(url);
    return `${host}${pathname}`;
  } catch {
    // The error has the whole text in it, with the password.
    throw new CommandFailure("invalid_address", "the database's address is not a URL", 2);
  }
}

async function fromPostgres(url: string, hasKeys: boolean): Promise<NewApiRows> {
  const { default: pg } = await import("pg");
  const place = hostAndPath(url);
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: connectMs });
  try {
    await client.connect();
    await client.query("set default_transaction_read_only = on");
    return await readRows(async (sql) => (await client.query<Row>(sql)).rows, hasKeys);
  } catch (error) {
    throw unreadable(place, error);
  } finally {
    await client.end().catch(() => {});
  }
}

const isPostgresUrl = (place: string): boolean => /^postgres(?:ql)?:\/\//.test(place);

/** The name of the database's file, or of the database on its server; never a part of a password. */
export function nameOfNewApi(place: string): string {
  if (isMysqlAddress(place)) return readMysqlAddress(place).database;
  return basename(isPostgresUrl(place) ? hostAndPath(place) : place);
}

/**
 * `place`: the path of a SQLite file, a `postgres://` or `mysql://` URL, or new-api's `SQL_DSN`. `hasKeys`:
 * with users and tokens. Throws a CommandFailure.
 */
export function readNewApiRows(place: string, hasKeys: boolean): Promise<NewApiRows> {
  if (isPostgresUrl(place)) return fromPostgres(place, hasKeys);
  return isMysqlAddress(place) ? fromMysql(place, hasKeys) : fromFile(place, hasKeys);
}
