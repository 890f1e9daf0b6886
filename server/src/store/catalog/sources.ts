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

const idsOf = (things: readonly { readonly id: string }[]): Set<string> =>
  new Set(things.map(({ id }) => id));

/** The items that stay the console's: with `adopts`, those that the file does not list. */
function consoleItems<T extends { readonly id: string; readonly source?: string | undefined }>(
  items: readonly T[],
  inFile: readonly { readonly id: string }[],
  adopts: boolean,
): T[] {
  const ids = adopts ? idsOf(inFile) : new Set<string>();
  return items.filter((one) => isConsole(one) && !ids.has(one.id));
}

/** The stored items that a file would replace: all except the console's. */
export function replaceable(
  stored: StoredCatalog | undefined,
  file: Catalog,
  adopts: boolean,
): StoredCatalog | undefined {
  if (stored === undefined) return undefined;
  const { upstreams, models, limits, installation, keptLimits } = stored.catalog;
  const keepsLimits = keptLimits?.source === "console" && !hasLimits(file);
  const staying: ReadonlySet<unknown> = new Set([
    ...consoleItems(upstreams, file.upstreams, adopts),
    ...consoleItems(models, file.models, adopts),
  ]);
  return {
    ...stored,
    catalog: {
      upstreams: upstreams.filter((one) => !staying.has(one)),
      models: models.filter((one) => !staying.has(one)),
      ...(keepsLimits ? { limits: {} } : { limits, installation }),
      ...(adopts ? { keptLimits } : {}),
    },
  };
}

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
export function requireApart(stored: StoredCatalog | undefined, file: Catalog, adopts: boolean): void {
  if (stored === undefined) return;
  const upstreams = consoleItems(stored.catalog.upstreams, file.upstreams, adopts);
  const models = consoleItems(stored.catalog.models, file.models, adopts);
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
