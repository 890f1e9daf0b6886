/**
 * The status of models on a page that stays open, asked for again every second; the
 * rest of their facts is as it was read.
 */
import type { CatalogStatus, ModelStatus } from "@plaza/contract/catalog.ts";
import { useMemo } from "react";
import { useApiQuery } from "./queries.ts";

interface WithStatus {
  readonly id: string;
  readonly status: CatalogStatus;
}

type Statuses = Readonly<Record<string, ModelStatus>>;

const everyMs = 1_000;

/**
 * The models with these statuses; one that is not named is available, or stays disabled. Those whose
 * status is the same stay the same object.
 */
export function withStatuses<Model extends WithStatus>(
  models: readonly Model[],
  statuses: Statuses,
): Model[] {
  return models.map((model) => {
    if (model.status === "disabled") return model;
    const status = Object.hasOwn(statuses, model.id) ? statuses[model.id] : "available";
    return status === undefined || status === model.status ? model : { ...model, status };
  });
}

/** The models as they are now. */
export function useFreshStatuses<Model extends WithStatus>(models: readonly Model[]): readonly Model[] {
  const { data } = useApiQuery("get /plaza-statuses", {}, { everyMs });
  return useMemo(() => (data === undefined ? models : withStatuses(models, data.statuses)), [models, data]);
}

/** The model as it is now. */
export function useFreshStatus<Model extends WithStatus>(model: Model): Model {
  const models = useMemo(() => [model], [model]);
  return useFreshStatuses(models)[0] ?? model;
}
