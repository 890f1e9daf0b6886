/** Handlers of `contract/api/status.ts`: statuses are public if the operator allows it, incidents are not. */
import type { AnswerOf } from "@plaza/contract/api/route.ts";
import type { statusRoutes } from "@plaza/contract/api/status.ts";
import { GatewayError } from "@plaza/contract/errors.ts";
import { message, rendered } from "@plaza/contract/messages/message.ts";
import { ConnectFailure } from "../../connect/failure.ts";
import { meantThere } from "../catalog/aim.ts";
import { listOf } from "../catalog/check.ts";
import type { ControlContext, HandlersOf } from "../context.ts";
import { catalogOf, halfHoursOf, incidentsOf, kept } from "./plaza/kept.ts";
import {
  isServed,
  overallState,
  publicIncidents,
  type StatusSources,
  showIncident,
  showStatus,
  stripStart,
} from "./plaza/statuses.ts";
import { requireVisitor } from "./plaza/visitors.ts";

async function sourcesOf(
  { store, config, measuredOf }: Pick<ControlContext, "store" | "config" | "measuredOf">,
  nowMs: number,
): Promise<StatusSources> {
  const halfHours = await halfHoursOf(store, nowMs);
  return { halfHours, measuredOf, successMin: config.successPercentMin / 100, nowMs };
}

type Status = AnswerOf<(typeof statusRoutes)["getStatus"]>;

/** The same for every visitor, so it is made once a second however many ask. */
const statusNow = kept(1_000, async (context: ControlContext, nowMs: number): Promise<Status> => {
  const { store } = context;
  const [catalog, sources, incidents] = await Promise.all([
    catalogOf(store, nowMs),
    sourcesOf(context, nowMs),
    incidentsOf(store, nowMs),
  ]);
  const models = catalog.models
    .map((model) => showStatus(model, sources))
    .filter(({ status }) => isServed(status));
  return {
    asOf: new Date(nowMs).toISOString(),
    state: overallState(models),
    from: stripStart(nowMs),
    models,
    incidents: publicIncidents(incidents, new Set(models.map(({ id }) => id)), nowMs),
  };
});

export const statusHandlers: HandlersOf<typeof statusRoutes> = {
  async getStatus(context, { viewer }) {
    await requireVisitor(context.store, viewer);
    return await statusNow(context, context.clock.wallMs());
  },
  async getModelStatus(context, { viewer, params }) {
    const { store, clock } = context;
    const nowMs = clock.wallMs();
    await requireVisitor(store, viewer);
    const [catalog, sources] = await Promise.all([catalogOf(store, nowMs), sourcesOf(context, nowMs)]);
    const model = catalog.models.find(({ id }) => id === params.model);
    if (model === undefined) {
      throw new GatewayError("model_not_found", {
        message: message("usage.modelUnknown", { model: params.model }),
        param: "model",
      });
    }
    return { ...showStatus(model, sources), asOf: new Date(nowMs).toISOString(), from: stripStart(nowMs) };
  },
  async listIncidents({ store, clock }) {
    const nowMs = clock.wallMs();
    const incidents = await store.readIncidents(nowMs);
    return { at: new Date(nowMs).toISOString(), incidents: incidents.map(showIncident) };
  },
  async testUpstream({ store, clock, createClient, identity }, { params, signal, note }) {
    const meant = await meantThere(store, params.id, null);
    await store.requestProbe(params.id);
    const nowMs = clock.wallMs();
    const beganMs = clock.elapsedMs();
    const answer = await listOf(meant, { nowMs, createClient, identity, signal });
    const tookMs = Math.round(clock.elapsedMs() - beganMs);
    const failure = answer instanceof ConnectFailure && answer.code !== "not_a_list" ? answer : undefined;
    const listed = answer instanceof ConnectFailure ? undefined : answer;
    const { message: reason = null, ...reasonMessage } =
      failure === undefined ? {} : rendered(message("form.sentence", { text: failure.messageRef }));
    note(undefined, { isWorking: failure === undefined });
    return {
      at: new Date(nowMs).toISOString(),
      isWorking: failure === undefined,
      isChecked: listed?.isChecked === true,
      models: listed?.models?.length ?? null,
      tookMs,
      reason,
      reasonMessage: "id" in reasonMessage ? reasonMessage : null,
    };
  },
};
