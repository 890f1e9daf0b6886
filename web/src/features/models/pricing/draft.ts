/**
 * Prices that were changed in the list and not saved yet. Kept while the console is open, so that leaving the
 * page loses nothing; each with the model as it was, so that another user's change is noticed and never
 * overwritten unseen. Knows no React.
 */
import type { ModelDocument, PriceDocument, ShownModelDocument } from "@plaza/contract/api/catalog.ts";
import { usdFault } from "@plaza/contract/money.ts";
import { nanosOf } from "../../../format/money.ts";
import { mergeEdits } from "../../../forms/merge-edits.ts";
import { modelDocumentOf, modelValuesOf, rateNames } from "../values.ts";
import { scaledPrice } from "./effect.ts";

/** One of them. */
export interface PriceDraft {
  /** The model that the change begins with; its revision is sent. */
  readonly base: ShownModelDocument;
  readonly price: PriceDocument;
}

export type Drafts = ReadonlyMap<string, PriceDraft>;

/** The two rates that the list shows. */
export type ListedRate = "input" | "output";

/** What is done to many. */
export type BulkChange =
  | { readonly kind: "set"; readonly input: string; readonly output: string }
  | { readonly kind: "scale"; readonly percent: string }
  | { readonly kind: "cost" };

/** True when the list may change it. */
export const isEditable = (model: ShownModelDocument): boolean => model.source !== "file";

/** What the upstream tried first charges; null: unknown. */
export function upstreamCost(model: ShownModelDocument): PriceDocument | null {
  const [first] = model.deployments.toSorted((left, right) => left.priority - right.priority);
  return first?.cost ?? null;
}

/** Amounts as the server writes them, so that `1` and `1.00` are the same. */
function normal(price: PriceDocument | null): unknown {
  if (price === null) return null;
  const amount = (text: string | undefined) =>
    text === undefined || text.trim() === "" ? null : (nanosOf(text)?.toString() ?? text);
  const rates = (given: Omit<PriceDocument, "tiers" | "perRequest">) =>
    rateNames.map((name) => amount(given[name]));
  return [
    rates(price),
    amount(price.perRequest),
    (price.tiers ?? []).map((tier) => [tier.abovePromptTokens, rates(tier)]),
  ];
}

const isSame = (left: PriceDocument | null, right: PriceDocument | null): boolean =>
  JSON.stringify(normal(left)) === JSON.stringify(normal(right));

/** With another price for a model; a price as it was, or emptied where there was none, is no change. */
function withPrice(drafts: Drafts, model: ShownModelDocument, price: PriceDocument): Drafts {
  const base = drafts.get(model.id)?.base ?? model;
  const isEmpty = price.input.trim() === "" && price.output.trim() === "" && base.price === null;
  const next = new Map(drafts);
  if (isEmpty || isSame(price, base.price)) next.delete(model.id);
  else next.set(model.id, { base, price });
  return next;
}

const blank: PriceDocument = { input: "", output: "" };

/** The price that the list shows: changed or as it is. */
export function shownPriceOf(drafts: Drafts, model: ShownModelDocument): PriceDocument {
  return drafts.get(model.id)?.price ?? model.price ?? blank;
}

/** With another rate, as it is typed. */
export function withRate(drafts: Drafts, model: ShownModelDocument, rate: ListedRate, text: string): Drafts {
  return withPrice(drafts, model, { ...shownPriceOf(drafts, model), [rate]: text });
}

/** The same for many; models to which it does not apply stay as they are. */
export function withBulk(drafts: Drafts, models: readonly ShownModelDocument[], change: BulkChange): Drafts {
  return models.filter(isEditable).reduce((result, model) => {
    const price = bulkPrice(shownPriceOf(result, model), model, change);
    return price === undefined ? result : withPrice(result, model, price);
  }, drafts);
}

function bulkPrice(
  price: PriceDocument,
  model: ShownModelDocument,
  change: BulkChange,
): PriceDocument | undefined {
  if (change.kind === "cost") return upstreamCost(model) ?? undefined;
  if (change.kind === "scale") return price.input === "" ? undefined : scaledPrice(price, change.percent);
  const [input, output] = [change.input.trim(), change.output.trim()];
  return { ...price, ...(input === "" ? {} : { input }), ...(output === "" ? {} : { output }) };
}

/** The listed rates of a draft that are no amount. */
export function faultyRates({ price }: PriceDraft): readonly ListedRate[] {
  return (["input", "output"] as const).filter((rate) => usdFault(price[rate].trim()) !== undefined);
}

/** True when the model changed after the draft was begun: the server would refuse it. */
export function isOutdated({ base }: PriceDraft, model: ShownModelDocument | undefined): boolean {
  return model === undefined || model.revision !== base.revision;
}

/** The draft on top of the model as it is now: of its price only what was changed here is another. */
export function rebased(drafts: Drafts, model: ShownModelDocument): Drafts {
  const draft = drafts.get(model.id);
  if (draft === undefined) return drafts;
  const next = new Map(drafts);
  next.delete(model.id);
  const { values } = mergeEdits(draft.base.price ?? blank, draft.price, model.price ?? blank);
  return withPrice(next, model, values);
}

/** Without one, or some. */
export function withoutDrafts(drafts: Drafts, ids: readonly string[]): Drafts {
  return new Map([...drafts].filter(([id]) => !ids.includes(id)));
}

/** What is sent for a draft: the model as it was, with the new price. */
export function documentOf({ base, price }: PriceDraft): Omit<ModelDocument, "id"> & { revision: number } {
  const { id: _, ...document } = modelDocumentOf(modelValuesOf(base));
  const trimmed = { ...price, input: price.input.trim(), output: price.output.trim() };
  return { ...document, price: trimmed, revision: base.revision };
}

/** A value outside of components, for `useSyncExternalStore`. */
export interface Store<Value> {
  read(): Value;
  subscribe(changed: () => void): () => void;
  change(how: (value: Value) => Value): void;
}

/** A new one. */
export function createStore<Value>(initial: Value): Store<Value> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    read: () => value,
    subscribe(changed) {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
    change(how) {
      value = how(value);
      for (const changed of listeners) changed();
    },
  };
}
