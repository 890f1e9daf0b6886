/**
 * Orders of the list of models. Each begins with what is asked for most: the cheapest, the fastest, the
 * largest. What is not known comes last, also in the opposite order. Knows no React.
 */
import { modelStatuses } from "@plaza/contract/catalog.ts";
import { nanosOf } from "../../../format/money.ts";
import { makerOf } from "../makers/makers.ts";
import type { PlazaModel } from "../models.ts";
import { folded } from "../search/words.ts";

type SortKey = number | bigint | string | null | undefined;

const moneyKey = (rate: string | undefined): SortKey => (rate === undefined ? undefined : nanosOf(rate));
const timeKey = (at: string | null): SortKey => (at === null ? null : Date.parse(at));
const listKey = (list: readonly string[] | null | undefined): SortKey =>
  list == null ? null : list.length === 0 ? "" : [...list].sort().join(" ");
const biggestFirst = (value: number | null | undefined): SortKey => (value == null ? null : -value);

const sortKeys = {
  name: (model) => folded(model.name),
  id: (model) => folded(model.id),
  maker: (model) => folded(makerOf(model)?.name ?? "") || null,
  operations: (model) => listKey(model.operations),
  status: (model) => modelStatuses.indexOf(model.status),
  input: (model) => moneyKey(model.price?.input),
  cached: (model) => moneyKey(model.price?.cachedInput),
  output: (model) => moneyKey(model.price?.output),
  context: (model) => biggestFirst(model.context),
  maxoutput: (model) => biggestFirst(model.maxOutput),
  modalities: (model) => listKey(model.modalities?.input),
  can: (model) => biggestFirst(model.capabilities?.length),
  success: (model) => biggestFirst(model.health?.successRate),
  fast: (model) => model.health?.firstTokenMs?.p50,
  slowest: (model) => model.health?.firstTokenMs?.p95,
  speed: (model) => biggestFirst(model.health?.outputTokensPerSecond),
  used: (model) => biggestFirst(model.health?.requests),
  newest: (model) => biggestFirst(timeKey(model.createdAt) as number | null),
  deprecated: (model) => timeKey(model.deprecatedAt),
} as const satisfies Readonly<Record<string, (model: PlazaModel) => SortKey>>;

/** By what models can be sorted. In the URL a "-" before it turns the order around. */
export type SortName = keyof typeof sortKeys;

/** An order, as the URL has it. */
export interface Order {
  readonly name: SortName;
  readonly isReversed: boolean;
}

/** Reads an order; undefined is the catalog's own, or the best match of a search. */
export function orderOf(text: string): Order | undefined {
  const isReversed = text.startsWith("-");
  const name = isReversed ? text.slice(1) : text;
  return Object.hasOwn(sortKeys, name) ? { name: name as SortName, isReversed } : undefined;
}

/** The text of the URL after a press on a column's head: its order, the opposite one, none. */
export function nextOrder(text: string, name: SortName): string {
  if (text === name) return `-${name}`;
  return text === `-${name}` ? "" : name;
}

/** Orders whose keys are negated, so that the smallest key is the largest value. */
const largestFirst: readonly SortName[] = [
  "context",
  "maxoutput",
  "can",
  "success",
  "speed",
  "used",
  "newest",
];

/** True when values grow from the first row to the last. */
export function isAscending({ name, isReversed }: Order): boolean {
  return largestFirst.includes(name) === isReversed;
}

function isKnown(key: SortKey): key is number | bigint | string {
  return key !== null && key !== undefined;
}

/** Sorted; equal ones stay in their order. */
export function sortModels(
  models: readonly PlazaModel[],
  { name, isReversed }: Order,
): readonly PlazaModel[] {
  const keyOf = sortKeys[name] as (model: PlazaModel) => SortKey;
  const sign = isReversed ? -1 : 1;
  return models
    .map((model) => ({ model, key: keyOf(model) }))
    .sort(({ key: left }, { key: right }) => {
      if (!isKnown(left) || !isKnown(right)) return Number(isKnown(right)) - Number(isKnown(left));
      if (typeof left === "string" && typeof right === "string") return sign * left.localeCompare(right);
      return left < right ? -sign : left > right ? sign : 0;
    })
    .map(({ model }) => model);
}
