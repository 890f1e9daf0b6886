/** Reads the catalog from its tables in one snapshot, and opens credentials. Writes nothing. */
import type { Model, PriceRow } from "@plaza/contract/catalog.ts";
import { type Kysely, type Selectable, sql } from "kysely";
import { pricesOfRows, rowsFrom } from "../../domain/money/price-schedule.ts";
import { unseal } from "../../lib/secret.ts";
import type { CredentialsTable, Database } from "../sql/schema.ts";
import type { StoredCatalog } from "./difference.ts";
import { openHeaders, readHeaderRows } from "./header-rows.ts";
import { toPriceRow } from "./price-rows.ts";
import * as rows from "./rows.ts";

/**
 * Returns the current sealing keys. Called inside a transaction that holds the credentials; see
 * `resealCredentials`.
 */
export type KeysNow = () => Uint8Array;

/** Binds a sealed credential to its upstream, so that it cannot be opened as another's. */
export const sealContextOf = (upstreamId: string): string => `credential of upstream ${upstreamId}`;

/**
 * By model: the price row in force at a time and all later ones, of one model or of all models that ever had
 * one.
 */
export async function priceRowsFrom(
  db: Kysely<Database>,
  nowMs: number,
  modelId?: string,
): Promise<Map<string, PriceRow[]>> {
  const found = await db
    .selectFrom("prices")
    .selectAll()
    .$if(modelId !== undefined, (query) => query.where("model_id", "=", modelId ?? ""))
    .where("valid_from", ">=", (eb) =>
      eb
        .selectFrom("prices as begun")
        .whereRef("begun.model_id", "=", "prices.model_id")
        .where("begun.valid_from", "<=", nowMs)
        .select((inner) => inner.fn.coalesce(inner.fn.max("begun.valid_from"), sql.lit(0)).as("valid_from")),
    )
    .orderBy("id")
    .execute();
  const byModel = new Map<string, PriceRow[]>();
  for (const row of found) {
    const rowsOfModel = byModel.get(row.model_id);
    if (rowsOfModel === undefined) byModel.set(row.model_id, [toPriceRow(row)]);
    else rowsOfModel.push(toPriceRow(row));
  }
  return byModel;
}

/** A model's prices as the catalog shows them at a time. */
function pricesAt(
  priceRows: readonly PriceRow[],
  nowMs: number,
): Pick<Model, "price" | "scheduledPrices" | "priceRows"> {
  if (priceRows.length === 0) return {};
  return { ...pricesOfRows(priceRows, nowMs), priceRows: rowsFrom(priceRows, nowMs) };
}

/** The secrets of one upstream, or why they cannot be opened. */
export function openCredentials(
  sealedRows: readonly Selectable<CredentialsTable>[],
  secretKey: Uint8Array,
): { secrets: string[]; reason: string | undefined } {
  try {
    const secrets = sealedRows.map((row) => unseal(row.sealed, secretKey, sealContextOf(row.upstream_id)));
    return { secrets, reason: undefined };
  } catch (error) {
    return { secrets: [], reason: (error as Error).message };
  }
}

/** The whole catalog as it applies at a time; undefined before there is one. */
export async function readCatalog(
  db: Kysely<Database>,
  keysNow: KeysNow,
  nowMs: number,
): Promise<StoredCatalog | undefined> {
  const limits = await db.selectFrom("catalog_limits").selectAll().executeTakeFirst();
  if (limits === undefined) return undefined;
  const credentialRows = await db.selectFrom("credentials").selectAll().orderBy("position").execute();
  const secretKey = keysNow();
  const credentials = Map.groupBy(credentialRows, (row) => row.upstream_id);
  const headers = await readHeaderRows(db);
  const unreadable = new Map<string, string>();
  const upstreamRows = await db
    .selectFrom("upstreams")
    .selectAll()
    .orderBy("position")
    .orderBy("id")
    .execute();
  const upstreams = upstreamRows.map((row) => {
    const { secrets, reason } = openCredentials(credentials.get(row.id) ?? [], secretKey);
    const added = openHeaders(headers.get(row.id) ?? [], secretKey);
    const fault = reason ?? added.reason;
    if (fault !== undefined) unreadable.set(row.id, fault);
    return rows.toUpstream(row, secrets, added.headers);
  });
  const priceRows = await priceRowsFrom(db, nowMs);
  const deploymentRows = await db.selectFrom("deployments").selectAll().orderBy("position").execute();
  const deployments = Map.groupBy(deploymentRows, (row) => row.model_id);
  const modelRows = await db.selectFrom("models").selectAll().orderBy("position").orderBy("id").execute();
  const models = modelRows.map((row) => {
    const prices = pricesAt(priceRows.get(row.id) ?? [], nowMs);
    return rows.toModel(row, prices, (deployments.get(row.id) ?? []).map(rows.toDeployment));
  });
  const credentialCounts = new Map([...credentials].map(([id, { length }]) => [id, length]));
  const headerNames = new Map([...headers].map(([id, those]) => [id, those.map(({ name }) => name)]));
  const catalog = { upstreams, models, ...rows.toCatalogLimits(limits) };
  return { catalog, unreadable, credentialCounts, headerNames };
}
