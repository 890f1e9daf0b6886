/** Reads requests. Writing them is the hot path and bypasses Kysely: `sqlite/ledger-writer.ts`. */
import type { Kysely, Selectable } from "kysely";
import { toPriceRow } from "../catalog/price-rows.ts";
import { newestRequests } from "../lists/read.ts";
import type { SqlDialect } from "../sql/dialect.ts";
import type { Database } from "../sql/schema.ts";
import type { Store } from "../store.ts";
import { type ColumnKind, columnList, type RequestProperty, type RequestsTable } from "./columns.ts";
import type { AttemptRecord, StoredRequest } from "./shapes.ts";
import { readUsageParts } from "./usage-parts.ts";

const listMax = 10_000;

/** How a column's value becomes its property's; other kinds are used unchanged. Null stays null. */
const readers: Partial<Record<ColumnKind, (value: never) => unknown>> = {
  flag: (value: number) => value === 1,
  json: (value: string) => JSON.parse(value) as unknown,
};

/** Rows from before migration 18 have `outpaced` instead of `superseded`. */
const readAttempts = (value: string): readonly AttemptRecord[] =>
  (JSON.parse(value) as AttemptRecord[]).map((attempt) =>
    attempt.fault === "outpaced" ? { ...attempt, fault: "superseded" } : attempt,
  );

/** All but `usage_parts`, which holds two properties. */
const columns = columnList
  .filter(({ property }) => property !== "usageParts")
  .map(({ property, name, kind }) => ({
    property,
    name,
    read: (property === "attemptLog" ? readAttempts : readers[kind]) as
      | ((value: unknown) => unknown)
      | undefined,
  }));

/** Converts a row of `requests`. */
export function toRequest(row: Selectable<RequestsTable>): StoredRequest {
  const request: Partial<Record<RequestProperty, unknown>> = {};
  for (const { property, name, read } of columns) {
    const value: unknown = row[name];
    request[property] = value === null || read === undefined ? value : read(value);
  }
  return Object.assign(request, readUsageParts(row.usage_parts)) as unknown as StoredRequest;
}

export function createRequestMethods(
  db: Kysely<Database>,
  dialect: SqlDialect,
): Pick<Store, "listRequests" | "findRequest"> {
  return {
    async listRequests({ accountId, limit }) {
      const most = Math.min(Math.max(0, Math.trunc(limit)), listMax);
      const rows =
        accountId === undefined
          ? // The primary key is in order of time.
            await db.selectFrom("requests").selectAll().orderBy("id", "desc").limit(most).execute()
          : await newestRequests(db, dialect, accountId, most);
      return rows.map(toRequest);
    },
    async findRequest(id) {
      const row = await db.selectFrom("requests").selectAll().where("id", "=", id).executeTakeFirst();
      if (row === undefined) return undefined;
      const price =
        row.price_id === null
          ? undefined
          : await db.selectFrom("prices").selectAll().where("id", "=", row.price_id).executeTakeFirst();
      return { request: toRequest(row), price: price && toPriceRow(price) };
    },
  };
}
