/**
 * Upstreams, models and limits as the operator changes them one at a time. Items from plaza.yaml are
 * read-only.
 */

import { isDeepStrictEqual } from "node:util";
import type { catalogRoutes, UpstreamDocument } from "@plaza/contract/api/catalog.ts";
import type { Kept, Limits, Model, Upstream } from "@plaza/contract/catalog.ts";
import { GatewayError } from "@plaza/contract/errors.ts";
import { message } from "@plaza/contract/messages/message.ts";
import { readEditedModel, readEditedUpstream, type SentUpstream } from "../../domain/catalog/file/edited.ts";
import { formatFaults } from "../../domain/catalog/file/formats.ts";
import { operationLacking } from "../../domain/catalog/file/operations.ts";
import { priceAt } from "../../domain/money/price.ts";
import { isSame } from "../../lib/record.ts";
import { lacksOperation, providers } from "../../providers/index.ts";
import { presets } from "../../providers/presets/presets.ts";
import type { ChangedUpstream, ShownUpstream } from "../../store/catalog/edit.ts";
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
  | "changeModelState"
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

/** What an upstream keeps of its stored secrets. */
interface KeptSecrets {
  readonly credentials: boolean;
  /** Names of headers. */
  readonly headers: readonly string[];
}

/** Stored secrets are sent only to the server they were entered for. */
function refuseMovedSecrets(
  before: ShownUpstream,
  after: Pick<ShownUpstream, "provider" | "baseUrl" | "options">,
  kept: KeptSecrets,
): void {
  if (destinationsOf(before) === destinationsOf(after)) return;
  const again = message("catalog.credentialsAgain");
  const faults = [
    ...(kept.credentials && before.credentials > 0 ? ["credentials"] : []),
    ...kept.headers.map((name) => `headers.${name}`),
  ].map((path) => ({ path, message: again }));
  if (faults.length > 0) refuseFields(faults);
}

/**
 * The headers that were sent, by names in lower case, with null for values that are kept. Refuses to keep
 * what is not stored.
 */
function sentHeaders(
  before: ShownUpstream,
  given: Readonly<Record<string, string | null>> | undefined,
): Readonly<Record<string, string | null>> | undefined {
  if (given === undefined) return undefined;
  const lost = Object.keys(given).filter(
    (name) => given[name] === null && !before.headers.includes(name.toLowerCase()),
  );
  if (lost.length > 0)
    refuseFields(
      lost.map((name) => ({
        path: `headers.${name}`,
        message: message("file.headerValueMissing", { name }),
      })),
    );
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]));
}

/** Compares both as the console shows them, ignoring what the store adds and what is measured. */
function isSameModel(before: Model, after: Model): boolean {
  const { source, revision, createdAt } = before;
  return isDeepStrictEqual(
    modelDocument(before, 0, undefined),
    modelDocument({ ...after, source, revision, createdAt }, 0, undefined),
  );
}

/** Compares upstreams without their secrets. */
function isSameUpstream(before: ShownUpstream, after: Upstream): boolean {
  const { credentials, credentialsFault, source, revision } = before;
  const headers = Object.keys(after.headers ?? {});
  const kept = { credentials, headers, credentialsFault, source, revision };
  return isDeepStrictEqual(upstreamDocument(before, []), upstreamDocument({ ...after, ...kept }, []));
}

/**
 * True when these are already the upstream's secrets. What is undefined, or null, stays. Secrets that cannot
 * be opened are never equal.
 */
async function hasSecrets(
  store: ControlContext["store"],
  id: string,
  { credentials, headers = {} }: Pick<ChangedUpstream, "credentials" | "headers">,
): Promise<boolean> {
  const values = Object.entries(headers).filter(([, value]) => value !== null);
  if (credentials === undefined && values.length === 0) return true;
  const stored = await store.openUpstream(id).catch((error: unknown) => {
    if (error instanceof StoreError && error.code === "unreadable_credentials") return undefined;
    throw error;
  });
  return (
    stored !== undefined &&
    (credentials === undefined || isDeepStrictEqual(stored.credentials, credentials)) &&
    values.every(([name, value]) => stored.headers?.[name] === value)
  );
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

/** Headers in the audit log: their names. */
export const namesNoted = (names: readonly string[]): { readonly headers?: string } =>
  names.length === 0 ? {} : { headers: names.toSorted().join(", ") };

const upstreamEdits: Pick<EditHandlers, "createUpstream" | "changeUpstream" | "removeUpstream"> = {
  async createUpstream({ store, log }, { body, note }) {
    const upstream = readOrRefuse(readEditedUpstream(body, 0, known));
    warnOfOldName(log, upstream.id, body);
    const { provider, baseUrl, headers = {} } = upstream;
    note(`upstream ${upstream.id}`, { provider, baseUrl, ...namesNoted(Object.keys(headers)) });
    const revision = revisionOf(await store.createUpstream(upstream), "upstream", upstream.id);
    return { id: upstream.id, revision };
  },
  async changeUpstream({ store, log }, { params: { id }, body, note, unchanged }) {
    const { revision, credentials, headers: given, ...form } = body;
    note(`upstream ${id}`);
    const before = (await store.showCatalog()).upstreams.find((one) => one.id === id);
    if (before === undefined)
      throw new GatewayError("not_found", { message: message("catalog.upstreamUnknown", { id }) });
    refuseFiles(before, "upstream");
    const headers = sentHeaders(before, given);
    const all = headers ?? Object.fromEntries(before.headers.map((name) => [name, null]));
    const document: SentUpstream = { ...form, id, credentials, headers: given ?? all };
    const upstream = readOrRefuse(readEditedUpstream(document, before.credentials, known));
    warnOfOldName(log, id, form);
    // Noted only now, because a typed address may have contained a password.
    note(`upstream ${id}`, {
      baseUrl: upstream.baseUrl,
      credentials: credentials === undefined ? "kept" : "replaced",
      ...namesNoted(Object.keys(all)),
    });
    refuseMovedSecrets(before, upstream, {
      credentials: credentials === undefined,
      headers: Object.keys(all).filter((name) => all[name] === null),
    });
    if (isSameUpstream(before, upstream) && (await hasSecrets(store, id, { credentials, headers }))) {
      unchanged();
      return { id, revision: before.revision ?? 0 };
    }
    const outcome = await store.changeUpstream({ ...upstream, credentials, headers }, revision);
    return { id, revision: revisionOf(outcome, "upstream", id) };
  },
  async removeUpstream({ store }, { params: { id }, query, note }) {
    note(`upstream ${id}`);
    revisionOf(await store.removeUpstream(id, query.revision), "upstream", id);
    return undefined;
  },
};

const modelEdits: Pick<EditHandlers, "createModel" | "changeModel" | "changeModelState" | "removeModel"> = {
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
    const { disabled = there.before.isDisabled === true } = form;
    const model = readOrRefuse(readEditedModel({ ...form, id, disabled }, there));
    if (isSameModel(there.before, model)) {
      unchanged();
      return { id, revision: there.before.revision ?? 0 };
    }
    return { id, revision: revisionOf(await context.store.changeModel(model, revision), "model", id) };
  },
  async changeModelState({ store }, { params: { id }, body: { disabled, revision }, note, unchanged }) {
    note(`model ${id}`, { disabled });
    const before = (await store.showCatalog()).models.find((one) => one.id === id);
    if (before === undefined)
      throw new GatewayError("not_found", { message: message("catalog.modelUnknown", { id }) });
    refuseFiles(before, "model");
    if ((before.isDisabled === true) === disabled) {
      unchanged();
      return { id, revision: before.revision ?? 0 };
    }
    return { id, revision: revisionOf(await store.changeModelState(id, disabled, revision), "model", id) };
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
