/** Connect wizard: saves the confirmed upstream and models, all or nothing. */

import { setImmediate } from "node:timers/promises";
import type { ChosenDocument, catalogRoutes, ModelDocument } from "@plaza/contract/api/catalog.ts";
import type { Deployment, Model } from "@plaza/contract/catalog.ts";
import type { FieldFault } from "@plaza/contract/errors.ts";
import { message } from "@plaza/contract/messages/message.ts";
import { readEditedModel } from "../../domain/catalog/file/edited.ts";
import type { Connection } from "../../store/catalog/edit.ts";
import type { HandlersOf } from "../context.ts";
import { meantBy } from "./aim.ts";
import { namesNoted } from "./edit.ts";
import { refuseFields, revisionOf } from "./outcomes.ts";

const faultsMax = 100;
/** Models checked without a pause; each takes up to 0.1 ms. */
const sortedAtOnce = 100;

/** A new model with this upstream as its only deployment. */
function modelForm({ upstreamModel, ...chosen }: ChosenDocument, upstream: string): ModelDocument {
  return {
    ...chosen,
    description: null,
    deprecated: null,
    deployments: [
      { upstream, model: upstreamModel, priority: 1, weight: 1, cost: null, timeouts: null, formats: null },
    ],
    limits: {},
    fallbacks: [],
    hedge: null,
  };
}

/** The position of a model's fault in the wizard's list. */
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
    return { faults: [{ path: chosenField(at, "id"), message: message("catalog.modelOfFileHere") }] };
  }
  const read = readEditedModel(modelForm(chosen, upstream), { upstreamIds: [upstream], others: [] });
  if (!read.ok)
    return { faults: read.faults.map((fault) => ({ ...fault, path: chosenField(at, fault.path) })) };
  const [deployment] = read.value.deployments as readonly [Deployment];
  return before === undefined ? { model: read.value } : { join: { model: chosen.id, deployment } };
}

/**
 * Separates new models from those that get a further deployment; rejects with all faults. Yields in between,
 * because a list may have thousands.
 */
async function sort(
  chosen: readonly ChosenDocument[],
  upstream: string,
  models: readonly Model[],
): Promise<Pick<Connection, "models" | "joins">> {
  const there = new Map(models.map((model) => [model.id, model]));
  const firstOf = new Map<string, number>();
  const sorted: Sorted[] = [];
  for (const [at, one] of chosen.entries()) {
    if (at % sortedAtOnce === sortedAtOnce - 1) await setImmediate();
    const first = firstOf.get(one.id);
    firstOf.set(one.id, first ?? at);
    const twice = message("catalog.idTwice", { number: (first ?? 0) + 1 });
    sorted.push(
      first === undefined
        ? sortOne(one, at, upstream, there)
        : { faults: [{ path: chosenField(at, "id"), message: twice }] },
    );
  }
  const faults = sorted.flatMap((one) => ("faults" in one ? one.faults : []));
  if (faults.length > 0) refuseFields(faults.slice(0, faultsMax));
  return {
    models: sorted.flatMap((one) => ("model" in one ? [one.model] : [])),
    joins: sorted.flatMap((one) => ("join" in one ? [one.join] : [])),
  };
}

/** The store skips what already exists. */
const isJoined = ({ model, deployment }: Connection["joins"][number], models: readonly Model[]): boolean =>
  models.some(
    ({ id, deployments }) =>
      id === model &&
      deployments.some((one) => one.upstream === deployment.upstream && one.model === deployment.model),
  );

export const connectHandlers: Pick<HandlersOf<typeof catalogRoutes>, "connect"> = {
  async connect({ store }, { body, note, unchanged }) {
    const { id, models: chosen, ...aim } = body;
    const { upstream, isThere, catalog } = await meantBy(store, aim, id);
    const headers = isThere ? [] : Object.keys(upstream.headers ?? {});
    note(`upstream ${upstream.id}`, {
      baseUrl: upstream.baseUrl,
      models: chosen.length,
      ...namesNoted(headers),
    });
    const { models, joins } = await sort(chosen, upstream.id, catalog.models);
    if (isThere && models.length === 0 && joins.every((join) => isJoined(join, catalog.models))) unchanged();
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
