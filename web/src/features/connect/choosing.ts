/** What is chosen among the models an upstream offers, and the prices given by hand. Pure. */
import { operationNames } from "@plaza/contract/operations.ts";
import type { Answer, SentTo } from "../../api/routes.ts";
import { nanosOf } from "../../format/money.ts";

export type Checked = Answer<"post /operator/connect/check">;
export type Proposal = Checked["models"][number];
export type Aim = Omit<SentTo<"post /operator/connect/check">["body"], "models">;
type Chosen = SentTo<"post /operator/connect">["body"]["models"][number];

/** A price given by hand, as typed. */
export interface TypedPrice {
  readonly input: string;
  readonly output: string;
}

/** What is chosen, by the model's name at the upstream. */
export interface Choosing {
  readonly names: ReadonlySet<string>;
  readonly prices: Readonly<Record<string, TypedPrice>>;
  /** Those that cost what their maker charges; a typed price wins. */
  readonly atListPrice: ReadonlySet<string>;
}

/** Those that can be taken: a new model, or one more deployment of one. */
export function isCandidate(proposal: Proposal): boolean {
  return proposal.action === "add" || proposal.action === "deploy";
}

/** The initial choice: every candidate that is callable and not deprecated. */
export function firstChoice(models: readonly Proposal[]): Choosing {
  const chosen = models.filter((one) => isCandidate(one) && one.isPriced && !one.isDeprecated);
  return { names: new Set(chosen.map((one) => one.upstreamModel)), prices: {}, atListPrice: new Set() };
}

/** With or without one. */
export function toggled(choosing: Choosing, name: string, isChosen: boolean): Choosing {
  const names = new Set(choosing.names);
  if (isChosen) names.add(name);
  else names.delete(name);
  return { ...choosing, names };
}

/** With a price typed for one; typing one chooses it. */
export function withPrice(choosing: Choosing, name: string, price: TypedPrice): Choosing {
  return {
    ...choosing,
    names: new Set([...choosing.names, name]),
    prices: { ...choosing.prices, [name]: price },
  };
}

/** At the maker's price; taking it chooses the models. */
export function atListPrice(choosing: Choosing, models: readonly Proposal[]): Choosing {
  const names = models.filter((one) => one.listPrice !== null).map((one) => one.upstreamModel);
  return {
    ...choosing,
    names: new Set([...choosing.names, ...names]),
    atListPrice: new Set([...choosing.atListPrice, ...names]),
  };
}

/** Chat first, then by the operation; within one the order of the upstream. */
export function byOperation(models: readonly Proposal[]): readonly Proposal[] {
  const order = (one: Proposal): number =>
    Math.min(...one.operations.map((name) => operationNames.indexOf(name)), operationNames.length);
  return [...models].sort((left, right) => order(left) - order(right));
}

/** New models without a known price. */
export function unpriced(models: readonly Proposal[]): readonly Proposal[] {
  return models.filter((one) => one.action === "add" && !one.isPriced);
}

/** With one price for all new models that have none; chooses them. */
export function withPriceForAll(
  choosing: Choosing,
  models: readonly Proposal[],
  price: TypedPrice,
): Choosing {
  return unpriced(models).reduce((next, one) => withPrice(next, one.upstreamModel, price), choosing);
}

/** `ok`, `partial` or `bad` amounts; `none` when nothing was typed. */
export function priceState(price: TypedPrice | undefined): "none" | "ok" | "partial" | "bad" {
  if (price === undefined || (price.input.trim() === "" && price.output.trim() === "")) return "none";
  if (price.input.trim() === "" || price.output.trim() === "") return "partial";
  const amounts = [price.input, price.output].map(nanosOf);
  return amounts.every((nanos) => nanos !== undefined && nanos >= 0n) ? "ok" : "bad";
}

/** True when the model is callable once it is connected. */
export function isServed(proposal: Proposal, choosing: Choosing): boolean {
  const name = proposal.upstreamModel;
  return (
    proposal.isPriced ||
    priceState(choosing.prices[name]) === "ok" ||
    (proposal.listPrice !== null && choosing.atListPrice.has(name))
  );
}

/** The chosen ones as they are sent, in the order of the list. */
export function chosenModels(models: readonly Proposal[], choosing: Choosing): Chosen[] {
  return models
    .filter((one) => isCandidate(one) && choosing.names.has(one.upstreamModel))
    .map((one) => {
      const typed = choosing.prices[one.upstreamModel];
      const given = priceState(typed) === "ok" && typed !== undefined ? typed : undefined;
      const list = choosing.atListPrice.has(one.upstreamModel) ? one.listPrice : null;
      return {
        upstreamModel: one.upstreamModel,
        id: one.id,
        name: one.name,
        operations: one.operations,
        family: one.family,
        context: one.context,
        maxOutput: one.maxOutput,
        modalities: one.modalities,
        capabilities: one.capabilities,
        price:
          given === undefined
            ? (one.price ?? list?.price ?? null)
            : { input: given.input.trim(), output: given.output.trim() },
        scheduledPrices: given === undefined ? one.laterPrices : [],
      };
    });
}

/** Those whose name or id has the text in it. */
export function matching(models: readonly Proposal[], text: string): readonly Proposal[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return models;
  return models.filter((one) =>
    [one.id, one.name, one.upstreamModel].some((name) => name.toLowerCase().includes(wanted)),
  );
}

/** What connecting answered. */
export type Connected = Answer<"post /operator/connect">;
