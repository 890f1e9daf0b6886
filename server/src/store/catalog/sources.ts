/**
 * Separates the parts of the catalog that a file manages from those the console manages, and checks
 * conflicts. Pure.
 */

import type { Catalog, Model } from "@plaza/contract/catalog.ts";
import { message } from "@plaza/contract/messages/message.ts";
import { StoreError } from "../error.ts";
import type { StoredCatalog } from "./difference.ts";
import { hasLimits } from "./rows.ts";

const isConsole = ({ source }: { readonly source?: string | undefined }): boolean => source === "console";

/** The stored items that a file would replace: all except the console's. */
export function replaceable(stored: StoredCatalog | undefined, file: Catalog): StoredCatalog | undefined {
  if (stored === undefined) return undefined;
  const { upstreams, models, limits, installation, keptLimits } = stored.catalog;
  const keepsLimits = keptLimits?.source === "console" && !hasLimits(file);
  return {
    ...stored,
    catalog: {
      upstreams: upstreams.filter((one) => !isConsole(one)),
      models: models.filter((one) => !isConsole(one)),
      ...(keepsLimits ? { limits: {} } : { limits, installation }),
    },
  };
}

const idsOf = (things: readonly { readonly id: string }[]): Set<string> =>
  new Set(things.map(({ id }) => id));

const namesMax = 5;

function named(models: readonly Model[]): string {
  const ids = models.slice(0, namesMax).map(({ id }) => id);
  const more = models.length > ids.length ? [`${models.length - ids.length} more`] : [];
  return [...ids, ...more].join(", ");
}

function refuseClash(
  kind: "upstream" | "model",
  inConsole: ReadonlySet<string>,
  inFile: readonly { readonly id: string }[],
): void {
  const clash = inFile.find(({ id }) => inConsole.has(id));
  if (clash === undefined) return;
  throw new StoreError("invalid", message("store.managedInConsole", { kind, id: clash.id }));
}

/** Throws when the file drops an item that the console's models refer to. */
function refuseLoss(
  kind: "upstream" | "model",
  there: ReadonlySet<string>,
  models: readonly Model[],
  refersTo: (model: Model) => readonly string[],
): void {
  const lost = models.flatMap(refersTo).find((id) => !there.has(id));
  if (lost === undefined) return;
  const using = models.filter((model) => refersTo(model).includes(lost));
  throw new StoreError("invalid", message("store.stillUsed", { kind, id: lost, models: named(using) }));
}

/** Throws `invalid` when the file has an id of the console's, or drops what the console's items need. */
export function requireApart(stored: StoredCatalog | undefined, file: Catalog): void {
  if (stored === undefined) return;
  const upstreams = stored.catalog.upstreams.filter(isConsole);
  const models = stored.catalog.models.filter(isConsole);
  const [upstreamIds, modelIds] = [idsOf(upstreams), idsOf(models)];
  refuseClash("upstream", upstreamIds, file.upstreams);
  refuseClash("model", modelIds, file.models);
  const upstreamsThen = new Set([...upstreamIds, ...idsOf(file.upstreams)]);
  const modelsThen = new Set([...modelIds, ...idsOf(file.models)]);
  refuseLoss("upstream", upstreamsThen, models, ({ deployments }) =>
    deployments.map(({ upstream }) => upstream),
  );
  refuseLoss("model", modelsThen, models, ({ fallbacks = [] }) => fallbacks);
}
