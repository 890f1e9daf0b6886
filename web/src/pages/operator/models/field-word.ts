/**
 * What the form of a model calls a field of its values, and a value in words. Pure; the words are passed in.
 */
import type { operatorModelsWords } from "../../../i18n/en/pages/operator-models.ts";
import type { KeyOf, Say } from "../../../i18n/words.ts";
import {
  type DeploymentValues,
  type ModelValues,
  type PriceValues,
  type RateValues,
  rateNames,
  type ScheduledValues,
  type TierValues,
} from "./values.ts";

type Key = KeyOf<typeof operatorModelsWords>;
type SayModels = Say<Key>;

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

const partWords: Readonly<Record<string, Key>> = {
  ...Object.fromEntries(rateNames.map((name) => [name, `rate.${name}` as const])),
  perRequest: "perRequest",
  tiers: "tiers",
};

/** `field` is a key of `ModelValues`, or leads to a part of its price, as in `price.rates.input`. */
export function fieldWord(say: SayModels, field: string): string {
  const [first = "", ...parts] = field.split(".");
  const name = Object.hasOwn(words, first) ? say(words[first as keyof ModelValues]) : first;
  const part = partWords[parts.at(-1) ?? ""];
  return part === undefined ? name : `${name}: ${say(part)}`;
}

function ratesText(say: SayModels, rates: RateValues): string {
  return rateNames
    .filter((name) => rates[name] !== "")
    .map((name) => `${say(`rate.${name}`)} ${rates[name]}`)
    .join(", ");
}

function tiersText(say: SayModels, tiers: readonly TierValues[]): string[] {
  return tiers.map(({ above, rates }) => `${say("above")} ${above ?? ""}: ${ratesText(say, rates)}`);
}

function priceText(say: SayModels, { rates, perRequest, tiers }: PriceValues): string {
  const extra = perRequest === "" ? [] : [`${say("perRequest")} ${perRequest}`];
  return [ratesText(say, rates), ...extra, ...tiersText(say, tiers)].join("; ");
}

/** A value of a field that has more in it than one text; undefined where plain text will do. */
export function fieldText(say: SayModels, field: string, value: unknown): string | undefined {
  if (value === null || (Array.isArray(value) && value.length === 0)) return undefined;
  switch (field) {
    case "price":
      return priceText(say, value as PriceValues);
    case "price.tiers":
      return tiersText(say, value as readonly TierValues[]).join("; ");
    case "scheduled":
      return (value as readonly ScheduledValues[])
        .map(({ validFrom, price }) => `${validFrom}: ${priceText(say, price)}`)
        .join("; ");
    case "deployments":
      return (value as readonly DeploymentValues[])
        .map(({ upstream, model, priority, weight, cost }) =>
          [
            `${upstream} ${model}`,
            priority === null ? "" : `${say("priority")} ${priority}`,
            weight === null ? "" : `${say("weight")} ${weight}`,
            cost === null ? "" : `${say("cost")}: ${priceText(say, cost)}`,
          ]
            .filter((part) => part !== "")
            .join(", "),
        )
        .join("; ");
    case "hedge":
      return say(`hedge.${value as ModelValues["hedge"]}`);
    default:
      return undefined;
  }
}
