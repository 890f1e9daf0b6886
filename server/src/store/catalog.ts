/**
 * The catalog in the database: read whole, compared whole, replaced whole. Prices alone are history and only grow.
 */
import type { Catalog, Price } from "@plaza/contract/catalog.ts";
import type { Kysely, Selectable, Transaction } from "kysely";
import type { Clock } from "../lib/clock.ts";
import { seal, unseal } from "../lib/secret.ts";
import { compareCatalogs, priceText, type StoredCatalog } from "./catalog-difference.ts";
import * as rows from "./catalog-rows.ts";
import { insertChange } from "./changes.ts";
import type { CredentialsTable, Database, PricesTable } from "./schema.ts";
import type { Store } from "./store.ts";
import { StoreError } from "./store-error.ts";

type CatalogMethods = Pick<Store, "loadCatalog" | "applyCatalog" | "compareCatalog">;

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

/** The newest price row of every model that ever had one. */
async function newestPrices(db: Kysely<Database>): Promise<Map<string, Selectable<PricesTable>>> {
  const found = await db
    .selectFrom("prices")
    .selectAll()
    .where("valid_from", "=", (eb) =>
      eb
        .selectFrom("prices as newest")
        .whereRef("newest.model_id", "=", "prices.model_id")
        .select((inner) => inner.fn.max("newest.valid_from").as("valid_from")),
    )
    .execute();
  return new Map(found.map((row) => [row.model_id, row]));
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

async function readCatalog(db: Kysely<Database>, secretKey: Uint8Array): Promise<StoredCatalog | undefined> {
  const limits = await db.selectFrom("catalog_limits").selectAll().executeTakeFirst();
  if (limits === undefined) return undefined;
  const credentialRows = await db.selectFrom("credentials").selectAll().orderBy("position").execute();
  const credentials = groupBy(credentialRows, (row) => row.upstream_id);
  const unreadable = new Map<string, string>();
  const upstreamRows = await db.selectFrom("upstreams").selectAll().orderBy("position").execute();
  const upstreams = upstreamRows.map((row) => {
    const { secrets, reason } = openCredentials(credentials.get(row.id) ?? [], secretKey);
    if (reason !== undefined) unreadable.set(row.id, reason);
    return rows.toUpstream(row, secrets);
  });
  const prices = await newestPrices(db);
  const deploymentRows = await db.selectFrom("deployments").selectAll().orderBy("position").execute();
  const deployments = groupBy(deploymentRows, (row) => row.model_id);
  const modelRows = await db.selectFrom("models").selectAll().orderBy("position").execute();
  const models = modelRows.map((row) => {
    const price = prices.get(row.id);
    return rows.toModel(
      row,
      price && rows.toPrice(price),
      (deployments.get(row.id) ?? []).map(rows.toDeployment),
    );
  });
  return { catalog: { upstreams, models, limits: rows.toLimits(limits) }, unreadable };
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
}

/** Adds a row for every price that differs from the one in force. */
async function addPrices(trx: Transaction<Database>, catalog: Catalog, nowMs: number): Promise<void> {
  const newest = await newestPrices(trx);
  const added = catalog.models.flatMap((model) => {
    const old = newest.get(model.id);
    const oldPrice: Price | undefined = old && rows.toPrice(old);
    if (priceText(oldPrice) === priceText(model.price)) return [];
    // A clock set back must not put the new price before the old one.
    const validFrom = old === undefined ? nowMs : Math.max(nowMs, old.valid_from + 1);
    return [rows.priceRow(model.id, model.price, validFrom)];
  });
  for (const chunk of chunks(added)) await trx.insertInto("prices").values(chunk).execute();
}

/** Replaces every row but the prices. */
async function writeCatalog(
  trx: Transaction<Database>,
  catalog: Catalog,
  secretKey: Uint8Array,
): Promise<void> {
  for (const table of ["deployments", "models", "credentials", "upstreams", "catalog_limits"] as const) {
    await trx.deleteFrom(table).execute();
  }
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

export function createCatalogMethods(
  db: Kysely<Database>,
  clock: Clock,
  secretKey: Uint8Array,
): CatalogMethods {
  /** One view of all tables, while others write. */
  const readAtOnce = () =>
    db
      .transaction()
      .setIsolationLevel("repeatable read")
      .setAccessMode("read only")
      .execute((trx) => readCatalog(trx, secretKey));

  return {
    async loadCatalog() {
      const stored = await readAtOnce();
      if (stored === undefined || stored.unreadable.size === 0) return stored?.catalog;
      const reasons = [...stored.unreadable].map(([id, reason]) => `upstream ${id}: ${reason}`).join("; ");
      throw new StoreError(
        "unreadable_credentials",
        `stored credentials cannot be opened (${reasons}); or apply the catalog again, which seals them anew`,
      );
    },
    async compareCatalog(catalog) {
      requireConsistent(catalog);
      return compareCatalogs(await readAtOnce(), catalog);
    },
    async applyCatalog(catalog) {
      requireConsistent(catalog);
      return await db.transaction().execute(async (trx) => {
        const stored = await readCatalog(trx, secretKey);
        const difference = compareCatalogs(stored, catalog);
        const { added, changed, removed } = difference;
        const isSame = added.length + changed.length + removed.length === 0;
        if (isSame && stored !== undefined) return difference;
        const nowMs = clock.wallMs();
        await addPrices(trx, catalog, nowMs);
        await writeCatalog(trx, catalog, secretKey);
        await insertChange(trx, { kind: "catalog", subject: "" }, nowMs);
        return difference;
      });
    },
  };
}
