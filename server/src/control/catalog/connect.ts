/** The connect wizard's last step: what was confirmed goes into the catalog, all of it or nothing. */
import type { ChosenDocument, catalogRoutes, ModelDocument } from "@plaza/contract/api/catalog.ts";
import type { Deployment, Model } from "@plaza/contract/catalog.ts";
import type { FieldFault } from "@plaza/contract/errors.ts";
import { readEditedModel } from "../../domain/catalog-file/edited.ts";
import type { Connection } from "../../store/console/catalog-edit.ts";
import type { HandlersOf } from "../context.ts";
import { meantBy } from "./aim.ts";
import { refuseFields, revisionOf } from "./outcomes.ts";

const faultsMax = 100;

/** A new model that is served by nothing but this upstream. */
function modelForm({ upstreamModel, ...chosen }: ChosenDocument, upstream: string): ModelDocument {
  return {
    ...chosen,
    description: null,
    deprecated: null,
    scheduledPrices: [],
    deployments: [{ upstream, model: upstreamModel, priority: 1, weight: 1, cost: null, timeouts: null }],
    limits: {},
    fallbacks: [],
    hedge: null,
  };
}

/** Where a fault of that model is in the wizard's list. */
const chosenField = (at: number, path: string): string =>
  `models.${at}.${path.replace(/^deployments\.0\.model$/, "upstreamModel")}`;

type Sorted =
  | { readonly model: Model }
  | { readonly join: Connection["joins"][number] }
  | { readonly faults: readonly FieldFault[] };

function sortOne(
  chosen: ChosenDocument,
  at: number,
  upstream: string,
  there: ReadonlyMap<string, Model>,
): Sorted {
  const before = there.get(chosen.id);
  if (before?.source === "file") {
    const message = "This is a model of plaza.yaml: add a deployment there, or give this one another id.";
    return { faults: [{ path: chosenField(at, "id"), message }] };
  }
  const read = readEditedModel(modelForm(chosen, upstream), { upstreamIds: [upstream], others: [] });
  if (!read.ok)
    return { faults: read.faults.map(({ path, message }) => ({ path: chosenField(at, path), message })) };
  const [deployment] = read.value.deployments as readonly [Deployment];
  return before === undefined ? { model: read.value } : { join: { model: chosen.id, deployment } };
}

/** Which are new and which join; throws all that is wrong. */
function sort(
  chosen: readonly ChosenDocument[],
  upstream: string,
  models: readonly Model[],
): Pick<Connection, "models" | "joins"> {
  const there = new Map(models.map((model) => [model.id, model]));
  const firstOf = new Map<string, number>();
  const sorted = chosen.map((one, at): Sorted => {
    const first = firstOf.get(one.id);
    firstOf.set(one.id, first ?? at);
    if (first === undefined) return sortOne(one, at, upstream, there);
    const message = `This is the id of number ${first + 1} of the list, too.`;
    return { faults: [{ path: chosenField(at, "id"), message }] };
  });
  const faults = sorted.flatMap((one) => ("faults" in one ? one.faults : []));
  if (faults.length > 0) refuseFields(faults.slice(0, faultsMax));
  return {
    models: sorted.flatMap((one) => ("model" in one ? [one.model] : [])),
    joins: sorted.flatMap((one) => ("join" in one ? [one.join] : [])),
  };
}

export const connectHandlers: Pick<HandlersOf<typeof catalogRoutes>, "connect"> = {
  async connect({ store }, { body, note }) {
    const { id, models: chosen, ...aim } = body;
    const { upstream, isThere, catalog } = await meantBy(store, aim, id);
    note(`upstream ${upstream.id}`, { baseUrl: upstream.baseUrl, models: chosen.length });
    const { models, joins } = sort(chosen, upstream.id, catalog.models);
    const outcome = await store.connectUpstream({
      upstream: isThere ? upstream.id : upstream,
      models,
      joins,
    });
    revisionOf(outcome, "upstream", upstream.id);
    return {
      upstream: upstream.id,
      added: models.map((model) => model.id),
      joined: joins.map((join) => join.model),
    };
  },
};
