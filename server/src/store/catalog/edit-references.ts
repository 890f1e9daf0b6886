/** Queries which items of the catalog refer to which, inside the transaction that changes them. */
import type { Deployment, Model } from "@plaza/contract/catalog.ts";
import type { Transaction } from "kysely";
import type { Database } from "../sql/schema.ts";
import type { EditOutcome } from "./edit.ts";

/** Most ids in one result. */
const idsMax = 100;

/** Models served by an upstream. */
export async function modelsOn(trx: Transaction<Database>, upstreamId: string): Promise<string[]> {
  const found = await trx
    .selectFrom("deployments")
    .select("model_id")
    .distinct()
    .where("upstream_id", "=", upstreamId)
    .orderBy("model_id")
    .limit(idsMax)
    .execute();
  return found.map((row) => row.model_id);
}

/** The fallbacks of each model that has any. */
async function fallbacksNow(trx: Transaction<Database>): Promise<Map<string, readonly string[]>> {
  const found = await trx
    .selectFrom("models")
    .select(["id", "fallbacks"])
    .where("fallbacks", "is not", null)
    .orderBy("position")
    .execute();
  return new Map(found.map(({ id, fallbacks }) => [id, JSON.parse(fallbacks ?? "[]") as string[]]));
}

/** Models that fall back to this one. */
export async function modelsFallingBackTo(trx: Transaction<Database>, modelId: string): Promise<string[]> {
  const all = await fallbacksNow(trx);
  return [...all]
    .filter(([, targets]) => targets.includes(modelId))
    .map(([id]) => id)
    .slice(0, idsMax);
}

/** True when fallbacks lead from these models back to `id`. Iterative, because chains may be long. */
function leadsBack(
  id: string,
  from: readonly string[],
  links: ReadonlyMap<string, readonly string[]>,
): boolean {
  const seen = new Set<string>();
  const open = [...from];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next === id) return true;
    if (seen.has(next)) continue;
    seen.add(next);
    open.push(...(links.get(next) ?? []));
  }
  return false;
}

/** The first upstream named by a deployment that does not exist; undefined: all exist. */
export async function findLostUpstream(
  trx: Transaction<Database>,
  deployments: readonly Deployment[],
): Promise<EditOutcome | undefined> {
  const there = new Set((await trx.selectFrom("upstreams").select("id").execute()).map(({ id }) => id));
  const lost = deployments.find(({ upstream }) => !there.has(upstream));
  return lost && { kind: "lost", what: "upstream", id: lost.upstream };
}

/** The reason why a model cannot be saved as it is; undefined: none. */
export async function findLost(
  trx: Transaction<Database>,
  { id, deployments, fallbacks = [] }: Model,
): Promise<EditOutcome | undefined> {
  const lost = await findLostUpstream(trx, deployments);
  if (lost !== undefined || fallbacks.length === 0) return lost;
  const there = await trx
    .selectFrom("models")
    .select("id")
    .where("id", "in", [...fallbacks])
    .execute();
  const ids = new Set(there.map((row) => row.id));
  const missing = fallbacks.find((target) => !ids.has(target) && target !== id);
  if (missing !== undefined) return { kind: "lost", what: "model", id: missing };
  return leadsBack(id, fallbacks, await fallbacksNow(trx)) ? { kind: "loop" } : undefined;
}
