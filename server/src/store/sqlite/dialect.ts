/**
 * Connects Kysely to `node:sqlite`: one connection, cached compiled statements, exact integers. Knows no
 * table.
 */
import type { SQLInputValue } from "node:sqlite";
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import { narrowIntegers, type Row } from "../sql/row-integers.ts";
import type { SqliteConnection } from "./connection.ts";

function run(connection: SqliteConnection, query: CompiledQuery): QueryResult<Row> {
  const { statement, isReader } = connection.prepare(query.sql);
  const parameters = query.parameters as SQLInputValue[];
  if (isReader) return { rows: (statement.all(...parameters) as Row[]).map(narrowIntegers) };
  const { changes, lastInsertRowid } = statement.run(...parameters);
  return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
}

function createDriver(connection: SqliteConnection): Driver {
  const shared: DatabaseConnection = {
    executeQuery: <R>(query: CompiledQuery) =>
      connection.whenFree(() => run(connection, query) as QueryResult<R>),
    // biome-ignore lint/correctness/useYield: there is nothing to yield, only to refuse.
    async *streamQuery() {
      throw new Error("streaming would hold the only connection: ask for pages instead");
    },
  };
  return {
    init: async () => {},
    acquireConnection: async () => {
      await connection.lock.take();
      return shared;
    },
    releaseConnection: async () => connection.lock.release(),
    beginTransaction: (_, settings) =>
      connection.begin(settings.accessMode === "read only" ? "deferred" : "immediate"),
    commitTransaction: async () => connection.commit(),
    rollbackTransaction: async () => connection.rollback(),
    destroy: async () => connection.close(),
  };
}

/** Uses the connection's own lock instead of Kysely's, because the batch writer shares the connection. */
class SharedConnectionAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

/** The dialect for `new Kysely({ dialect })`. Destroying that Kysely closes the connection. */
export function createSqliteDialect(connection: SqliteConnection): Dialect {
  return {
    createDriver: () => createDriver(connection),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new SharedConnectionAdapter(),
    createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
  };
}
