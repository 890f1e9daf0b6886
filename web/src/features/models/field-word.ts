/** Labels of the model form's fields, and values as text. Pure; the texts are passed in. */

import { rowText } from "../../forms/merge-edits.ts";
import type { operatorModelsMessages } from "../../i18n/en/pages/operator-models.ts";
import type { KeyOf, Translate } from "../../i18n/messages.ts";
import {
  type DeploymentValues,
  type ModelValues,
  modelRowNames,
  type PriceValues,
  type RateValues,
  rateNames,
  type ScheduledValues,
  type TierValues,
} from "./values.ts";

type Key = KeyOf<typeof operatorModelsMessages>;
type TranslateModels = Translate<Key>;

const words: Record<keyof ModelValues, Key> = {
  id: "id",
  name: "name",
  description: "description",
  operations: "operations",
  family: "family",
  context: "context",
  maxOutput: "maxOutput",
  inputs: "inputs",
  outputs: "outputs",
  knowsCapabilities: "knowsCapabilities",
  capabilities: "capabilities",
  deprecated: "deprecated",
  price: "priceTitle",
  scheduled: "scheduledTitle",
  deployments: "deploymentsTitle",
  requestsPerMinute: "requestsPerMinute",
  tokensPerMinute: "tokensPerMinute",
  concurrency: "concurrency",
  fallbacks: "fallbacks",
  hedge: "hedge",
  hedgeAfter: "hedgeAfter",
};

const partMessages: Readonly<Record<string, Key>> = {
  ...Object.fromEntries(rateNames.map((name) => [name, `rate.${name}` as const])),
  perRequest: "perRequest",
  tiers: "tiers",
  above: "above",
  validFrom: "validFrom",
  upstream: "upstream",
  model: "upstreamModel",
  priority: "priority",
  weight: "weight",
  cost: "cost",
  formats: "formats",
  connect: "connectTimer",
  firstByte: "firstByteTimer",
  firstToken: "firstTokenTimer",
  idle: "idleTimer",
  total: "totalTimer",
};

const isList = (name: string | undefined): boolean =>
  name !== undefined && Object.hasOwn(modelRowNames, name);

/** `field` is a key of `ModelValues`, or leads to a part of it or of a row: `price.tiers.9.above`. */
export function fieldWord(t: TranslateModels, field: string): string {
  const parts = field.split(".");
  const named = parts.flatMap((part, at) => {
    if (isList(parts[at - 1])) return [rowText(part)];
    if (at === 0) return [Object.hasOwn(words, part) ? t(words[part as keyof ModelValues]) : part];
    const message = partMessages[part];
    return message === undefined ? [] : [t(message)];
  });
  return named.join(": ");
}

function ratesText(t: TranslateModels, rates: RateValues): string {
  return rateNames
    .filter((name) => rates[name] !== "")
    .map((name) => `${t(`rate.${name}`)} ${rates[name]}`)
    .join(", ");
}

const tierText = (t: TranslateModels, { above, rates }: TierValues): string =>
  `${t("above")} ${above ?? ""}: ${ratesText(t, rates)}`;

function priceText(t: TranslateModels, { rates, perRequest, tiers }: PriceValues): string {
  const extra = perRequest === "" ? [] : [`${t("perRequest")} ${perRequest}`];
  return [ratesText(t, rates), ...extra, ...tiers.map((tier) => tierText(t, tier))].join("; ");
}

const scheduledText = (t: TranslateModels, { validFrom, price }: ScheduledValues): string =>
  `${validFrom}: ${priceText(t, price)}`;

function deploymentText(t: TranslateModels, one: DeploymentValues): string {
  const { upstream, model, priority, weight, cost, formats } = one;
  return [
    `${upstream} ${model}`,
    priority === null ? "" : `${t("priority")} ${priority}`,
    weight === null ? "" : `${t("weight")} ${weight}`,
    cost === null ? "" : `${t("cost")}: ${priceText(t, cost)}`,
    formats.length === 0 ? "" : `${t("formats")}: ${formats.join(", ")}`,
  ]
    .filter((part) => part !== "")
    .join(", ");
}

/** `deployments.main+halo.cost` → `deployments.*.cost`. */
function kindOf(field: string): string {
  const parts = field.split(".");
  return parts.map((part, at) => (isList(parts[at - 1]) ? "*" : part)).join(".");
}

/** A value of a field that has more in it than one text; undefined where plain text will do. */
export function fieldText(t: TranslateModels, field: string, value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (Array.isArray(value) && value.length > 0 && isList(field.split(".").at(-1)))
    return value.map((row) => fieldText(t, `${field}.`, row)).join("; ");
  const kind = kindOf(field);
  if (kind === "hedge") return t(`hedge.${value as ModelValues["hedge"]}`);
  if (kind === "deployments.*") return deploymentText(t, value as DeploymentValues);
  if (kind === "scheduled.*") return scheduledText(t, value as ScheduledValues);
  if (kind.endsWith("tiers.*")) return tierText(t, value as TierValues);
  if (kind === "price" || kind.endsWith(".cost")) return priceText(t, value as PriceValues);
  return undefined;
}
