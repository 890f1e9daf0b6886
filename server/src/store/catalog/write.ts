/**
 * Writes rows of upstreams, models and prices for callers that decide which ones. Does not check who may
 * change what.
 */
import type { CatalogSource, Model, Upstream } from "@plaza/contract/catalog.ts";
import { sql, type Transaction } from "kysely";
import { rowsToAdd } from "../../domain/money/price-schedule.ts";
import { seal } from "../../lib/secret.ts";
import type { Database } from "../sql/schema.ts";
import { newPriceRow } from "./price-rows.ts";
import { priceRowsFrom, sealContextOf } from "./read.ts";
import * as rows from "./rows.ts";
import { requireSealingKey } from "./sealing-key.ts";

/** Rows per INSERT; far below both databases' parameter limits. */
const rowsPerInsert = 100;

function chunks<T>(things: readonly T[]): T[][] {
  const count = Math.ceil(things.length / rowsPerInsert);
  return Array.from({ length: count }, (_, index) =>
    things.slice(index * rowsPerInsert, (index + 1) * rowsPerInsert),
  );
}

/** Columns the store adds to an item. */
export interface Standing {
  readonly position: number;
  readonly source: CatalogSource;
  readonly revision: number;
}

/** Adds the rows that make the models' prices apply from now on. */
export async function addPrices(
  trx: Transaction<Database>,
  models: readonly Model[],
  nowMs: number,
): Promise<void> {
  const only = models.length === 1 ? models[0]?.id : undefined;
  const priceRows = await priceRowsFrom(trx, nowMs, only);
  const added = models.flatMap((model) =>
    rowsToAdd(priceRows.get(model.id) ?? [], model, nowMs).map(({ validFrom, price }) =>
      newPriceRow(model.id, price, validFrom),
    ),
  );
  for (const chunk of chunks(added)) await trx.insertInto("prices").values(chunk).execute();
}

/** Inserts or replaces upstreams. Other tables refer only to their ids. */
export async function putUpstreams(
  trx: Transaction<Database>,
  upstreams: readonly { readonly upstream: Upstream; readonly standing: Standing }[],
): Promise<void> {
  const values = upstreams.map(({ upstream, standing }) => ({ ...rows.upstreamRow(upstream), ...standing }));
  for (const chunk of chunks(values)) {
    const names = Object.keys(chunk[0] ?? {}).filter((name) => name !== "id");
    const replaced = Object.fromEntries(names.map((name) => [name, sql.ref(`excluded.${name}`)]));
    await trx
      .insertInto("upstreams")
      .values(chunk)
      .onConflict((conflict) => conflict.column("id").doUpdateSet(replaced))
      .execute();
  }
}

/**
 * Seals and inserts credentials; the upstreams' old ones must be deleted first. Throws `another_secret_key`
 * when the key is not the installation's.
 */
export async function addCredentials(
  trx: Transaction<Database>,
  upstreams: readonly Pick<Upstream, "id" | "credentials">[],
  secretKey: Uint8Array,
): Promise<void> {
  await requireSealingKey(trx, secretKey);
  const values = upstreams.flatMap(({ id, credentials }) =>
    credentials.map((secret, position) => ({
      upstream_id: id,
      position,
      sealed: seal(secret, secretKey, sealContextOf(id)),
    })),
  );
  for (const chunk of chunks(values)) await trx.insertInto("credentials").values(chunk).execute();
}

/** Inserts models with their deployments; models with the same ids must be deleted first. */
export async function addModels(
  trx: Transaction<Database>,
  models: readonly {
    readonly model: Model;
    readonly standing: Standing;
    /** Unix milliseconds; null: unknown. */
    readonly createdAt: number | null;
  }[],
): Promise<void> {
  const values = models.map(({ model, standing, createdAt }) => ({
    ...rows.modelRow(model),
    ...standing,
    created_at: createdAt,
  }));
  for (const chunk of chunks(values)) await trx.insertInto("models").values(chunk).execute();
  const deployments = models.flatMap(({ model }) => rows.deploymentRows(model));
  for (const chunk of chunks(deployments)) await trx.insertInto("deployments").values(chunk).execute();
}

/** Deletes rows by their ids. */
export async function removeByIds(
  trx: Transaction<Database>,
  table: "upstreams" | "models",
  ids: readonly string[],
): Promise<void> {
  for (const chunk of chunks(ids)) await trx.deleteFrom(table).where("id", "in", chunk).execute();
}
