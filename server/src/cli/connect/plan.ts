/**
 * `plaza connect`: builds the new catalog file with the confirmed changes, reads it back and compares it with
 * the old one, so that nothing unintended is written. Pure except for the reader passed in.
 */
import { isDeepStrictEqual } from "node:util";
import type { Catalog } from "@plaza/contract/catalog.ts";
import type { Proposal } from "../../connect/propose.ts";
import type { CatalogPrice, CatalogRates, LaterPrice } from "../../domain/catalog/model-catalog.ts";
import { oldAfterDays } from "../../domain/money/old-prices.ts";
import { rateNames } from "../../domain/money/price-classes.ts";
import { CommandFailure } from "../failure.ts";
import { type Addition, addEntries, EditError, newFile } from "./edit.ts";
import { type Entry, plainText, type YamlMapping } from "./yaml.ts";

/** The current file. `text` undefined: it is missing or empty. */
export interface FileNow {
  readonly name: string;
  readonly text: string | undefined;
  readonly catalog: Catalog;
}

function ratesOf(rates: CatalogRates): YamlMapping {
  return Object.fromEntries(rateNames.map((name) => [name, rates[name]]));
}

function priceFields(price: CatalogPrice): YamlMapping {
  const tiers = price.tiers?.map((tier) => ({ abovePromptTokens: tier.abovePromptTokens, ...ratesOf(tier) }));
  return { ...ratesOf(price), perRequest: price.perRequest, tiers };
}

const laterFields = ({ validFrom, ...price }: LaterPrice): YamlMapping => ({
  validFrom,
  ...priceFields(price),
});

/** "@pydantic/genai-prices@0.1.8, 2026-09-23: older than 60 days" */
export function sourceText({ priceSource }: Proposal): string {
  if (priceSource === undefined) return "";
  const { source, date } = priceSource;
  const age = priceSource.isOld === true ? `: older than ${oldAfterDays} days` : "";
  return date === undefined ? source : `${source}, ${date}${age}`;
}

const deploymentFields = ({ upstreamModel, priority }: Proposal, upstream: string): YamlMapping => ({
  upstream,
  model: plainText(upstreamModel),
  priority,
});

function modelEntry(proposal: Proposal, upstream: string): Entry {
  const { id, name, operations, family, context, maxOutput, modalities, capabilities, price, laterPrices } =
    proposal;
  // A file has either one price or a list of prices.
  const isList = price !== undefined && laterPrices !== undefined;
  return {
    fields: {
      id,
      name: name === id ? undefined : plainText(name),
      operations,
      family,
      context,
      maxOutput,
      modalities: modalities === undefined ? undefined : { ...modalities },
      capabilities,
      price: price === undefined || isList ? undefined : priceFields(price),
      prices: isList ? [priceFields(price), ...laterPrices.map(laterFields)] : undefined,
      deployments: [deploymentFields(proposal, upstream)],
    },
    remarks:
      price === undefined
        ? { id: "no price known: visible, not callable" }
        : { [isList ? "prices" : "price"]: sourceText(proposal) },
  };
}

/** The confirmed changes. */
export interface PlanRequest {
  readonly upstreamId: string;
  /** undefined: the upstream is already in the file. */
  readonly upstream: Entry | undefined;
  readonly chosen: readonly Proposal[];
}

function additionsOf({ upstreamId, upstream, chosen }: PlanRequest, { models }: Catalog): Addition[] {
  const joined = chosen
    .filter(({ action }) => action === "deploy")
    .map((proposal) => ({
      path: ["models", models.findIndex(({ id }) => id === proposal.id), "deployments"],
      entries: [{ fields: deploymentFields(proposal, upstreamId) }],
    }));
  const added = chosen.filter(({ action }) => action === "add");
  return [
    { path: ["upstreams"], entries: upstream === undefined ? [] : [upstream] },
    ...joined,
    { path: ["models"], entries: added.map((proposal) => modelEntry(proposal, upstreamId)) },
  ];
}

/** Returns the text with the changes. */
function edit(file: FileNow, requested: PlanRequest): string {
  const { upstreamId, upstream, chosen } = requested;
  if (file.text === undefined) {
    const models = chosen.map((proposal) => modelEntry(proposal, upstreamId));
    return newFile(upstream === undefined ? [] : [upstream], models);
  }
  return addEntries(file.text, additionsOf(requested, file.catalog));
}

/** True when the file keeps all its entries and gains only the requested ones. */
function isAsRequested(before: Catalog, after: Catalog, { upstream, chosen }: PlanRequest): boolean {
  const { upstreams, models, ...others } = after;
  const { upstreams: oldUpstreams, models: oldModels, ...oldOthers } = before;
  const added = chosen.filter(({ action }) => action === "add");
  const joined = new Set(chosen.filter(({ action }) => action === "deploy").map(({ id }) => id));
  const kept = oldModels.every((model, index) => {
    const now = models[index];
    if (now === undefined || !joined.has(model.id)) return isDeepStrictEqual(model, now);
    const deployments = now.deployments.slice(0, model.deployments.length);
    return now.deployments.length > deployments.length && isDeepStrictEqual(model, { ...now, deployments });
  });
  return (
    isDeepStrictEqual(others, oldOthers) &&
    isDeepStrictEqual(upstreams.slice(0, oldUpstreams.length), oldUpstreams) &&
    upstreams.length === oldUpstreams.length + (upstream === undefined ? 0 : 1) &&
    kept &&
    models.length === oldModels.length + added.length &&
    added.every(({ id, upstreamModel }, index) => {
      const model = models[oldModels.length + index];
      return model?.id === id && model.deployments[0]?.model === upstreamModel;
    })
  );
}

/** A plan that can be written. */
export interface Plan {
  readonly text: string;
  /** The parsed new text; credentials as written in it. */
  readonly catalog: Catalog;
  readonly warnings: readonly string[];
}

/**
 * `read`: parses a catalog text and throws with all its faults. Throws a `CommandFailure` when the file
 * cannot be edited.
 */
export async function planFile(
  file: FileNow,
  requested: PlanRequest,
  read: (text: string) => Promise<{ readonly catalog: Catalog; readonly warnings: readonly string[] }>,
): Promise<Plan> {
  try {
    const text = edit(file, requested);
    const { catalog, warnings } = await read(text);
    if (!isAsRequested(file.catalog, catalog, requested))
      throw new EditError("the result would not say what it should");
    return { text, catalog, warnings };
  } catch (error) {
    if (!(error instanceof EditError)) throw error;
    throw new CommandFailure(
      "cannot_edit",
      `plaza connect cannot edit the format of ${file.name}: ${error.message}; nothing was saved. Add the upstream by hand (docs/operate/catalog.md), or pass another file with --catalog`,
    );
  }
}
