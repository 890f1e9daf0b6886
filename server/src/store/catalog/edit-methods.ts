/** SQL for `edit.ts`: upstreams, models and limits as the console changes them. */
import type { Kysely, Transaction } from "kysely";
import { StoreError } from "../error.ts";
import { insertChange } from "../operation/changes.ts";
import type { MethodsOptions } from "../sql/dialect.ts";
import type { Database } from "../sql/schema.ts";
import type { CatalogEditStore, EditOutcome, ShownCatalog } from "./edit.ts";
import { connect } from "./edit-connect.ts";
import { findLost, modelsFallingBackTo, modelsOn } from "./edit-references.ts";
import {
  findFull,
  insertModels,
  insertUpstream,
  isThere,
  needLimits,
  replaceModel,
  standingFor,
} from "./edit-rows.ts";
import { openHeaders, putHeaders, readHeaderRows } from "./header-rows.ts";
import { toPriceRow } from "./price-rows.ts";
import { openCredentials, readCatalog } from "./read.ts";
import { limitsRow, toCatalogLimits, toUpstream, upstreamRow } from "./rows.ts";
import { addCredentials } from "./write.ts";

/** Thrown inside a transaction to roll it back. */
class Refused extends Error {
  readonly outcome: EditOutcome;

  constructor(outcome: EditOutcome) {
    super(outcome.kind);
    this.outcome = outcome;
  }
}

const readAtOnce = <T>(db: Kysely<Database>, read: (trx: Transaction<Database>) => Promise<T>): Promise<T> =>
  db.transaction().setIsolationLevel("repeatable read").setAccessMode("read only").execute(read);

/** Makes one change together with its entry in the feed, or nothing. */
type Edit = (
  work: (trx: Transaction<Database>, nowMs: number) => Promise<EditOutcome>,
) => Promise<EditOutcome>;

function createEdit({ db, clock }: MethodsOptions): Edit {
  return async (work) => {
    try {
      return await db.transaction().execute(async (trx) => {
        const nowMs = clock.wallMs();
        await needLimits(trx);
        const outcome = await work(trx, nowMs);
        if (outcome.kind !== "done") throw new Refused(outcome);
        await insertChange(trx, { kind: "catalog", subject: "" }, nowMs);
        return outcome;
      });
    } catch (error) {
      if (error instanceof Refused) return error.outcome;
      throw error;
    }
  };
}

function createReads({
  db,
  clock,
  keysNow,
}: MethodsOptions): Pick<CatalogEditStore, "showCatalog" | "openUpstream" | "listPrices"> {
  return {
    async showCatalog(): Promise<ShownCatalog> {
      const stored = await readAtOnce(db, (trx) => readCatalog(trx, keysNow, clock.wallMs()));
      const { catalog, unreadable, credentialCounts, headerNames } = stored ?? {
        catalog: { upstreams: [], models: [], limits: {} },
        unreadable: new Map<string, string>(),
        credentialCounts: new Map<string, number>(),
        headerNames: new Map<string, readonly string[]>(),
      };
      const { source = "console", revision = 0 } = catalog.keptLimits ?? {};
      return {
        upstreams: catalog.upstreams.map((upstream) => ({
          ...upstream,
          credentials: credentialCounts.get(upstream.id) ?? 0,
          headers: headerNames.get(upstream.id) ?? [],
          credentialsFault: unreadable.get(upstream.id) ?? null,
        })),
        models: catalog.models,
        limits: catalog.limits,
        installation: catalog.installation ?? {},
        keptLimits: { source, revision },
      };
    },
    openUpstream: (id) =>
      readAtOnce(db, async (trx) => {
        const row = await trx.selectFrom("upstreams").selectAll().where("id", "=", id).executeTakeFirst();
        if (row === undefined) return undefined;
        const sealed = await trx
          .selectFrom("credentials")
          .selectAll()
          .where("upstream_id", "=", id)
          .orderBy("position")
          .execute();
        const keys = keysNow();
        const { secrets, reason } = openCredentials(sealed, keys);
        const added = openHeaders((await readHeaderRows(trx, id)).get(id) ?? [], keys);
        const fault = reason ?? added.reason;
        if (fault !== undefined) throw new StoreError("unreadable_credentials", `upstream ${id}: ${fault}`);
        return toUpstream(row, secrets, added.headers);
      }),
    async listPrices(modelId, limit) {
      const found = await db
        .selectFrom("prices")
        .selectAll()
        .where("model_id", "=", modelId)
        .orderBy("valid_from", "desc")
        .orderBy("id", "desc")
        .limit(limit)
        .execute();
      return found.map(toPriceRow);
    },
  };
}

function createUpstreamEdits(
  edit: Edit,
  keysNow: MethodsOptions["keysNow"],
): Pick<CatalogEditStore, "createUpstream" | "changeUpstream" | "removeUpstream"> {
  return {
    createUpstream: (upstream) =>
      edit(async (trx) => {
        if (await isThere(trx, "upstreams", upstream.id))
          return { kind: "exists", what: "upstream", id: upstream.id };
        const full = await findFull(trx, "upstreams", 1);
        if (full !== undefined) return full;
        await insertUpstream(trx, upstream, keysNow);
        return { kind: "done", revision: 0 };
      }),
    changeUpstream: ({ credentials, headers, ...upstream }, revision) =>
      edit(async (trx) => {
        const standing = await standingFor(trx, "upstreams", upstream.id, revision);
        if ("kind" in standing) return standing;
        const next = standing.revision + 1;
        await trx
          .updateTable("upstreams")
          .set({ ...upstreamRow({ ...upstream, credentials: [] }), revision: next })
          .where("id", "=", upstream.id)
          .execute();
        if (credentials !== undefined) {
          await trx.deleteFrom("credentials").where("upstream_id", "=", upstream.id).execute();
          await addCredentials(trx, [{ id: upstream.id, credentials }], keysNow());
        }
        if (headers !== undefined) await putHeaders(trx, upstream.id, headers, keysNow());
        return { kind: "done", revision: next };
      }),
    removeUpstream: (id, revision) =>
      edit(async (trx) => {
        const standing = await standingFor(trx, "upstreams", id, revision);
        if ("kind" in standing) return standing;
        const by = await modelsOn(trx, id);
        if (by.length > 0) return { kind: "used", by };
        await trx.deleteFrom("upstreams").where("id", "=", id).execute();
        return { kind: "done", revision: standing.revision };
      }),
  };
}

function createModelEdits(
  edit: Edit,
): Pick<
  CatalogEditStore,
  "createModel" | "changeModel" | "changeModelState" | "removeModel" | "changeLimits"
> {
  return {
    createModel: (model) =>
      edit(async (trx, nowMs) => {
        if (await isThere(trx, "models", model.id)) return { kind: "exists", what: "model", id: model.id };
        const refused = (await findFull(trx, "models", 1)) ?? (await findLost(trx, model));
        if (refused !== undefined) return refused;
        await insertModels(trx, [model], nowMs);
        return { kind: "done", revision: 0 };
      }),
    changeModel: (model, revision) =>
      edit(async (trx, nowMs) => {
        const standing = await standingFor(trx, "models", model.id, revision);
        if ("kind" in standing) return standing;
        const lost = await findLost(trx, model);
        if (lost !== undefined) return lost;
        const next = standing.revision + 1;
        await replaceModel(trx, model, { ...standing, revision: next }, nowMs);
        return { kind: "done", revision: next };
      }),
    changeModelState: (id, isDisabled, revision) =>
      edit(async (trx) => {
        const standing = await standingFor(trx, "models", id, revision);
        if ("kind" in standing) return standing;
        const next = standing.revision + 1;
        await trx
          .updateTable("models")
          .set({ is_disabled: isDisabled ? 1 : 0, revision: next })
          .where("id", "=", id)
          .execute();
        return { kind: "done", revision: next };
      }),
    removeModel: (id, revision) =>
      edit(async (trx) => {
        const standing = await standingFor(trx, "models", id, revision);
        if ("kind" in standing) return standing;
        const by = await modelsFallingBackTo(trx, id);
        if (by.length > 0) return { kind: "used", by };
        await trx.deleteFrom("models").where("id", "=", id).execute();
        return { kind: "done", revision: standing.revision };
      }),
    changeLimits: (limits, revision) =>
      edit(async (trx) => {
        const row = await trx.selectFrom("catalog_limits").selectAll().executeTakeFirstOrThrow();
        const kept = toCatalogLimits(row).keptLimits;
        if (kept?.source === "file") return { kind: "file", what: "limits", id: "limits" };
        if (row.revision !== revision) return { kind: "stale" };
        const next = row.revision + 1;
        await trx
          .updateTable("catalog_limits")
          .set(limitsRow(limits, { source: "console", revision: next }))
          .execute();
        return { kind: "done", revision: next };
      }),
  };
}

export function createCatalogEditMethods(options: MethodsOptions): CatalogEditStore {
  const edit = createEdit(options);
  const { keysNow } = options;
  return {
    ...createReads(options),
    ...createUpstreamEdits(edit, keysNow),
    ...createModelEdits(edit),
    connectUpstream: (connection) => edit((trx, nowMs) => connect(trx, connection, { keysNow, nowMs })),
  };
}
