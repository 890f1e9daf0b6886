/**
 * Turns the models an upstream lists into proposals: public ids, facts and prices from the shipped catalog,
 * each with its source. Pure. Unknown facts stay unknown; nothing is guessed.
 */
import type { Capability, Modalities, Model } from "@plaza/contract/catalog.ts";
import { type Message, message } from "@plaza/contract/messages/message.ts";
import { operationsMessage } from "@plaza/contract/messages/operations.ts";
import {
  isFor,
  normalOperations,
  type Operation,
  operationPaths,
  operationsOf,
} from "@plaza/contract/operations.ts";
import {
  type CatalogMatch,
  type CatalogPrice,
  type CatalogRow,
  type LaterPrice,
  pricesAt,
} from "../domain/catalog/model-catalog.ts";
import { operationsOfKind } from "../domain/catalog/model-kinds.ts";
import { makerOf } from "../domain/catalog/model-makers.ts";
import { isOld } from "../domain/money/old-prices.ts";
import { hasControlCharacter } from "../lib/quote.ts";
import type { ListedModel } from "../providers/listing.ts";

/** Source of a price. */
export interface PriceSource {
  readonly source: string;
  /** Date of the source; absent for prices the operator stated. */
  readonly date?: string;
  /** The price is old, so the vendor's page should be checked. */
  readonly isOld?: true;
}

/** A price at the maker, with its source. */
export interface ListPrice {
  readonly price: CatalogPrice;
  readonly source: PriceSource;
}

/** One model of the upstream, and what to do with it. */
export interface Proposal {
  /** Its model id at the upstream. */
  readonly upstreamModel: string;
  /** The public id for callers. */
  readonly id: string;
  readonly name: string;
  /**
   * `add`: a new model. `deploy`: a further deployment of a model in the file. `present`: already in the
   * file. `leave`: has no operation this version serves, or cannot be written to the file.
   */
  readonly action: "add" | "deploy" | "present" | "leave";
  /** Why it is left out. */
  readonly reason?: Message;
  /** Its operations; absent = chat. */
  readonly operations?: readonly Operation[];
  /** The model's maker. */
  readonly family?: string;
  readonly context?: number;
  readonly maxOutput?: number;
  readonly modalities?: Modalities;
  readonly capabilities?: readonly Capability[];
  readonly price?: CatalogPrice;
  readonly priceSource?: PriceSource;
  /**
   * What the model's maker charges, for a model without a price: the shipped catalog has the name, but not at
   * this upstream. Only offered; nothing costs it unless an operator takes it.
   */
  readonly listPrice?: ListPrice;
  /** Scheduled price changes from the catalog, in order; none with a stated price. */
  readonly laterPrices?: readonly LaterPrice[];
  /** How the catalog row was found: by the same name, or by another spelling. */
  readonly match?: CatalogMatch["sure"];
  readonly isDeprecated?: boolean;
  /** For `deploy`: the priority of the new deployment, after the existing ones. */
  readonly priority?: number;
  /** True when callers can use it once saved. For `deploy`: true when the existing model has a price. */
  readonly isPriced: boolean;
}

export interface ProposeAsk {
  readonly listed: readonly ListedModel[];
  readonly upstreamId: string;
  /** Models already in the file. */
  readonly models: readonly Model[];
  readonly find: (upstreamModel: string) => CatalogMatch | undefined;
  /** The row of the maker of a model, by the model's name alone; absent: no list prices are offered. */
  readonly findAtMaker?: (upstreamModel: string) => CatalogMatch | undefined;
  /** The operator's price for models without a known one. */
  readonly statedPrice: CatalogPrice | undefined;
  readonly nowMs: number;
  /** Whether this version serves an operation; default: by the table of operations. */
  readonly isServed?: (operation: Operation) => boolean;
}

const idForm = /^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,127}$/;
const idLengthMax = 128;
const nameLengthMax = 256;
const modalityNames = new Set(["text", "image", "audio", "video", "file"]);

/**
 * Makes a public id from any name: accents are removed, other characters become dashes. `model` if nothing is
 * left.
 */
function plainId(name: string): string {
  const ascii = name.normalize("NFKD").replace(/\p{M}/gu, "");
  const dashed = ascii.replace(/[^A-Za-z0-9._:/@-]+/g, "-").replace(/-{2,}/g, "-");
  return (
    dashed
      .replace(/^[^A-Za-z0-9]+/, "")
      .slice(0, idLengthMax)
      .replace(/[-./:@_]+$/, "") || "model"
  );
}

/** Returns a function that makes valid, unused ids. It adds each id to `taken`. */
function idGiver(taken: Set<string>): (name: string) => string {
  const numbers = new Map<string, number>();
  return (name) => {
    const plain = plainId(name);
    let id = plain;
    for (let number = numbers.get(plain) ?? 2; taken.has(id); number += 1) {
      const tail = `-${number}`;
      id = plain.slice(0, idLengthMax - tail.length) + tail;
      numbers.set(plain, number + 1);
    }
    taken.add(id);
    return id;
  };
}

function modalitiesOf(row: CatalogRow | undefined): { modalities?: Modalities } {
  const known = (names: readonly string[] = []) => names.filter((name) => modalityNames.has(name));
  const input = known(row?.modalities?.input);
  const output = known(row?.modalities?.output);
  return input.length === 0 || output.length === 0 ? {} : { modalities: { input, output } };
}

/** The capabilities a source lists. If it lists none, they are unknown. */
function capabilitiesOf(row: CatalogRow | undefined): { capabilities?: readonly Capability[] } {
  const { tools, vision, reasoning } = row?.capabilities ?? {};
  const listed: readonly [Capability, boolean | undefined][] = [
    ["tools", tools],
    ["vision", vision],
    ["reasoning", reasoning],
  ];
  const capabilities = listed.filter(([, can]) => can === true).map(([name]) => name);
  return capabilities.length === 0 ? {} : { capabilities };
}

type Prices = Pick<Proposal, "price" | "priceSource" | "laterPrices">;

function datedSource(source: { readonly source: string; readonly date: string }, now: Date): PriceSource {
  return { ...source, ...(source.date !== "" && isOld(source.date, now) ? { isOld: true } : {}) };
}

/** Returns what the maker of a chat model charges now; undefined when unknown. */
function listPriceOf(name: string, { findAtMaker, nowMs }: ProposeAsk): ListPrice | undefined {
  const row = findAtMaker?.(name)?.row;
  if (row === undefined) return undefined;
  const now = new Date(nowMs);
  const { price, source } = pricesAt(row, now);
  return price === undefined ? undefined : { price, source: datedSource(source, now) };
}

/** Returns the catalog's current prices, else the operator's, with their source. */
function pricesOf(row: CatalogRow | undefined, stated: CatalogPrice | undefined, nowMs: number): Prices {
  const now = new Date(nowMs);
  const { price, later, source } = row === undefined ? { later: [] } : pricesAt(row, now);
  if (price === undefined)
    return stated === undefined ? {} : { price: stated, priceSource: { source: "--price" } };
  return {
    price,
    ...(source === undefined ? {} : { priceSource: datedSource(source, now) }),
    ...(later.length === 0 ? {} : { laterPrices: later }),
  };
}

/**
 * Returns the operations according to the upstream, else the catalog; empty when Plaza has no such operation.
 */
function operationsFound(listed: ListedModel, match: CatalogMatch | undefined): readonly Operation[] {
  if (listed.operations !== undefined) return listed.operations;
  return listed.isOther === true ? [] : operationsOfKind(match?.row.kind);
}

/** Combines the facts; the upstream's take precedence over the catalog's. */
function factsOf(
  listed: ListedModel,
  match: CatalogMatch | undefined,
  { statedPrice, nowMs }: ProposeAsk,
): Pick<
  Proposal,
  | "family"
  | "context"
  | "maxOutput"
  | "modalities"
  | "capabilities"
  | "price"
  | "priceSource"
  | "laterPrices"
  | "match"
  | "isDeprecated"
> {
  const row = match?.row;
  const context = listed.context ?? row?.context;
  const maxOutput = listed.maxOutput ?? row?.maxOutput;
  const family = makerOf(row?.family);
  return {
    ...(family === undefined ? {} : { family }),
    ...(context === undefined ? {} : { context }),
    ...(maxOutput === undefined ? {} : { maxOutput }),
    ...modalitiesOf(row),
    ...capabilitiesOf(row),
    ...pricesOf(row, statedPrice, nowMs),
    ...(match === undefined ? {} : { match: match.sure }),
    ...(row?.isDeprecated === true ? { isDeprecated: true } : {}),
  };
}

const oneLine = (text: string): boolean =>
  !hasControlCharacter(text) && text.length <= nameLengthMax && text.trim() !== "" && text.isWellFormed();

/** Returns the display name from the catalog or the upstream, if it is one line of visible characters. */
function titleOf({ name, title }: ListedModel, match: CatalogMatch | undefined): string | undefined {
  const given = [match?.row.name === match?.row.id ? undefined : match?.row.name, title, name];
  return given.find((text) => text !== undefined && oneLine(text) && !/[\p{C}\p{Zl}\p{Zp}]/u.test(text));
}

const isServedNow = (operation: Operation): boolean => operationPaths[operation].isServed;

/** Returns why a model is not proposed; undefined otherwise. `same`: the file's model with the same id. */
function reasonAgainst(
  listed: ListedModel,
  match: CatalogMatch | undefined,
  same: Model | undefined,
  isServed: (operation: Operation) => boolean,
): Message | undefined {
  if (!oneLine(listed.name)) return message("connect.nameNotOneLine", { max: nameLengthMax });
  const operations = operationsFound(listed, match);
  if (operations.length === 0) {
    const kind = match?.row.kind;
    return kind === undefined ? message("connect.noChatModel") : message("connect.noChatModelBut", { kind });
  }
  if (!operations.some(isServed)) {
    return message("connect.notServedYet", { operations: operationsMessage(operations) });
  }
  return same === undefined || operations.some((operation) => isFor(same, operation))
    ? undefined
    : message("connect.modelIsFor", { operations: operationsMessage(operationsOf(same)) });
}

/** In the list's order, each name once. */
export function proposeModels(ask: ProposeAsk): Proposal[] {
  const models = new Map(ask.models.map((model) => [model.id, model]));
  const present = new Map<string, Model>();
  for (const model of ask.models)
    for (const deployment of model.deployments)
      if (deployment.upstream === ask.upstreamId) present.set(deployment.model, model);
  const listed = [...new Map(ask.listed.map((one) => [one.name, one])).values()];
  // Names that are valid ids keep them; the others get unused ones.
  const giveId = idGiver(new Set([...models.keys(), ...listed.map(({ name }) => name)]));

  return listed.map((one): Proposal => {
    const match = ask.find(one.name);
    const facts = factsOf(one, match, ask);
    const title = titleOf(one, match);
    const operations = normalOperations(operationsFound(one, match));
    const base = {
      upstreamModel: one.name,
      ...(operations === undefined ? {} : { operations }),
      ...facts,
      isPriced: facts.price !== undefined,
    };
    const there = present.get(one.name);
    if (there !== undefined)
      return { ...base, id: there.id, name: there.name, action: "present", isPriced: isPriced(there) };
    const isLegal = idForm.test(one.name);
    const same = isLegal ? models.get(one.name) : undefined;
    const reason = reasonAgainst(one, match, same, ask.isServed ?? isServedNow);
    if (same !== undefined && reason === undefined) {
      const priority = Math.max(0, ...same.deployments.map((deployment) => deployment.priority)) + 1;
      return { ...base, id: same.id, name: same.name, action: "deploy", priority, isPriced: isPriced(same) };
    }
    if (reason !== undefined) {
      const id = isLegal ? one.name : plainId(one.name);
      return { ...base, id, name: title ?? id, action: "leave", reason };
    }
    const id = isLegal ? one.name : giveId(one.name);
    const listPrice = base.isPriced ? undefined : listPriceOf(one.name, ask);
    return {
      ...base,
      id,
      name: title ?? id,
      action: "add",
      ...(listPrice === undefined ? {} : { listPrice }),
    };
  });
}

const isPriced = ({ price, scheduledPrices }: Model): boolean =>
  price !== undefined || (scheduledPrices ?? []).length > 0;
