/** Reads the `models` of a catalog file. Knows only the upstreams' ids. */

import {
  type Capability,
  capabilityNames,
  type Deployment,
  type Hedge,
  type Modalities,
  type Model,
} from "@plaza/contract/catalog.ts";
import { catalogMax } from "@plaza/contract/catalog-values.ts";
import { message } from "@plaza/contract/messages/message.ts";
import { normalOperations, type Operation, operationNames } from "@plaza/contract/operations.ts";
import { type FallbackLink, readFallbacks } from "./fallbacks.ts";
import { readFormats } from "./formats.ts";
import { readOptionalLimits } from "./limits.ts";
import { readPrice, readPrices } from "./price.ts";
import {
  fault,
  guess,
  missing,
  type Reading,
  readBoolean,
  readDurationMs,
  readFields,
  readId,
  readLine,
  readList,
  readText,
  readTimeMs,
  readWhole,
  type Spot,
  warn,
} from "./reading.ts";
import { readTimeouts } from "./timeouts.ts";

/** What models take and give. */
export const modalityNames = ["text", "image", "audio", "video", "file"] as const;

function readModality(reading: Reading, spot: Spot): string {
  const read = readText(reading, spot, message("file.aModality"));
  if (read === undefined) return "";
  if (modalityNames.some((name) => name === read.text)) return read.text;
  fault(
    reading,
    spot,
    message("file.modalityUnknown", {
      given: read.shown,
      guess: guess(read.text, modalityNames, "modalities"),
    }),
  );
  return "";
}

function readModalityList(reading: Reading, spot: Spot): readonly string[] {
  const items = readList(reading, spot, "modalities", 1, modalityNames.length);
  return [...new Set(items.map((item) => readModality(reading, item)))];
}

function readModalities(reading: Reading, spot: Spot): Modalities | undefined {
  const fields = readFields(reading, spot, ["input", "output"]);
  if (fields === undefined) return undefined;
  for (const name of ["input", "output"] as const) {
    if (fields[name] === undefined) missing(reading, spot, name, message("file.listModalities"));
  }
  return {
    input: fields.input === undefined ? [] : readModalityList(reading, fields.input),
    output: fields.output === undefined ? [] : readModalityList(reading, fields.output),
  };
}

function readCapability(reading: Reading, spot: Spot): readonly Capability[] {
  const read = readText(reading, spot, message("file.aCapability"));
  const known = capabilityNames.find((name) => name === read?.text);
  if (read !== undefined && known === undefined)
    fault(
      reading,
      spot,
      message("file.capabilityUnknown", {
        given: read.shown,
        guess: guess(read.text, capabilityNames, "capabilities"),
      }),
    );
  return known === undefined ? [] : [known];
}

/** Without duplicates; an empty list means that the model has none. */
function readCapabilities(reading: Reading, spot: Spot): readonly Capability[] {
  const items = readList(reading, spot, "capabilities", 0, 2 * capabilityNames.length);
  return [...new Set(items.flatMap((item) => readCapability(reading, item)))];
}

function readOperation(reading: Reading, spot: Spot): readonly Operation[] {
  const read = readText(reading, spot, message("file.anOperation"));
  const known = operationNames.find((name) => name === read?.text);
  if (read !== undefined && known === undefined)
    fault(
      reading,
      spot,
      message("file.operationUnknown", {
        given: read.shown,
        guess: guess(read.text, operationNames, "operations"),
      }),
    );
  return known === undefined ? [] : [known];
}

/** Undefined for chat only, which is the default. */
function readOperations(reading: Reading, spot: Spot): readonly Operation[] | undefined {
  const items = readList(reading, spot, "operations", 1, 2 * operationNames.length);
  return normalOperations(items.flatMap((item) => readOperation(reading, item)));
}

function readUpstreamId(reading: Reading, spot: Spot, upstreamIds: readonly string[]): string {
  const read = readText(reading, spot, message("file.idOfUpstream"));
  if (read === undefined) return "";
  if (!upstreamIds.includes(read.text)) {
    fault(
      reading,
      spot,
      message("file.upstreamUnknown", {
        given: read.shown,
        guess: guess(read.text, upstreamIds, "upstreams"),
      }),
    );
  }
  return read.text;
}

/** The keys of a deployment. */
export const deploymentFields = [
  "upstream",
  "model",
  "priority",
  "weight",
  "cost",
  "timeouts",
  "formats",
] as const;

function readDeployment(
  reading: Reading,
  spot: Spot,
  upstreamIds: readonly string[],
): Deployment | undefined {
  const fields = readFields(reading, spot, deploymentFields);
  if (fields === undefined) return undefined;
  if (fields.upstream === undefined) missing(reading, spot, "upstream", message("file.giveUpstream"));
  if (fields.model === undefined) missing(reading, spot, "model", message("file.giveUpstreamModel"));
  const cost = fields.cost === undefined ? undefined : readPrice(reading, fields.cost);
  const timeouts = readTimeouts(reading, fields.timeouts);
  return {
    upstream: fields.upstream === undefined ? "" : readUpstreamId(reading, fields.upstream, upstreamIds),
    model:
      fields.model === undefined
        ? ""
        : readLine(reading, fields.model, message("file.upstreamModel"), catalogMax.nameLength),
    priority: fields.priority === undefined ? 1 : readWhole(reading, fields.priority, 0, catalogMax.priority),
    weight: fields.weight === undefined ? 1 : readWhole(reading, fields.weight, 0, catalogMax.priority),
    ...(cost === undefined ? {} : { cost }),
    ...(Object.keys(timeouts).length === 0 ? {} : { timeouts }),
    ...(fields.formats === undefined ? {} : { formats: readFormats(reading, fields.formats) }),
  };
}

function readDeployments(reading: Reading, spot: Spot, upstreamIds: readonly string[]): Deployment[] {
  const deployments: Deployment[] = [];
  for (const item of readList(reading, spot, "deployments", 1, catalogMax.deployments)) {
    const deployment = readDeployment(reading, item, upstreamIds);
    if (deployment === undefined) continue;
    const { upstream, model } = deployment;
    const isRepeated = deployments.some((other) => other.upstream === upstream && other.model === model);
    if (isRepeated && upstream !== "" && model !== "") {
      fault(reading, item, message("file.deploymentTwice"));
    }
    deployments.push(deployment);
  }
  return deployments;
}

function readDescription(reading: Reading, spot: Spot): string {
  const text = readText(reading, spot, message("file.aDescription"))?.text ?? "";
  if (text.length > catalogMax.descriptionLength)
    fault(reading, spot, message("file.tooLong", { max: catalogMax.descriptionLength }));
  return text;
}

/** The keys of a model. */
export const modelFields = [
  "id",
  "name",
  "description",
  "operations",
  "context",
  "maxOutput",
  "family",
  "modalities",
  "capabilities",
  "deprecated",
  "disabled",
  "price",
  "prices",
  "deployments",
  "limits",
  "fallbacks",
  "hedge",
] as const;

/** Undefined for false, which is the default. */
function readHedge(reading: Reading, spot: Spot): Hedge | undefined {
  const { part } = spot;
  if (part.kind === "other" && part.value === true) return {};
  if (part.kind === "other" && part.value === false) return undefined;
  if (part.kind !== "mapping") {
    fault(reading, spot, message("file.notHedge"));
    return undefined;
  }
  const fields = readFields(reading, spot, ["after"]);
  if (fields?.after === undefined) {
    missing(reading, spot, "after", message("file.hedgeWithoutTime"));
    return undefined;
  }
  return { afterMs: readDurationMs(reading, fields.after, 1, catalogMax.hedgeMs) };
}

/** The prices of a model, in either form of the file. */
function readModelPrices(
  reading: Reading,
  spot: Spot,
  fields: { readonly price?: Spot; readonly prices?: Spot },
): Pick<Model, "price" | "scheduledPrices"> {
  if (fields.price === undefined && fields.prices === undefined) {
    warn(reading, spot, message("file.noPrice"));
    return {};
  }
  const prices = fields.prices === undefined ? {} : readPrices(reading, fields.prices);
  if (fields.price === undefined) return prices;
  if (fields.prices !== undefined) fault(reading, fields.prices, message("file.priceAndPrices"));
  const price = readPrice(reading, fields.price);
  return price === undefined ? {} : { price };
}

/**
 * Reads one model; undefined when it is not a mapping. Values missing in the file stay absent. Its fallbacks
 * are added to `links`.
 */
export function readModel(
  reading: Reading,
  spot: Spot,
  upstreamIds: readonly string[],
  links: FallbackLink[],
): Model | undefined {
  const fields = readFields(reading, spot, modelFields);
  if (fields === undefined) return undefined;
  if (fields.id === undefined) missing(reading, spot, "id", message("file.giveModelId"));
  if (fields.deployments === undefined) {
    missing(reading, spot, "deployments", message("file.listDeployments"));
  }
  const id = fields.id === undefined ? "" : readId(reading, fields.id);
  const read = <T>(field: Spot | undefined, reader: (spot: Spot) => T): T | undefined =>
    field === undefined ? undefined : reader(field);
  const facts = {
    description: read(fields.description, (field) => readDescription(reading, field)),
    operations: read(fields.operations, (field) => readOperations(reading, field)),
    context: read(fields.context, (field) => readWhole(reading, field, 1, catalogMax.tokens)),
    maxOutput: read(fields.maxOutput, (field) => readWhole(reading, field, 1, catalogMax.tokens)),
    family: read(fields.family, (field) =>
      readLine(reading, field, message("file.aMaker"), catalogMax.familyLength),
    ),
    modalities: read(fields.modalities, (field) => readModalities(reading, field)),
    capabilities: read(fields.capabilities, (field) => readCapabilities(reading, field)),
    deprecatedAt: read(fields.deprecated, (field) => readTimeMs(reading, field)),
    isDisabled: read(fields.disabled, (field) => readBoolean(reading, field) || undefined),
  };
  const fallbacks = read(fields.fallbacks, (field) => readFallbacks(reading, field, id)) ?? [];
  links.push(...fallbacks);
  return {
    id,
    name:
      read(fields.name, (field) => readLine(reading, field, message("file.aName"), catalogMax.nameLength)) ??
      id,
    ...withoutAbsent(facts),
    ...readModelPrices(reading, spot, fields),
    deployments: read(fields.deployments, (field) => readDeployments(reading, field, upstreamIds)) ?? [],
    ...withoutAbsent({
      limits: readOptionalLimits(reading, fields.limits),
      fallbacks: fallbacks.length === 0 ? undefined : fallbacks.map(({ to }) => to),
      hedge: read(fields.hedge, (field) => readHedge(reading, field)),
    }),
  };
}

/** The same object without undefined members. */
function withoutAbsent<T extends object>(value: T): Partial<T> {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as Partial<T>;
}
