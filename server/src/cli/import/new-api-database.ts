/** Reads the rows of a new-api database: a SQLite file, or PostgreSQL. Changes nothing. */
import { existsSync } from "node:fs";
import { CommandFailure } from "../failure.ts";
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
      return await readRows(async (sql) => database.prepare(sql).all() as Row[], hasKeys);
    } finally {
      database.close();
    }
  } catch (error) {
    throw unreadable(file, error);
  }
}

async function fromServer(url: string, hasKeys: boolean): Promise<NewApiRows> {
  const { default: pg } = await import("pg");
  const { host, pathname } = new URL(url);
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  try {
    await client.connect();
    await client.query("set default_transaction_read_only = on");
    return await readRows(async (sql) => (await client.query<Row>(sql)).rows, hasKeys);
  } catch (error) {
    throw unreadable(`${host}${pathname}`, error);
  } finally {
    await client.end().catch(() => {});
  }
}

/**
 * `place`: the path of a SQLite file, or a `postgres://` URL. `hasKeys`: with users and tokens. Throws a
 * CommandFailure.
 */
export function readNewApiRows(place: string, hasKeys: boolean): Promise<NewApiRows> {
  if (/^postgres(?:ql)?:\/\//.test(place)) return fromServer(place, hasKeys);
  if (/^mysql:/.test(place) || /@tcp\(/.test(place)) {
    throw new CommandFailure(
      "not_supported",
      "MySQL is not read: copy the tables channels, options, users and tokens into a SQLite file",
      2,
    );
  }
  return fromFile(place, hasKeys);
}
