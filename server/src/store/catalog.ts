/**
 * The catalog in the database: read whole, compared whole, replaced whole. Prices alone are history and only grow.
 */
import type { Catalog, Model, PriceRow } from "@plaza/contract/catalog.ts";
import { type Kysely, type Selectable, sql, type Transaction } from "kysely";
import { pricesOfRows, rowsFrom, rowsToAdd } from "../domain/price-schedule.ts";
import type { Clock } from "../lib/clock.ts";
import { seal, unseal } from "../lib/secret.ts";
import { compareCatalogs, type StoredCatalog } from "./catalog-difference.ts";
import * as rows from "./catalog-rows.ts";
import { insertChange } from "./changes.ts";
import { newPriceRow, toPriceRow } from "./price-rows.ts";
import type { CredentialsTable, Database } from "./schema.ts";
import type { Store } from "./store.ts";
import type { DialectWays } from "./store-core.ts";
import { StoreError } from "./store-error.ts";

type CatalogMethods = Pick<Store, "loadCatalog" | "applyCatalog" | "compareCatalog" | "resealCredentials">;

/** The sealing keys as they are now. Asked within a transaction, once it holds the credentials: see `resealCredentials`. */
type KeysNow = () => Uint8Array;

/** Rows per INSERT: far below either database's limit on parameters. */
const rowsPerInsert = 100;

/** A sealed credential opens only as a credential of its own upstream. */
const placeOf = (upstreamId: string): string => `credential of upstream ${upstreamId}`;

function groupBy<T>(things: readonly T[], keyOf: (thing: T) => string): Map<string, T[]> {
  return Map.groupBy(things, keyOf);
}

function chunks<T>(things: readonly T[]): T[][] {
  const count = Math.ceil(things.length / rowsPerInsert);
  return Array.from({ length: count }, (_, index) =>
    things.slice(index * rowsPerInsert, (index + 1) * rowsPerInsert),
  );
}

/** By model: the row in force at a time and all that begin later, of every model that ever had one. */
async function priceRowsFrom(db: Kysely<Database>, nowMs: number): Promise<Map<string, PriceRow[]>> {
  const found = await db
    .selectFrom("prices")
    .selectAll()
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
function openCredentials(
  sealedRows: readonly Selectable<CredentialsTable>[],
  secretKey: Uint8Array,
): { secrets: string[]; reason: string | undefined } {
  try {
    const secrets = sealedRows.map((row) => unseal(row.sealed, secretKey, placeOf(row.upstream_id)));
    return { secrets, reason: undefined };
  } catch (error) {
    return { secrets: [], reason: (error as Error).message };
  }
}

async function readCatalog(
  db: Kysely<Database>,
  keysNow: KeysNow,
  nowMs: number,
): Promise<StoredCatalog | undefined> {
  const limits = await db.selectFrom("catalog_limits").selectAll().executeTakeFirst();
  if (limits === undefined) return undefined;
  const credentialRows = await db.selectFrom("credentials").selectAll().orderBy("position").execute();
  const secretKey = keysNow();
  const credentials = groupBy(credentialRows, (row) => row.upstream_id);
  const unreadable = new Map<string, string>();
  const upstreamRows = await db.selectFrom("upstreams").selectAll().orderBy("position").execute();
  const upstreams = upstreamRows.map((row) => {
    const { secrets, reason } = openCredentials(credentials.get(row.id) ?? [], secretKey);
    if (reason !== undefined) unreadable.set(row.id, reason);
    return rows.toUpstream(row, secrets);
  });
  const priceRows = await priceRowsFrom(db, nowMs);
  const deploymentRows = await db.selectFrom("deployments").selectAll().orderBy("position").execute();
  const deployments = groupBy(deploymentRows, (row) => row.model_id);
  const modelRows = await db.selectFrom("models").selectAll().orderBy("position").execute();
  const models = modelRows.map((row) => {
    const prices = pricesAt(priceRows.get(row.id) ?? [], nowMs);
    return rows.toModel(row, prices, (deployments.get(row.id) ?? []).map(rows.toDeployment));
  });
  return { catalog: { upstreams, models, ...rows.toCatalogLimits(limits) }, unreadable };
}

/** Refuses what could not be stored as one consistent catalog, with the name of the culprit. */
function requireConsistent(catalog: Catalog): void {
  const upstreamIds = new Set<string>();
  for (const { id } of catalog.upstreams) {
    if (upstreamIds.has(id)) throw new StoreError("invalid", `the catalog has two upstreams named ${id}`);
    upstreamIds.add(id);
  }
  const modelIds = new Set<string>();
  for (const model of catalog.models) {
    if (modelIds.has(model.id))
      throw new StoreError("invalid", `the catalog has two models named ${model.id}`);
    modelIds.add(model.id);
    const lost = model.deployments.find((deployment) => !upstreamIds.has(deployment.upstream));
    if (lost === undefined) continue;
    throw new StoreError(
      "invalid",
      `model ${model.id} has a deployment on upstream ${lost.upstream}, which the catalog does not have`,
    );
  }
  for (const model of catalog.models) {
    const lost = model.fallbacks?.find((id) => !modelIds.has(id));
    if (lost === undefined) continue;
    throw new StoreError(
      "invalid",
      `model ${model.id} falls back to model ${lost}, which the catalog does not have`,
    );
  }
}

/** Adds the rows that make the catalog's prices apply from now on. */
async function addPrices(trx: Transaction<Database>, catalog: Catalog, nowMs: number): Promise<void> {
  const priceRows = await priceRowsFrom(trx, nowMs);
  const added = catalog.models.flatMap((model) =>
    rowsToAdd(priceRows.get(model.id) ?? [], model, nowMs).map(({ validFrom, price }) =>
      newPriceRow(model.id, price, validFrom),
    ),
  );
  for (const chunk of chunks(added)) await trx.insertInto("prices").values(chunk).execute();
}

/** Replaces every row but the prices. */
async function writeCatalog(trx: Transaction<Database>, catalog: Catalog, keysNow: KeysNow): Promise<void> {
  for (const table of ["deployments", "models", "credentials", "upstreams", "catalog_limits"] as const) {
    await trx.deleteFrom(table).execute();
  }
  const secretKey = keysNow();
  await trx.insertInto("catalog_limits").values(rows.limitsRow(catalog)).execute();
  for (const chunk of chunks(catalog.upstreams.map(rows.upstreamRow))) {
    await trx.insertInto("upstreams").values(chunk).execute();
  }
  const credentials = catalog.upstreams.flatMap(({ id, credentials: plain }) =>
    plain.map((secret, position) => ({
      upstream_id: id,
      position,
      sealed: seal(secret, secretKey, placeOf(id)),
    })),
  );
  for (const chunk of chunks(credentials)) await trx.insertInto("credentials").values(chunk).execute();
  for (const chunk of chunks(catalog.models.map(rows.modelRow))) {
    await trx.insertInto("models").values(chunk).execute();
  }
  for (const chunk of chunks(catalog.models.flatMap(rows.deploymentRows))) {
    await trx.insertInto("deployments").values(chunk).execute();
  }
}

/** Seals every credential with the first key; those it cannot open make it throw, and nothing is changed. */
async function resealAll(
  trx: Transaction<Database>,
  keys: Uint8Array,
  { locksRows }: Pick<DialectWays, "locksRows">,
): Promise<number> {
  // Nobody reads or writes credentials meanwhile: whoever seals some with keys asked for before this began has committed them by now,
  // and whoever asks from now on gets the new key.
  if (locksRows) await sql`lock table credentials in access exclusive mode`.execute(trx);
  const found = await trx.selectFrom("credentials").selectAll().execute();
  for (const { upstream_id, position, sealed } of found) {
    const place = placeOf(upstream_id);
    let plain: string;
    try {
      plain = unseal(sealed, keys, place);
    } catch (error) {
      const reason = `upstream ${upstream_id}: ${(error as Error).message}`;
      throw new StoreError("unreadable_credentials", `stored credentials cannot be opened (${reason})`);
    }
    await trx
      .updateTable("credentials")
      .set({ sealed: seal(plain, keys, place) })
      .where("upstream_id", "=", upstream_id)
      .where("position", "=", position)
      .execute();
  }
  return found.length;
}

export function createCatalogMethods(
  db: Kysely<Database>,
  clock: Clock,
  keysNow: KeysNow,
  ways: Pick<DialectWays, "locksRows">,
): CatalogMethods {
  /** One view of all tables, while others write. */
  const readAtOnce = (nowMs: number) =>
    db
      .transaction()
      .setIsolationLevel("repeatable read")
      .setAccessMode("read only")
      .execute((trx) => readCatalog(trx, keysNow, nowMs));

  return {
    async loadCatalog() {
      const stored = await readAtOnce(clock.wallMs());
      if (stored === undefined || stored.unreadable.size === 0) return stored?.catalog;
      const reasons = [...stored.unreadable].map(([id, reason]) => `upstream ${id}: ${reason}`).join("; ");
      throw new StoreError(
        "unreadable_credentials",
        `stored credentials cannot be opened (${reasons}); or apply the catalog again, which seals them anew`,
      );
    },
    resealCredentials: (keys) => db.transaction().execute((trx) => resealAll(trx, keys, ways)),
    async compareCatalog(catalog) {
      requireConsistent(catalog);
      const nowMs = clock.wallMs();
      return compareCatalogs(await readAtOnce(nowMs), catalog, nowMs);
    },
    async applyCatalog(catalog) {
      requireConsistent(catalog);
      return await db.transaction().execute(async (trx) => {
        const nowMs = clock.wallMs();
        const stored = await readCatalog(trx, keysNow, nowMs);
        const difference = compareCatalogs(stored, catalog, nowMs);
        const { added, changed, removed } = difference;
        const isSame = added.length + changed.length + removed.length === 0;
        if (isSame && stored !== undefined) return difference;
        await addPrices(trx, catalog, nowMs);
        await writeCatalog(trx, catalog, keysNow);
        await insertChange(trx, { kind: "catalog", subject: "" }, nowMs);
        return difference;
      });
    },
  };
}
