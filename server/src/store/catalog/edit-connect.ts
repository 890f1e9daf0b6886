/** Saves an upstream and its models in one transaction, as confirmed in the console's wizard. */
import type { Transaction } from "kysely";
import type { Database } from "../sql/schema.ts";
import type { Connection, EditOutcome } from "./edit.ts";
import { findLostUpstream } from "./edit-references.ts";
import { findFull, findStanding, insertModels, insertUpstream, isThere } from "./edit-rows.ts";
import { deploymentRows } from "./rows.ts";

/** Adds a deployment to a model of the console, after its other deployments. */
async function join(
  trx: Transaction<Database>,
  { model, deployment }: Connection["joins"][number],
): Promise<EditOutcome | undefined> {
  const standing = await findStanding(trx, "models", model);
  if (standing === undefined) return { kind: "lost", what: "model", id: model };
  if (standing.source === "file") return { kind: "file", what: "model", id: model };
  const same = await trx
    .selectFrom("deployments")
    .select("position")
    .where("model_id", "=", model)
    .where("upstream_id", "=", deployment.upstream)
    .where("upstream_model", "=", deployment.model)
    .executeTakeFirst();
  if (same !== undefined) return undefined;
  const last = await trx
    .selectFrom("deployments")
    .select((eb) => [eb.fn.max("position").as("position"), eb.fn.max("priority").as("priority")])
    .where("model_id", "=", model)
    .executeTakeFirst();
  const priority = last?.priority === null ? deployment.priority : Number(last?.priority) + 1;
  const [row] = deploymentRows({ id: model, name: "", deployments: [{ ...deployment, priority }] });
  if (row === undefined) return undefined;
  const position = last?.position === null ? 0 : Number(last?.position) + 1;
  await trx
    .insertInto("deployments")
    .values({ ...row, position })
    .execute();
  await trx
    .updateTable("models")
    .set({ revision: standing.revision + 1 })
    .where("id", "=", model)
    .execute();
  return undefined;
}

/** The last step of the wizard. `edit` rolls everything back when it is refused. */
export async function connect(
  trx: Transaction<Database>,
  { upstream, models, joins }: Connection,
  { keysNow, nowMs }: { readonly keysNow: () => Uint8Array; readonly nowMs: number },
): Promise<EditOutcome> {
  if (typeof upstream === "string") {
    if (!(await isThere(trx, "upstreams", upstream))) return { kind: "lost", what: "upstream", id: upstream };
  } else {
    if (await isThere(trx, "upstreams", upstream.id))
      return { kind: "exists", what: "upstream", id: upstream.id };
    const full = await findFull(trx, "upstreams", 1);
    if (full !== undefined) return full;
    await insertUpstream(trx, upstream, keysNow);
  }
  const taken = new Set((await trx.selectFrom("models").select("id").execute()).map(({ id }) => id));
  const clash = models.find(({ id }) => taken.has(id));
  if (clash !== undefined) return { kind: "exists", what: "model", id: clash.id };
  const deployments = models.flatMap((model) => model.deployments);
  const refused =
    (await findFull(trx, "models", models.length)) ?? (await findLostUpstream(trx, deployments));
  if (refused !== undefined) return refused;
  await insertModels(trx, models, nowMs);
  for (const one of joins) {
    const refused = await join(trx, one);
    if (refused !== undefined) return refused;
  }
  return { kind: "done", revision: 0 };
}
