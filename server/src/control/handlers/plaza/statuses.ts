/** Statuses and incidents as visitors and operators see them. Pure. */
import type { statusRoutes } from "@plaza/contract/api/status.ts";
import type { Model, ModelStatus } from "@plaza/contract/catalog.ts";
import type { z } from "zod";
import { statusOf } from "../../../domain/catalog/model-facts.ts";
import type { Measured } from "../../../domain/catalog/model-status.ts";
import { historyOf, stripSlots } from "../../../domain/catalog/status-history.ts";
import { slotMs } from "../../../lib/time/time-zone.ts";
import type { LiveIncident } from "../../../store/operation/incidents-shapes.ts";
import type { HalfHours } from "./kept.ts";

type Status = z.output<(typeof statusRoutes)["getStatus"]["answer"]>;
type ShownIncident = z.output<(typeof statusRoutes)["listIncidents"]["answer"]>["incidents"][number];

const dayMs = 86_400_000;
const timeText = (ms: number): string => new Date(ms).toISOString();

/** What statuses are computed from at a time (Unix milliseconds). */
export interface StatusSources {
  readonly halfHours: HalfHours;
  readonly measuredOf: (modelId: string) => Measured;
  readonly successMin: number;
  readonly nowMs: number;
}

/** A model without a price or a path is not served, so its status is not the upstreams'. */
export const isServed = (status: ModelStatus): boolean => status !== "unpriced" && status !== "unserved";

export function showStatus(
  model: Pick<Model, "id" | "name"> & Model,
  { halfHours, measuredOf, successMin, nowMs }: StatusSources,
): Status["models"][number] {
  const status = statusOf(model, nowMs, measuredOf(model.id));
  // Also a model without deployments is down.
  const measured = status === "down" || status === "degraded" ? status : undefined;
  const lastSlot = Math.floor(nowMs / slotMs);
  const history = historyOf((slot) => halfHours(model.id, slot), lastSlot, { successMin, measured });
  return { id: model.id, name: model.name, status, ...history };
}

/** Start of the first half hour of a strip that ends at this time. */
export const stripStart = (nowMs: number): string =>
  timeText((Math.floor(nowMs / slotMs) - stripSlots + 1) * slotMs);

/** One word for everything. */
export function overallState(models: readonly { readonly status: ModelStatus }[]): Status["state"] {
  const down = models.filter(({ status }) => status === "down").length;
  if (down > 0) return down === models.length ? "outage" : "partial";
  return models.some(({ status }) => status === "degraded") ? "degraded" : "operational";
}

/**
 * Incidents of the last day without upstreams and reasons. Models that are no longer in the catalog are not
 * named, and an incident that affected no other is left out.
 */
export function publicIncidents(
  incidents: readonly LiveIncident[],
  known: ReadonlySet<string>,
  nowMs: number,
): Status["incidents"] {
  return incidents.flatMap((incident) => {
    const { endedAt, startedAt, now } = incident;
    if (endedAt !== null && nowMs - endedAt > dayMs) return [];
    const models = incident.models.filter((id) => known.has(id));
    if (models.length === 0) return [];
    return [
      {
        state: now?.state ?? incident.state,
        models,
        modelsCount: models.length + incident.modelsCount - incident.models.length,
        startedAt: timeText(startedAt),
        endedAt: endedAt === null ? null : timeText(endedAt),
      },
    ];
  });
}

export function showIncident({ now, ...incident }: LiveIncident): ShownIncident {
  const { upstream, cause, models, modelsCount, startedAt, endedAt } = incident;
  const fault = now?.fault ?? incident.fault;
  return {
    upstream,
    cause,
    state: now?.state ?? incident.state,
    models: [...models],
    modelsCount,
    startedAt: timeText(startedAt),
    endedAt: endedAt === null ? null : timeText(endedAt),
    fault: fault === null ? null : { kind: fault.kind, status: fault.status, at: fault.at },
    nextTryAt: now?.untilAt ?? null,
  };
}
