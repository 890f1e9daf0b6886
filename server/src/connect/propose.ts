/**
 * What to make of the models an upstream lists: public ids, facts and prices from the shipped catalog, each
 * with its source. Pure. Unknown facts stay unknown; nothing is guessed.
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

/** Where a price comes from. */
export interface PriceSource {
  readonly source: string;
  /** The day the source is of; absent for what the operator says. */
  readonly date?: string;
  /** It is of so long ago that the vendor's page is worth a look first. */
  readonly isOld?: true;
}

/** One model of the upstream and what to do with it. */
export interface Proposal {
  /** Its name at the upstream. */
  readonly upstreamModel: string;
  /** The public id callers would ask for. */
  readonly id: string;
  readonly name: string;
  /**
   * `add`: a new model. `deploy`: one more deployment of a model the file has. `present`: the file has it
   * already. `leave`: it is for nothing this version serves, or cannot be written into the file.
   */
  readonly action: "add" | "deploy" | "present" | "leave";
  /** Why it is left out. */
  readonly reason?: Message;
  /** What it is for; absent = chat. */
  readonly operations?: readonly Operation[];
  /** Who made it. */
  readonly family?: string;
  readonly context?: number;
  readonly maxOutput?: number;
  readonly modalities?: Modalities;
  readonly capabilities?: readonly Capability[];
  readonly price?: CatalogPrice;
  readonly priceSource?: PriceSource;
  /** Prices the catalog has for later days, in their order; none with a stated price. */
  readonly laterPrices?: readonly LaterPrice[];
  /** How the catalog's row was found: by the same name, or by another spelling of it. */
  readonly match?: CatalogMatch["sure"];
  readonly isDeprecated?: boolean;
  /** For `deploy`: the priority of the new deployment, after those there are. */
  readonly priority?: number;
  /** True when callers can call it once it is saved. For `deploy`: true when the joined model has a price. */
  readonly isPriced: boolean;
}

export interface ProposeAsk {
  readonly listed: readonly ListedModel[];
  readonly upstreamId: string;
  /** What the file has already. */
  readonly models: readonly Model[];
  readonly find: (upstreamModel: string) => CatalogMatch | undefined;
  /** What the operator says those cost whose price is unknown. */
  readonly statedPrice: CatalogPrice | undefined;
  readonly nowMs: number;
  /** Default: what this version serves. */
  readonly isServed?: (operation: Operation) => boolean;
}

const idForm = /^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,127}$/;
const idLengthMax = 128;
const nameLengthMax = 256;
const modalityNames = new Set(["text", "image", "audio", "video", "file"]);

/**
 * A public id made of any name: letters lose their accents, the rest becomes
 * dashes. `model` where nothing is left.
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

/** Gives legal ids to names that are none, unlike all in `taken`, which it adds to. */
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

/**
 * What a source says it can do. One that says of nothing that it can is no
 * word on the rest, so it stays unknown.
 */
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

/** The catalog's prices as they are now, else what the operator says; with whose word that is. */
function pricesOf(row: CatalogRow | undefined, stated: CatalogPrice | undefined, nowMs: number): Prices {
  const now = new Date(nowMs);
  const { price, later, source } = row === undefined ? { later: [] } : pricesAt(row, now);
  if (price === undefined)
    return stated === undefined ? {} : { price: stated, priceSource: { source: "--price" } };
  const isDated = source !== undefined && source.date !== "";
  return {
    price,
    ...(source === undefined
      ? {}
      : { priceSource: { ...source, ...(isDated && isOld(source.date, now) ? { isOld: true } : {}) } }),
    ...(later.length === 0 ? {} : { laterPrices: later }),
  };
}

/**
 * What it is for, as the upstream says, else as the catalog does; none for what Plaza knows no operation for.
 */
function operationsFound(listed: ListedModel, match: CatalogMatch | undefined): readonly Operation[] {
  if (listed.operations !== undefined) return listed.operations;
  return listed.isOther === true ? [] : operationsOfKind(match?.row.kind);
}

/** The facts; what the upstream says of itself goes before what the catalog says of it. */
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

/**
 * A name for people: the catalog's or the upstream's, where it is one line of visible
 * characters; undefined where there is none.
 */
function titleOf({ name, title }: ListedModel, match: CatalogMatch | undefined): string | undefined {
  const given = [match?.row.name === match?.row.id ? undefined : match?.row.name, title, name];
  return given.find((text) => text !== undefined && oneLine(text) && !/[\p{C}\p{Zl}\p{Zp}]/u.test(text));
}

const isServedNow = (operation: Operation): boolean => operationPaths[operation].isServed;

/** What keeps a model from being proposed. `same`: the model of the file that has its id. */
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

/** In the order of the list, each name once. */
export function proposeModels(ask: ProposeAsk): Proposal[] {
  const models = new Map(ask.models.map((model) => [model.id, model]));
  const present = new Map<string, Model>();
  for (const model of ask.models)
    for (const deployment of model.deployments)
      if (deployment.upstream === ask.upstreamId) present.set(deployment.model, model);
  const listed = [...new Map(ask.listed.map((one) => [one.name, one])).values()];
  // Names that are ids already keep them; others take what is left.
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
    return { ...base, id, name: title ?? id, action: "add" };
  });
}

const isPriced = ({ price, scheduledPrices }: Model): boolean =>
  price !== undefined || (scheduledPrices ?? []).length > 0;
