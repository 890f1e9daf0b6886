/**
 * Searching, filtering and sorting the plaza's models, from the texts of the URL. What is not known never
 * matches a filter, and comes last in an order. Knows no React.
 */
import { statusNamed } from "@plaza/contract/catalog.ts";
import type { Answer } from "../../api/routes.ts";
import { nanosOf } from "../../format/money.ts";

/** A model as the plaza has it. */
export type PlazaModel = Answer<"get /plaza">["models"][number];

/** State of the list, all of it in the URL. */
export const plazaDefaults = {
  q: "",
  operation: [] as string[],
  family: [] as string[],
  in: [] as string[],
  out: [] as string[],
  can: [] as string[],
  context: "",
  maxin: "",
  maxout: "",
  status: [] as string[],
  available: "",
  sort: "",
  view: "",
  compare: [] as string[],
};

/** What a person asks for. */
interface PlazaFilter {
  readonly q: string;
  readonly operation: readonly string[];
  readonly family: readonly string[];
  readonly in: readonly string[];
  readonly out: readonly string[];
  readonly can: readonly string[];
  /** Tokens, at least. */
  readonly context: string;
  /** Dollars per million tokens, at most. */
  readonly maxin: string;
  readonly maxout: string;
  readonly status: readonly string[];
  /** "1": only what can be called now. */
  readonly available: string;
  readonly sort: string;
}

/** Orders, the first is the catalog's own. */
export const sortNames = ["", "name", "input", "output", "context", "newest", "used", "fast"] as const;
type SortName = (typeof sortNames)[number];

/** The filter value for an unknown family. */
export const unknownFamily = "?";

/** A text for comparing: without case, accents and width. */
function folded(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/\p{Mn}/gu, "")
    .toLowerCase();
}

const searchTexts = new WeakMap<PlazaModel, string>();

function searchTextOf(model: PlazaModel): string {
  let text = searchTexts.get(model);
  if (text === undefined) {
    text = folded(`${model.id}\n${model.name}\n${model.family ?? ""}\n${model.description ?? ""}`);
    searchTexts.set(model, text);
  }
  return text;
}

/** True when a rate is at most this. An unreadable ceiling is none; a model without a price has no rate. */
function isWithin(rate: string | undefined, ceiling: string): boolean {
  const most = nanosOf(ceiling);
  if (most === undefined) return true;
  const nanos = rate === undefined ? undefined : nanosOf(rate);
  return nanos !== undefined && nanos <= most;
}

function holdsAll(wanted: readonly string[], has: readonly string[] | null | undefined): boolean {
  return wanted.every((one) => has?.includes(one) === true);
}

/** True when a model matches all filters. */
function matches(model: PlazaModel, filter: PlazaFilter): boolean {
  const words = folded(filter.q).split(/\s+/).filter(Boolean);
  const context = Number(filter.context);
  return (
    words.every((word) => searchTextOf(model).includes(word)) &&
    (filter.operation.length === 0 || model.operations.some((one) => filter.operation.includes(one))) &&
    (filter.family.length === 0 || filter.family.includes(model.family ?? unknownFamily)) &&
    holdsAll(filter.in, model.modalities?.input) &&
    holdsAll(filter.out, model.modalities?.output) &&
    holdsAll(filter.can, model.capabilities) &&
    (!(context > 0) || (model.context !== null && model.context >= context)) &&
    isWithin(model.price?.input, filter.maxin) &&
    isWithin(model.price?.output, filter.maxout) &&
    (filter.status.length === 0 || filter.status.some((status) => statusNamed(status) === model.status)) &&
    (filter.available !== "1" || model.status === "available" || model.status === "degraded")
  );
}

type SortKey = number | bigint | string | null | undefined;

const sortKeys: Readonly<Record<Exclude<SortName, "">, (model: PlazaModel) => SortKey>> = {
  name: (model) => folded(model.name),
  input: (model) => (model.price === null ? null : nanosOf(model.price.input)),
  output: (model) => (model.price === null ? null : nanosOf(model.price.output)),
  context: (model) => (model.context === null ? null : -model.context),
  newest: (model) => (model.createdAt === null ? null : -Date.parse(model.createdAt)),
  used: (model) => (model.health === null ? null : -model.health.requests),
  fast: (model) => model.health?.firstTokenMs?.p50,
};

function compareKeys(left: SortKey, right: SortKey): number {
  const hasLeft = left !== null && left !== undefined;
  const hasRight = right !== null && right !== undefined;
  if (!hasLeft || !hasRight) return Number(hasRight) - Number(hasLeft);
  if (typeof left === "string" && typeof right === "string") return left.localeCompare(right);
  return left < right ? -1 : left > right ? 1 : 0;
}

/** The models that match, in the order asked for; equal ones stay as the catalog has them. */
export function findModels(models: readonly PlazaModel[], filter: PlazaFilter): readonly PlazaModel[] {
  const found = models.filter((model) => matches(model, filter));
  const keyOf = Object.hasOwn(sortKeys, filter.sort)
    ? sortKeys[filter.sort as Exclude<SortName, "">]
    : undefined;
  if (keyOf === undefined) return found;
  return found
    .map((model) => ({ model, key: keyOf(model) }))
    .sort((left, right) => compareKeys(left.key, right.key))
    .map(({ model }) => model);
}

/** The values to choose from, each with its number of models, most frequent first. */
export function countValues(
  models: readonly PlazaModel[],
  valuesOf: (model: PlazaModel) => readonly string[],
): readonly { readonly value: string; readonly count: number }[] {
  const counts = new Map<string, number>();
  for (const model of models) {
    for (const value of new Set(valuesOf(model))) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((left, right) => right.count - left.count || left.value.localeCompare(right.value));
}

function pairsOf(text: string): Set<string> {
  const plain = folded(text).replaceAll(/[^\p{L}\p{N}]+/gu, "");
  return new Set(Array.from({ length: Math.max(0, plain.length - 1) }, (_, at) => plain.slice(at, at + 2)));
}

/** Models with similar ids, for a mistyped id. */
export function similarModels(models: readonly PlazaModel[], id: string, most = 5): readonly PlazaModel[] {
  const wanted = pairsOf(id.slice(0, 300));
  return models
    .map((model) => {
      const pairs = pairsOf(model.id);
      const shared = [...pairs].filter((pair) => wanted.has(pair)).length;
      return { model, likeness: shared === 0 ? 0 : (2 * shared) / (pairs.size + wanted.size) };
    })
    .filter(({ likeness }) => likeness >= 0.45)
    .sort((left, right) => right.likeness - left.likeness)
    .slice(0, most)
    .map(({ model }) => model);
}
