/**
 * Upstreams, models and limits as the operator changes them one at a time. Items from plaza.yaml are
 * read-only.
 */

import { isDeepStrictEqual } from "node:util";
import type { catalogRoutes, UpstreamDocument } from "@plaza/contract/api/catalog.ts";
import type { Kept, Limits, Model, Upstream } from "@plaza/contract/catalog.ts";
import { GatewayError } from "@plaza/contract/errors.ts";
import { message } from "@plaza/contract/messages/message.ts";
import { readEditedModel, readEditedUpstream } from "../../domain/catalog/file/edited.ts";
import { formatFaults } from "../../domain/catalog/file/formats.ts";
import { operationLacking } from "../../domain/catalog/file/operations.ts";
import { priceAt } from "../../domain/money/price.ts";
import { isSame } from "../../lib/record.ts";
import { lacksOperation, providers } from "../../providers/index.ts";
import { presets } from "../../providers/presets/presets.ts";
import type { ShownUpstream } from "../../store/catalog/edit.ts";
import { StoreError } from "../../store/error.ts";
import type { ControlContext, HandlersOf } from "../context.ts";
import { readOrRefuse, refuseFields, revisionOf } from "./outcomes.ts";
import { limitsDocument, modelDocument, modelsByUpstream, priceDocument, upstreamDocument } from "./show.ts";

type EditHandlers = Pick<
  HandlersOf<typeof catalogRoutes>,
  | "listCatalog"
  | "createUpstream"
  | "changeUpstream"
  | "removeUpstream"
  | "createModel"
  | "changeModel"
  | "removeModel"
  | "listPrices"
  | "changeLimits"
>;

/** The known providers and presets. */
export const known = { providers, presets };

/** Most price rows of one model that are returned. */
const pricesMax = 1_000;

/** Every address a credential is sent to: the base URL and options that contain one. */
function destinationsOf({
  provider,
  baseUrl,
  options = {},
}: Pick<ShownUpstream, "provider" | "baseUrl" | "options">): string {
  const origin = URL.canParse(baseUrl) ? new URL(baseUrl).origin : "";
  const others = Object.entries(options).filter(([, value]) => value.includes("://"));
  return JSON.stringify([provider, origin, others.sort(([a], [b]) => (a < b ? -1 : 1))]);
}

/** Stored secrets are sent only to the server they were entered for. */
function refuseMovedCredentials(
  before: ShownUpstream,
  after: Pick<ShownUpstream, "provider" | "baseUrl" | "options">,
): void {
  if (before.credentials === 0 || destinationsOf(before) === destinationsOf(after)) return;
  refuseFields([
    {
      path: "credentials",
      message: message("catalog.credentialsAgain"),
    },
  ]);
}

/** Compares both as the console shows them, ignoring what the store adds and what is measured. */
function isSameModel(before: Model, after: Model): boolean {
  const { source, revision, createdAt } = before;
  return isDeepStrictEqual(
    modelDocument(before, 0, undefined),
    modelDocument({ ...after, source, revision, createdAt }, 0, undefined),
  );
}

/** Compares upstreams without their credentials. */
function isSameUpstream(before: ShownUpstream, after: Upstream): boolean {
  const { credentials, credentialsFault, source, revision } = before;
  const kept = { credentials, credentialsFault, source, revision };
  return isDeepStrictEqual(upstreamDocument(before, []), upstreamDocument({ ...after, ...kept }, []));
}

/**
 * True when these are already the upstream's credentials. Undefined: they stay. Credentials that cannot be
 * opened are never equal.
 */
async function hasCredentials(
  store: ControlContext["store"],
  id: string,
  given: readonly string[] | undefined,
): Promise<boolean> {
  if (given === undefined) return true;
  const stored = await store.openUpstream(id).catch((error: unknown) => {
    if (error instanceof StoreError && error.code === "unreadable_credentials") return undefined;
    throw error;
  });
  return isDeepStrictEqual(stored?.credentials, given);
}

const presentLimits = (given: { readonly [Name in keyof Limits]: number | null | undefined }): Limits =>
  Object.fromEntries(Object.entries(given).filter(([, limit]) => limit !== null && limit !== undefined));

/** Checked before the rest of a form; the store checks it again when writing. */
function refuseFiles({ id, source }: Kept & { readonly id: string }, what: "upstream" | "model"): void {
  if (source === "file") revisionOf({ kind: "file", what, id }, what, id);
}

/** The model, the other models, and the upstreams that deployments may name. */
async function around(context: ControlContext, modelId: string) {
  const { upstreams, models } = await context.store.showCatalog();
  const byId = new Map(upstreams.map((upstream) => [upstream.id, upstream]));
  return {
    operationLacking: (model: Model) => operationLacking(model, (id) => byId.get(id), lacksOperation),
    formatFaults: (model: Model) => formatFaults(model, (id) => byId.get(id), providers),
    before: models.find(({ id }) => id === modelId),
    upstreamIds: upstreams.map(({ id }) => id),
    others: models.filter(({ id }) => id !== modelId),
  };
}

/** Logs a warning when a client sends a field's old name, because the answer has no room for it. */
function warnOfOldName(log: ControlContext["log"], id: string, form: Omit<UpstreamDocument, "id">): void {
  if (form.whenCallerLeaves === undefined) return;
  log.warn("api_field_renamed", {
    field: "whenCallerLeaves",
    newName: "onDisconnect",
    subject: `upstream ${id}`,
  });
}

const upstreamEdits: Pick<EditHandlers, "createUpstream" | "changeUpstream" | "removeUpstream"> = {
  async createUpstream({ store, log }, { body, note }) {
    const upstream = readOrRefuse(readEditedUpstream(body, 0, known));
    warnOfOldName(log, upstream.id, body);
    note(`upstream ${upstream.id}`, { provider: upstream.provider, baseUrl: upstream.baseUrl });
    const revision = revisionOf(await store.createUpstream(upstream), "upstream", upstream.id);
    return { id: upstream.id, revision };
  },
  async changeUpstream({ store, log }, { params: { id }, body, note, unchanged }) {
    const { revision, credentials, ...form } = body;
    note(`upstream ${id}`);
    const before = (await store.showCatalog()).upstreams.find((one) => one.id === id);
    if (before === undefined)
      throw new GatewayError("not_found", { message: message("catalog.upstreamUnknown", { id }) });
    refuseFiles(before, "upstream");
    const document: UpstreamDocument = { ...form, id };
    const upstream = readOrRefuse(
      readEditedUpstream({ ...document, credentials }, before.credentials, known),
    );
    warnOfOldName(log, id, form);
    // Noted only now, because a typed address may have contained a password.
    note(`upstream ${id}`, {
      baseUrl: upstream.baseUrl,
      credentials: credentials === undefined ? "kept" : "replaced",
    });
    if (credentials === undefined) refuseMovedCredentials(before, upstream);
    if (isSameUpstream(before, upstream) && (await hasCredentials(store, id, credentials))) {
      unchanged();
      return { id, revision: before.revision ?? 0 };
    }
    const outcome = await store.changeUpstream({ ...upstream, credentials }, revision);
    return { id, revision: revisionOf(outcome, "upstream", id) };
  },
  async removeUpstream({ store }, { params: { id }, query, note }) {
    note(`upstream ${id}`);
    revisionOf(await store.removeUpstream(id, query.revision), "upstream", id);
    return undefined;
  },
};

const modelEdits: Pick<EditHandlers, "createModel" | "changeModel" | "removeModel"> = {
  async createModel(context, { body, note }) {
    const model = readOrRefuse(readEditedModel(body, await around(context, body.id)));
    note(`model ${model.id}`, { price: body.price });
    return { id: model.id, revision: revisionOf(await context.store.createModel(model), "model", model.id) };
  },
  async changeModel(context, { params: { id }, body: { revision, ...form }, note, unchanged }) {
    note(`model ${id}`, { price: form.price });
    const there = await around(context, id);
    if (there.before === undefined)
      throw new GatewayError("not_found", { message: message("catalog.modelUnknown", { id }) });
    refuseFiles(there.before, "model");
    const model = readOrRefuse(readEditedModel({ ...form, id }, there));
    if (isSameModel(there.before, model)) {
      unchanged();
      return { id, revision: there.before.revision ?? 0 };
    }
    return { id, revision: revisionOf(await context.store.changeModel(model, revision), "model", id) };
  },
  async removeModel({ store }, { params: { id }, query, note }) {
    note(`model ${id}`);
    revisionOf(await store.removeModel(id, query.revision), "model", id);
    return undefined;
  },
};

export const editHandlers: EditHandlers = {
  ...upstreamEdits,
  ...modelEdits,
  async listCatalog({ store, clock, measuredOf }) {
    const { upstreams, models, limits, installation, keptLimits } = await store.showCatalog();
    const served = modelsByUpstream(models);
    const nowMs = clock.wallMs();
    return {
      upstreams: upstreams.map((upstream) => upstreamDocument(upstream, served.get(upstream.id) ?? [])),
      models: models.map((model) => modelDocument(model, nowMs, measuredOf(model.id))),
      limits: limitsDocument(limits),
      installation: limitsDocument(installation),
      limitsSource: keptLimits.source ?? "console",
      revision: keptLimits.revision ?? 0,
    };
  },
  async listPrices({ store, clock }, { params: { id } }) {
    const rows = await store.listPrices(id, pricesMax);
    if (rows.length === 0 && !(await store.showCatalog()).models.some((model) => model.id === id))
      throw new GatewayError("not_found", { message: message("catalog.modelUnknown", { id }) });
    const nowMs = clock.wallMs();
    const current = priceAt(rows, nowMs)?.id;
    const firstOf = new Map(rows.map(({ validFrom }) => [validFrom, 0]));
    for (const row of rows) firstOf.set(row.validFrom, Math.max(row.id, firstOf.get(row.validFrom) ?? 0));
    return {
      prices: rows.map((row) => ({
        id: row.id,
        validFrom: new Date(row.validFrom).toISOString(),
        price: row.price === undefined ? null : priceDocument(row.price),
        state:
          row.id === current
            ? "current"
            : firstOf.get(row.validFrom) !== row.id
              ? "overruled"
              : row.validFrom > nowMs
                ? "scheduled"
                : "past",
      })),
    };
  },
  async changeLimits({ store }, { body: { revision, limits, installation }, note, unchanged }) {
    note("limits", { limits, installation });
    const before = await store.showCatalog();
    const now = { limits: limitsDocument(before.limits), installation: limitsDocument(before.installation) };
    if (isSame(now, { limits, installation })) {
      unchanged();
      return { revision: before.keptLimits.revision ?? 0 };
    }
    const given = presentLimits(installation);
    const limitsGiven = {
      limits: presentLimits(limits),
      ...(Object.keys(given).length === 0 ? {} : { installation: given }),
    };
    return { revision: revisionOf(await store.changeLimits(limitsGiven, revision), "limits", "limits") };
  },
};
