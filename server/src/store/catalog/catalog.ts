/**
 * The catalog in the database. It is read and compared as a whole, and everything a file manages is replaced
 * as a whole. Prices are a history to which rows are only added.
 */

import type { Catalog, CatalogSource, Kept } from "@plaza/contract/catalog.ts";
import { message } from "@plaza/contract/messages/message.ts";
import { type Kysely, sql, type Transaction } from "kysely";
import { seal, unseal } from "../../lib/secret.ts";
import type { Clock } from "../../lib/time/clock.ts";
import { StoreError } from "../error.ts";
import { insertChange } from "../operation/changes.ts";
import { resealTotps } from "../people/users.ts";
import type { SqlDialect } from "../sql/dialect.ts";
import type { Database } from "../sql/schema.ts";
import type { Store } from "../store.ts";
import { compareCatalogs, type StoredCatalog } from "./difference.ts";
import { putHeaders, resealHeaders } from "./header-rows.ts";
import { type KeysNow, readCatalog, sealContextOf } from "./read.ts";
import { hasLimits, limitsRow } from "./rows.ts";
import { recordSealingKey, requireSealingKey } from "./sealing-key.ts";
import type { CatalogDifference } from "./shapes.ts";
import { replaceable, requireApart } from "./sources.ts";
import { addCredentials, addModels, addPrices, putUpstreams, removeByIds, type Standing } from "./write.ts";

type CatalogMethods = Pick<Store, "loadCatalog" | "applyCatalog" | "compareCatalog" | "resealCredentials">;

/** Throws when the catalog is inconsistent, naming the faulty item. */
function requireConsistent(catalog: Catalog): void {
  const upstreamIds = new Set<string>();
  for (const { id } of catalog.upstreams) {
    if (upstreamIds.has(id)) throw new StoreError("invalid", message("store.upstreamTwice", { id }));
    upstreamIds.add(id);
  }
  const modelIds = new Set<string>();
  for (const model of catalog.models) {
    if (modelIds.has(model.id))
      throw new StoreError("invalid", message("store.modelTwice", { id: model.id }));
    modelIds.add(model.id);
    const lost = model.deployments.find((deployment) => !upstreamIds.has(deployment.upstream));
    if (lost === undefined) continue;
    throw new StoreError(
      "invalid",
      message("store.upstreamLost", { model: model.id, upstream: lost.upstream }),
    );
  }
  for (const model of catalog.models) {
    const lost = model.fallbacks?.find((id) => !modelIds.has(id));
    if (lost === undefined) continue;
    throw new StoreError("invalid", message("store.fallbackLost", { model: model.id, fallback: lost }));
  }
}

/** The revision and position of each item of the file. */
function standings(
  kind: "upstream" | "model",
  before: readonly ({ readonly id: string } & Kept)[],
  difference: CatalogDifference,
): (thing: { readonly id: string } & Kept, position: number) => Standing {
  const revisions = new Map(before.map(({ id, revision = 0 }) => [id, revision]));
  const changed = new Set(difference.changed);
  return ({ id, source }, position) => ({
    position,
    source: sourceOf(source),
    revision: (revisions.get(id) ?? 0) + (changed.has(`${kind} ${id}`) ? 1 : 0),
  });
}

const sourceOf = (source: CatalogSource | undefined): CatalogSource => (source === "demo" ? "demo" : "file");

/** Writes the file's limits if it has any. Otherwise the console manages them and the old ones stay. */
async function writeLimits(
  trx: Transaction<Database>,
  catalog: Catalog,
  before: Catalog | undefined,
): Promise<void> {
  const isFiles = hasLimits(catalog);
  if (!isFiles && before?.keptLimits?.source === "console") return;
  const revision = before === undefined ? 0 : (before.keptLimits?.revision ?? 0) + 1;
  await trx.deleteFrom("catalog_limits").execute();
  await trx
    .insertInto("catalog_limits")
    .values(limitsRow(catalog, { source: isFiles ? "file" : "console", revision }))
    .execute();
}

/** Replaces every row except prices and what the console manages. */
async function writeCatalog(
  trx: Transaction<Database>,
  catalog: Catalog,
  stored: StoredCatalog | undefined,
  difference: CatalogDifference,
  write: { readonly keysNow: KeysNow; readonly nowMs: number; readonly adopts: boolean },
): Promise<void> {
  // Checked before any sealed row is deleted: these rows show which key a database uses that has no
  // fingerprint yet.
  await requireSealingKey(trx, write.keysNow());
  const { upstreams: oldUpstreams, models: oldModels } = replaceable(stored, catalog, write.adopts)
    ?.catalog ?? {
    upstreams: [],
    models: [],
  };
  const ids = new Set(catalog.upstreams.map(({ id }) => id));
  const gone = oldUpstreams.filter(({ id }) => !ids.has(id));
  await removeByIds(
    trx,
    "models",
    oldModels.map(({ id }) => id),
  );
  await removeByIds(
    trx,
    "upstreams",
    gone.map(({ id }) => id),
  );
  // An upstream that stays is not deleted, because models of the console may use it.
  for (const { id } of oldUpstreams)
    await trx.deleteFrom("credentials").where("upstream_id", "=", id).execute();
  const secretKey = write.keysNow();
  const standingOf = standings("upstream", oldUpstreams, difference);
  const upstreams = catalog.upstreams.map((upstream, at) => ({
    upstream,
    standing: standingOf(upstream, at),
  }));
  await putUpstreams(trx, upstreams);
  await addCredentials(trx, catalog.upstreams, secretKey);
  for (const { id, headers = {} } of catalog.upstreams) await putHeaders(trx, id, headers, secretKey);
  const standingOfModel = standings("model", oldModels, difference);
  const createdAts = new Map(oldModels.map(({ id, createdAt }) => [id, createdAt ?? null]));
  const models = catalog.models.map((model, at) => {
    const known = createdAts.get(model.id);
    const createdAt = known === undefined ? write.nowMs : known;
    return { model, standing: standingOfModel(model, at), createdAt };
  });
  await addModels(trx, models);
  await writeLimits(trx, catalog, stored?.catalog);
}

/**
 * Seals every credential and header again with the first key. Throws, and changes nothing, when one cannot be
 * opened.
 */
async function resealAll(
  trx: Transaction<Database>,
  keys: Uint8Array,
  dialect: Pick<SqlDialect, "locksRows">,
): Promise<number> {
  // Blocks reads and writes of credentials. Transactions that sealed with the old keys have committed by now,
  // and later ones get the new key.
  if (dialect.locksRows) await sql`lock table credentials in access exclusive mode`.execute(trx);
  await requireSealingKey(trx, keys);
  const found = await trx.selectFrom("credentials").selectAll().execute();
  for (const { upstream_id, position, sealed } of found) {
    const place = sealContextOf(upstream_id);
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
  const headers = await resealHeaders(trx, keys, dialect);
  await resealTotps(trx, keys, dialect);
  await recordSealingKey(trx, keys);
  return found.length + headers;
}

export function createCatalogMethods(
  db: Kysely<Database>,
  clock: Clock,
  keysNow: KeysNow,
  dialect: Pick<SqlDialect, "locksRows">,
): CatalogMethods {
  /** Reads all tables in one snapshot. */
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
        `stored credentials cannot be opened (${reasons}); if that key is lost: npx plaza secret reset, then give the credentials again`,
      );
    },
    resealCredentials: (keys) => db.transaction().execute((trx) => resealAll(trx, keys, dialect)),
    async compareCatalog(catalog, { adopts = false } = {}) {
      requireConsistent(catalog);
      const nowMs = clock.wallMs();
      const stored = await readAtOnce(nowMs);
      requireApart(stored, catalog, adopts);
      return compareCatalogs(replaceable(stored, catalog, adopts), catalog, nowMs);
    },
    async applyCatalog(catalog, { adopts = false } = {}) {
      requireConsistent(catalog);
      return await db.transaction().execute(async (trx) => {
        const nowMs = clock.wallMs();
        const stored = await readCatalog(trx, keysNow, nowMs);
        requireApart(stored, catalog, adopts);
        const difference = compareCatalogs(replaceable(stored, catalog, adopts), catalog, nowMs);
        const { added, changed, removed } = difference;
        const isSame = added.length + changed.length + removed.length === 0;
        if (isSame && stored !== undefined) return difference;
        await addPrices(trx, catalog.models, nowMs);
        await writeCatalog(trx, catalog, stored, difference, { keysNow, nowMs, adopts });
        await insertChange(trx, { kind: "catalog", subject: "" }, nowMs);
        return difference;
      });
    },
  };
}
