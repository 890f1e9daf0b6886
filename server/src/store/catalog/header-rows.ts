/** Reads and writes the headers of upstreams, whose values are sealed like credentials. */
import type { Upstream } from "@plaza/contract/catalog.ts";
import { message } from "@plaza/contract/messages/message.ts";
import { type Kysely, type Selectable, sql, type Transaction } from "kysely";
import { seal, unseal } from "../../lib/secret.ts";
import { StoreError } from "../error.ts";
import { hasMigration } from "../migrations/history.ts";
import type { SqlDialect } from "../sql/dialect.ts";
import type { Database } from "../sql/schema.ts";
import type { UpstreamHeadersTable } from "../sql/schema-console.ts";
import { requireSealingKey } from "./sealing-key.ts";

type HeaderRow = Selectable<UpstreamHeadersTable>;

/** Binds a sealed value to its upstream and name. */
const sealContextOf = ({ upstream_id, name }: Pick<HeaderRow, "upstream_id" | "name">): string =>
  `header ${name} of upstream ${upstream_id}`;

/** The migration that made the table, which may have to wait (`0028-upstream-headers.ts`). */
const madeBy = 28;

const hasTable = (db: Kysely<Database>): Promise<boolean> => hasMigration(db, madeBy);

/** The headers of all upstreams, or of one, in the order of their names; by upstream. */
export async function readHeaderRows(
  db: Kysely<Database>,
  upstreamId?: string,
): Promise<Map<string, HeaderRow[]>> {
  if (!(await hasTable(db))) return new Map();
  const rows = await db
    .selectFrom("upstream_headers")
    .selectAll()
    .$if(upstreamId !== undefined, (query) => query.where("upstream_id", "=", upstreamId ?? ""))
    .orderBy("name")
    .execute();
  return Map.groupBy(rows, (row) => row.upstream_id);
}

/** The headers of one upstream, or why their values cannot be opened. */
export function openHeaders(
  rows: readonly HeaderRow[],
  keys: Uint8Array,
): { headers: Upstream["headers"]; reason: string | undefined } {
  if (rows.length === 0) return { headers: undefined, reason: undefined };
  try {
    const opened = rows.map((row) => [row.name, unseal(row.sealed, keys, sealContextOf(row))]);
    return { headers: Object.fromEntries(opened), reason: undefined };
  } catch (error) {
    return { headers: undefined, reason: (error as Error).message };
  }
}

/**
 * Makes these the upstream's only headers; one whose value is null keeps what is stored. Throws
 * `another_secret_key` when the key is not the installation's.
 */
export async function putHeaders(
  trx: Transaction<Database>,
  upstreamId: string,
  headers: Readonly<Record<string, string | null>>,
  keys: Uint8Array,
): Promise<void> {
  const names = Object.keys(headers);
  if (!(await hasTable(trx))) {
    if (names.length === 0) return;
    throw new StoreError("invalid", message("store.headersWait"));
  }
  if (names.length > 0) await requireSealingKey(trx, keys);
  await trx
    .deleteFrom("upstream_headers")
    .where("upstream_id", "=", upstreamId)
    .$if(names.length > 0, (query) => query.where("name", "not in", names))
    .execute();
  for (const [name, value] of Object.entries(headers)) {
    if (value === null) continue;
    const row = { upstream_id: upstreamId, name };
    const sealed = seal(value, keys, sealContextOf(row));
    await trx
      .insertInto("upstream_headers")
      .values({ ...row, sealed })
      .onConflict((conflict) => conflict.columns(["upstream_id", "name"]).doUpdateSet({ sealed }))
      .execute();
  }
}

/**
 * Seals every value again with the first key; resolves with their number. Throws when one cannot be opened.
 * Blocks reads and writes of headers, as `resealCredentials` does.
 */
export async function resealHeaders(
  trx: Transaction<Database>,
  keys: Uint8Array,
  dialect: Pick<SqlDialect, "locksRows">,
): Promise<number> {
  if (!(await hasTable(trx))) return 0;
  if (dialect.locksRows) await sql`lock table upstream_headers in access exclusive mode`.execute(trx);
  const rows = await trx.selectFrom("upstream_headers").selectAll().execute();
  for (const row of rows) {
    const { headers, reason } = openHeaders([row], keys);
    const value = headers?.[row.name];
    if (value === undefined)
      throw new StoreError(
        "unreadable_credentials",
        `stored headers cannot be opened (upstream ${row.upstream_id}: ${reason})`,
      );
    await trx
      .updateTable("upstream_headers")
      .set({ sealed: seal(value, keys, sealContextOf(row)) })
      .where("upstream_id", "=", row.upstream_id)
      .where("name", "=", row.name)
      .execute();
  }
  return rows.length;
}
