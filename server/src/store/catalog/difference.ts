/**
 * Lists the differences between two catalogs as readable ids: "model gpt-5-mini", "upstream main", "limits".
 * Pure.
 */
import type { Catalog, Kept, Limits, Model, Timeouts, Upstream } from "@plaza/contract/catalog.ts";
import { priceText } from "../../domain/money/price-classes.ts";
import { pricesFrom } from "../../domain/money/price-schedule.ts";
import { hasLimits } from "./rows.ts";
import type { CatalogDifference } from "./shapes.ts";

/** A catalog as read from the database. */
export interface StoredCatalog {
  readonly catalog: Catalog;
  /** Upstreams whose credentials cannot be opened, with the reason. They count as changed. */
  readonly unreadable: ReadonlyMap<string, string>;
  /** Number of credentials of each upstream; an upstream that is not listed has none. */
  readonly credentialCounts: ReadonlyMap<string, number>;
  /** Names of the headers of each upstream; an upstream that is not listed has none. */
  readonly headerNames: ReadonlyMap<string, readonly string[]>;
}

/** Missing timers are null. */
const timersOf = ({ connectMs, firstByteMs, firstTokenMs, idleMs, totalMs }: Partial<Timeouts>) => [
  connectMs,
  firstByteMs,
  firstTokenMs,
  idleMs,
  totalMs,
];

/** A demo item becomes the file's when the file has the same one; one of the console when it is adopted. */
const isOthers = ({ source }: Kept): boolean => source === "demo" || source === "console";

const sorted = (texts: Readonly<Record<string, string>> = {}): [string, string][] =>
  Object.entries(texts).sort(([a], [b]) => (a < b ? -1 : 1));

const upstreamText = (upstream: Upstream): string => {
  const { provider, baseUrl, credentials, onDisconnect = "stop" } = upstream;
  const { concurrency, queue, affinity = "key", preset } = upstream;
  const timeouts = timersOf(upstream.timeouts);
  return JSON.stringify([
    provider,
    baseUrl,
    credentials,
    timeouts,
    onDisconnect,
    concurrency,
    queue,
    affinity,
    preset,
    sorted(upstream.options),
    sorted(upstream.headers),
    isOthers(upstream),
  ]);
};

/** The prices that apply from a time on. Overruled rows and row ids make no difference. */
function pricesText(model: Model, nowMs: number): string[] {
  const { price, scheduledPrices } = pricesFrom(model, nowMs);
  const scheduled = scheduledPrices?.map((one) => `${one.validFrom} ${priceText(one.price)}`) ?? [];
  return [priceText(price), ...scheduled];
}

const modelText = (model: Model, nowMs: number): string =>
  JSON.stringify([
    model.name,
    model.description ?? null,
    model.operations ?? null,
    model.context ?? null,
    model.maxOutput ?? null,
    model.modalities === undefined ? null : [model.modalities.input, model.modalities.output],
    model.family ?? null,
    model.capabilities ?? null,
    model.deprecatedAt ?? null,
    model.isDisabled === true,
    pricesText(model, nowMs),
    model.deployments.map(({ upstream, model: name, priority, weight, cost, timeouts, formats }) => [
      upstream,
      name,
      priority,
      weight,
      priceText(cost),
      timersOf(timeouts ?? {}),
      formats ?? null,
    ]),
    limitsText(model.limits),
    model.fallbacks ?? [],
    model.hedge === undefined ? null : [model.hedge.afterMs],
    isOthers(model),
  ]);

/** Empty when there are no limits. */
const limitsText = (limits: Limits | undefined): string =>
  [limits?.requestsPerMinute, limits?.tokensPerMinute, limits?.concurrency]
    .map((limit) => limit ?? "")
    .join()
    .replace(/^,+$/, "");

interface Lists {
  readonly added: string[];
  readonly changed: string[];
  readonly removed: string[];
}

/** Compares two lists of items with ids. A changed order counts as a change of its own. */
function compareById(
  kind: string,
  before: Map<string, string>,
  after: Map<string, string>,
  into: Lists,
): void {
  for (const [id, text] of after) {
    const old = before.get(id);
    if (old === undefined) into.added.push(`${kind} ${id}`);
    else if (old !== text) into.changed.push(`${kind} ${id}`);
  }
  for (const id of before.keys()) if (!after.has(id)) into.removed.push(`${kind} ${id}`);
  const staying = [...after.keys()].filter((id) => before.has(id));
  const stayed = [...before.keys()].filter((id) => after.has(id));
  if (staying.some((id, index) => id !== stayed[index])) into.changed.push(`order of ${kind}s`);
}

function compareLimits(
  name: string,
  before: Limits | undefined,
  after: Limits | undefined,
  into: Lists,
): void {
  const oldText = limitsText(before);
  const newText = limitsText(after);
  if (oldText === newText) return;
  into[oldText === "" ? "added" : newText === "" ? "removed" : "changed"].push(name);
}

const isListed = ({ added, changed, removed }: Lists, name: string): boolean =>
  [added, changed, removed].some((list) => list.includes(name));

function textsById<T extends { readonly id: string }>(
  things: readonly T[],
  textOf: (thing: T) => string,
): Map<string, string> {
  return new Map(things.map((thing) => [thing.id, textOf(thing)]));
}

/** `before` undefined: there is no catalog yet. Compares prices as they apply from `nowMs` on. */
export function compareCatalogs(
  before: StoredCatalog | undefined,
  after: Catalog,
  nowMs: number,
): CatalogDifference {
  const old: Catalog = before?.catalog ?? { upstreams: [], models: [], limits: {} };
  const difference: Lists = { added: [], changed: [], removed: [] };
  compareById(
    "upstream",
    textsById(old.upstreams, (upstream) =>
      before?.unreadable.has(upstream.id) ? "unreadable" : upstreamText(upstream),
    ),
    textsById(after.upstreams, upstreamText),
    difference,
  );
  const textOf = (model: Model) => modelText(model, nowMs);
  compareById("model", textsById(old.models, textOf), textsById(after.models, textOf), difference);
  const isAdopted = old.keptLimits?.source === "console" && hasLimits(after);
  compareLimits("limits", old.limits, after.limits, difference);
  compareLimits("installation", old.installation, after.installation, difference);
  if (isAdopted && !isListed(difference, "limits")) difference.changed.push("limits");
  return difference;
}
