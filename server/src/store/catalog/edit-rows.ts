/** Reads and writes one item of the catalog inside the transaction that changes it. */
import type { CatalogSource, Model, Upstream } from "@plaza/contract/catalog.ts";
import type { Transaction } from "kysely";
import type { Database } from "../sql/schema.ts";
import type { EditOutcome } from "./edit.ts";
import { putHeaders } from "./header-rows.ts";
import { limitsRow } from "./rows.ts";
import { addCredentials, addModels, addPrices, putUpstreams } from "./write.ts";

type Table = "upstreams" | "models";

/** Position of the console's items: after those of any file. */
const firstPosition = 1_000_000;

const whatOf = { upstreams: "upstream", models: "model" } as const;

/** Most items of each kind in a catalog, including the file's. */
const counts = { upstreams: 2_000, models: 20_000 } as const;

/** True when the catalog is full. */
export async function findFull(
  trx: Transaction<Database>,
  table: Table,
  more: number,
): Promise<EditOutcome | undefined> {
  const row = await trx
    .selectFrom(table)
    .select((eb) => eb.fn.countAll().as("count"))
    .executeTakeFirstOrThrow();
  const max = counts[table];
  return Number(row.count) + more > max ? { kind: "full", what: whatOf[table], max } : undefined;
}

async function nextPosition(trx: Transaction<Database>, table: Table): Promise<number> {
  const row = await trx
    .selectFrom(table)
    .select((eb) => eb.fn.max("position").as("last"))
    .executeTakeFirst();
  return Math.max(firstPosition, Number(row?.last ?? 0) + 1);
}

export const findStanding = (trx: Transaction<Database>, table: Table, id: string) =>
  trx.selectFrom(table).select(["position", "source", "revision"]).where("id", "=", id).executeTakeFirst();

export const isThere = async (trx: Transaction<Database>, table: Table, id: string): Promise<boolean> =>
  (await findStanding(trx, table, id)) !== undefined;

export interface Standing {
  readonly position: number;
  readonly source: CatalogSource;
  readonly revision: number;
}

/** The item if it may be changed, or the reason why not. */
export async function standingFor(
  trx: Transaction<Database>,
  table: Table,
  id: string,
  revision: number,
): Promise<Standing | EditOutcome> {
  const standing = await findStanding(trx, table, id);
  if (standing === undefined) return { kind: "not_found" };
  if (standing.source === "file") return { kind: "file", what: whatOf[table], id };
  return standing.revision === revision ? standing : { kind: "stale" };
}

/**
 * Creates the limits row, without any limit, for an installation whose first catalog comes from the console.
 */
export async function needLimits(trx: Transaction<Database>): Promise<void> {
  const row = await trx.selectFrom("catalog_limits").select("id").executeTakeFirst();
  if (row !== undefined) return;
  const none = limitsRow({ limits: {} }, { source: "console", revision: 0 });
  await trx.insertInto("catalog_limits").values(none).execute();
}

export async function insertUpstream(
  trx: Transaction<Database>,
  upstream: Upstream,
  keysNow: () => Uint8Array,
): Promise<void> {
  const position = await nextPosition(trx, "upstreams");
  await putUpstreams(trx, [{ upstream, standing: { position, source: "console", revision: 0 } }]);
  await addCredentials(trx, [upstream], keysNow());
  await putHeaders(trx, upstream.id, upstream.headers ?? {}, keysNow());
}

export async function insertModels(
  trx: Transaction<Database>,
  models: readonly Model[],
  nowMs: number,
): Promise<void> {
  const first = await nextPosition(trx, "models");
  await addPrices(trx, models, nowMs);
  await addModels(
    trx,
    models.map((model, at) => ({
      model,
      standing: { position: first + at, source: "console", revision: 0 },
      createdAt: nowMs,
    })),
  );
}

export async function replaceModel(
  trx: Transaction<Database>,
  model: Model,
  standing: Standing,
  nowMs: number,
): Promise<void> {
  const before = await trx
    .selectFrom("models")
    .select("created_at")
    .where("id", "=", model.id)
    .executeTakeFirst();
  await addPrices(trx, [model], nowMs);
  // Deployments are deleted with their model.
  await trx.deleteFrom("models").where("id", "=", model.id).execute();
  await addModels(trx, [{ model, standing, createdAt: before?.created_at ?? null }]);
}
