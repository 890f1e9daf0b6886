/**
 * Writes a PostgreSQL database of a schema version as SQL that any server takes: the statements of its
 * migrations, then its rows. And fills one from a SQLite file of the same version.
 */
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { recordedFrom } from "../../server/src/store/migrations/history.ts";
import { migrations } from "../../server/src/store/migrations/index.ts";
import { indexText } from "../../server/src/store/migrations/indexes.ts";

const schemaOf = (version: number): string[] => [
  "create table schema_migrations (version integer primary key, name text not null, applied_at bigint not null)",
  ...migrations
    .filter((one) => one.version <= version)
    .flatMap(({ indexes = [], postgres }) => [...indexes.map((index) => indexText(index, "")), ...postgres]),
];

/** Triggers that keep rows from changing, or number them, must not run on rows that are restored. */
const untriggered = "set session_replication_role = replica";

/** Some statements insert rows, too. */
const emptied = `do $$ declare one record; begin
  for one in select tablename from pg_tables where schemaname = 'public' loop
    execute format('truncate %I cascade', one.tablename);
  end loop; end $$`;

const literal = (value: unknown): string =>
  value === null || value === undefined ? "null" : pg.escapeLiteral(String(value));

function insertOf(table: string, columns: readonly string[], rows: readonly unknown[][]): string[] {
  if (rows.length === 0) return [];
  const names = columns.map((name) => pg.escapeIdentifier(name)).join(", ");
  const values = rows.map((row) => `(${row.map(literal).join(", ")})`).join(",\n");
  return [`insert into ${table} (${names}) overriding system value values\n${values}`];
}

/** Moves every sequence behind the rows. */
const sequences = `do $$ declare one record; begin
  for one in select pg_get_serial_sequence(quote_ident(table_name), column_name) as seq, table_name, column_name
    from information_schema.columns
    where table_schema = 'public' and (is_identity = 'YES' or column_default like 'nextval%')
  loop
    if one.seq is not null then
      execute format('select setval(%L, coalesce((select max(%I) from %I), 0) + 1, false)', one.seq, one.column_name, one.table_name);
    end if;
  end loop; end $$`;

/** Checks constraints that statements leave to a back-fill. */
const validate = `do $$ declare one record; begin
  for one in select conrelid::regclass as name, conname from pg_constraint
    where not convalidated and connamespace = 'public'::regnamespace
  loop
    execute format('alter table %s validate constraint %I', one.name, one.conname);
  end loop; end $$`;

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Names of tables and their ordinary columns. */
async function tablesOf(client: pg.Client): Promise<Map<string, string[]>> {
  const { rows } = await client.query(`select table_name, column_name from information_schema.columns
    where table_schema = 'public' and is_generated = 'NEVER' order by table_name, ordinal_position`);
  const tables = new Map<string, string[]>();
  for (const { table_name: table, column_name: column } of rows as Record<string, string>[]) {
    const columns = tables.get(table ?? "") ?? [];
    columns.push(column ?? "");
    tables.set(table ?? "", columns);
  }
  return tables;
}

/** The database as SQL, statements separated by lines that say `;`. */
export function dumpPostgres(url: string, version: number): Promise<string> {
  return withClient(url, async (client) => {
    const statements = [...schemaOf(version), untriggered, emptied];
    for (const [table, columns] of await tablesOf(client)) {
      const asText = columns.map((name) => `${pg.escapeIdentifier(name)}::text`).join(", ");
      const { rows } = await client.query({
        text: `select ${asText} from ${table} order by 1`,
        rowMode: "array",
      });
      statements.push(...insertOf(table, columns, rows as unknown[][]));
    }
    return [...statements, sequences, validate].join("\n;\n");
  });
}

/** Runs what `dumpPostgres` wrote on an empty database. */
export function restorePostgres(url: string, dump: string): Promise<void> {
  return withClient(url, async (client) => {
    await client.query("begin");
    for (const statement of dump.split("\n;\n")) await client.query(statement);
    await client.query("commit");
  });
}

/** Creates the schema in an empty database and copies the rows of a SQLite file of the same version. */
export function fillFromFile(url: string, file: string, version: number): Promise<void> {
  return withClient(url, async (client) => {
    const source = new DatabaseSync(file, { readOnly: true });
    source.prepare("select 1").get();
    // As when it is restored: some statements lock a table until the end of theirs.
    await client.query("begin");
    for (const statement of schemaOf(version)) await client.query(statement);
    for (const statement of [untriggered, emptied]) await client.query(statement);
    for (const [table, columns] of await tablesOf(client)) {
      const known = source.prepare("select name from pragma_table_info(?)").all(table);
      const shared = columns.filter((column) => known.some(({ name }) => name === column));
      if (shared.length === 0) continue;
      const select = source.prepare(`select ${shared.map((name) => `"${name}"`).join(", ")} from ${table}`);
      select.setReadBigInts(true);
      const rows = select.all().map((row) => shared.map((name) => row[name]));
      for (const statement of insertOf(table, shared, rows)) await client.query(statement);
    }
    // Those of the file are of its statements.
    if (version >= recordedFrom) await client.query("update schema_migrations set digest = null");
    for (const statement of [sequences, validate]) await client.query(statement);
    await client.query("commit");
    source.close();
  });
}
