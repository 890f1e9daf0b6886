/**
 * What is compared of models, which of them is best in it, and where they differ. Best is said only of values
 * that are known and not all the same. Knows no React.
 */
import { nanosOf } from "../../../format/money.ts";
import type { PlazaModel } from "../models.ts";

type Value = number | bigint | null | undefined;

/** One line of the comparison. */
export interface CompareRow {
  readonly name: RowName;
  /** What it says, as text: models differ when it does. */
  readonly keyOf: (model: PlazaModel) => string;
  /** A value of which more, or less, is better. */
  readonly amountOf?: (model: PlazaModel) => Value;
  readonly isLessBetter?: true;
}

const rate = (name: "input" | "cachedInput" | "output") => (model: PlazaModel) => {
  // Without a rate of its own cached input is charged like input.
  const text = model.price?.[name] ?? (name === "cachedInput" ? model.price?.input : undefined);
  return text === undefined ? null : nanosOf(text);
};

/** No limit is the highest. */
const limit = (name: keyof PlazaModel["myLimits"]) => (model: PlazaModel) =>
  model.myLimits[name] ?? Number.POSITIVE_INFINITY;

const list = (values: readonly string[] | null | undefined): string =>
  values == null ? "?" : [...values].sort().join(" ");

function measured<Name extends string>(
  name: Name,
  amountOf: (model: PlazaModel) => Value,
  isLessBetter?: true,
) {
  return {
    name,
    keyOf: (model: PlazaModel) => String(amountOf(model) ?? "?"),
    amountOf,
    ...(isLessBetter === undefined ? {} : { isLessBetter }),
  };
}

const rows = [
  { name: "id", keyOf: ({ id }: PlazaModel) => id },
  { name: "maker", keyOf: ({ family }: PlazaModel) => family ?? "?" },
  { name: "status", keyOf: ({ status }: PlazaModel) => status },
  { name: "operations", keyOf: ({ operations }: PlazaModel) => list(operations) },
  measured("context", ({ context }) => context),
  measured("maxOutput", ({ maxOutput }) => maxOutput),
  {
    name: "modalities",
    keyOf: ({ modalities }: PlazaModel) => `${list(modalities?.input)} → ${list(modalities?.output)}`,
  },
  { name: "capabilities", keyOf: ({ capabilities }: PlazaModel) => list(capabilities) },
  { name: "deprecation", keyOf: ({ deprecatedAt }: PlazaModel) => deprecatedAt ?? "" },
  measured("input", rate("input"), true),
  measured("cachedInput", rate("cachedInput"), true),
  measured("output", rate("output"), true),
  { name: "prices", keyOf: ({ price }: PlazaModel) => JSON.stringify(price) },
  measured("requestsPerMinute", limit("requestsPerMinute")),
  measured("tokensPerMinute", limit("tokensPerMinute")),
  measured("concurrency", limit("concurrency")),
  measured("success", ({ health }) => health?.successRate),
  measured("firstTokenP50", ({ health }) => health?.firstTokenMs?.p50, true),
  measured("firstTokenP95", ({ health }) => health?.firstTokenMs?.p95, true),
  measured("speed", ({ health }) => health?.outputTokensPerSecond),
] as const;

/** The name of a line, by which it is drawn. */
export type RowName = (typeof rows)[number]["name"];

/** All lines, in their order. */
export const compareRows: readonly CompareRow[] = rows;

/** What the three lines of prices say already. */
const plainRates: readonly string[] = ["input", "cachedInput", "output"];

const hasMoreRates = ({ price }: PlazaModel): boolean =>
  Object.entries(price ?? {}).some(
    ([name, value]) =>
      !plainRates.includes(name) && value !== undefined && !(Array.isArray(value) && value.length === 0),
  );

/** The lines for these models: all prices are listed only where one of them has more than the usual three. */
export function rowsFor(models: readonly PlazaModel[]): readonly CompareRow[] {
  return compareRows.filter(({ name }) => name !== "prices" || models.some(hasMoreRates));
}

/** Ids of the models that are best in a line; empty where that cannot be said. */
export function bestIn(row: CompareRow, models: readonly PlazaModel[]): ReadonlySet<string> {
  const { amountOf } = row;
  if (amountOf === undefined) return new Set();
  const known = models
    .map((model) => ({ id: model.id, value: amountOf(model) }))
    .filter((one): one is { id: string; value: number | bigint } => one.value != null);
  const [first] = known;
  if (first === undefined || known.length < 2) return new Set();
  if (known.every(({ value }) => value === first.value)) return new Set();
  const isBetter = (left: number | bigint, right: number | bigint) =>
    row.isLessBetter === true ? left < right : left > right;
  let best = first.value;
  for (const { value } of known) if (isBetter(value, best)) best = value;
  return new Set(known.filter(({ value }) => value === best).map(({ id }) => id));
}

/** The lines in which not all models say the same. */
export function differingRows(models: readonly PlazaModel[]): readonly CompareRow[] {
  return rowsFor(models).filter(({ keyOf }) => new Set(models.map(keyOf)).size > 1);
}
