/** Handlers of `contract/api/plaza.ts`: public if the operator allows it. */

import type { plazaRoutes } from "@plaza/contract/api/plaza.ts";
import { GatewayError } from "@plaza/contract/errors.ts";
import { message } from "@plaza/contract/messages/message.ts";
import { pricesNow, statusOf } from "../../domain/catalog/model-facts.ts";
import type { Store } from "../../store/store.ts";
import type { HandlersOf, Viewer } from "../context.ts";
import { catalogOf, healthsOf } from "./plaza/kept.ts";
import { lastWeekOf } from "./plaza/last-week.ts";
import { type Looking, showHistory, showModel } from "./plaza/models.ts";
import { requireVisitor } from "./plaza/visitors.ts";

/** Most prices of a model that are shown. */
const historyMax = 1_000;

/** The visitor's account; undefined for visitors without one. */
const accountOf = (viewer: Viewer): string | undefined =>
  viewer.kind === "user" ? viewer.account?.id : undefined;

async function lookingOf(store: Store, viewer: Viewer, defaults: Looking["defaults"]): Promise<Looking> {
  const accountId = accountOf(viewer);
  const account = accountId === undefined ? undefined : await store.findAccount(accountId);
  return { account: account?.limits, defaults };
}

export const plazaHandlers: HandlersOf<typeof plazaRoutes> = {
  async getPlaza({ store, clock, measuredOf }, { viewer }) {
    const nowMs = clock.wallMs();
    await requireVisitor(store, viewer);
    const [catalog, healths] = await Promise.all([catalogOf(store, nowMs), healthsOf(store, nowMs)]);
    const looking = await lookingOf(store, viewer, catalog.limits);
    return {
      asOf: new Date(nowMs).toISOString(),
      models: catalog.models.map((model) =>
        showModel(model, looking, { numbers: healths.get(model.id), measured: measuredOf(model.id) }, nowMs),
      ),
    };
  },
  async getPlazaStatuses({ store, clock, measuredOf }, { viewer }) {
    const nowMs = clock.wallMs();
    await requireVisitor(store, viewer);
    const { models } = await catalogOf(store, nowMs);
    const statuses = models.flatMap((model) => {
      const status = statusOf(model, nowMs, measuredOf(model.id));
      return status === "available" ? [] : [[model.id, status] as const];
    });
    return { statuses: Object.fromEntries(statuses) };
  },
  async getPlazaModel({ store, clock, measuredOf }, { viewer, params }) {
    const nowMs = clock.wallMs();
    await requireVisitor(store, viewer);
    const [catalog, healths] = await Promise.all([catalogOf(store, nowMs), healthsOf(store, nowMs)]);
    const model = catalog.models.find(({ id }) => id === params.model);
    if (model === undefined) {
      throw new GatewayError("model_not_found", {
        message: message("usage.modelUnknown", { model: params.model }),
        param: "model",
      });
    }
    const looking = await lookingOf(store, viewer, catalog.limits);
    const accountId = accountOf(viewer);
    const { price } = pricesNow(model, nowMs);
    return {
      ...showModel(model, looking, { numbers: healths.get(model.id), measured: measuredOf(model.id) }, nowMs),
      asOf: new Date(nowMs).toISOString(),
      history: showHistory(await store.listPrices(model.id, historyMax), nowMs),
      lastWeek:
        accountId === undefined
          ? null
          : await lastWeekOf(store, { accountId, modelId: model.id, price }, nowMs),
    };
  },
};
