/** Labels of the model form's fields, and values as text. Pure; the texts are passed in. */
import type { operatorModelsMessages } from "../../i18n/en/pages/operator-models.ts";
import type { KeyOf, Translate } from "../../i18n/messages.ts";
import {
  type DeploymentValues,
  type ModelValues,
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
};

/** `field` is a key of `ModelValues`, or leads to a part of its price, as in `price.rates.input`. */
export function fieldWord(t: TranslateModels, field: string): string {
  const [first = "", ...parts] = field.split(".");
  const name = Object.hasOwn(words, first) ? t(words[first as keyof ModelValues]) : first;
  const part = partMessages[parts.at(-1) ?? ""];
  return part === undefined ? name : `${name}: ${t(part)}`;
}

function ratesText(t: TranslateModels, rates: RateValues): string {
  return rateNames
    .filter((name) => rates[name] !== "")
    .map((name) => `${t(`rate.${name}`)} ${rates[name]}`)
    .join(", ");
}

function tiersText(t: TranslateModels, tiers: readonly TierValues[]): string[] {
  return tiers.map(({ above, rates }) => `${t("above")} ${above ?? ""}: ${ratesText(t, rates)}`);
}

function priceText(t: TranslateModels, { rates, perRequest, tiers }: PriceValues): string {
  const extra = perRequest === "" ? [] : [`${t("perRequest")} ${perRequest}`];
  return [ratesText(t, rates), ...extra, ...tiersText(t, tiers)].join("; ");
}

/** A value of a field that has more in it than one text; undefined where plain text will do. */
export function fieldText(t: TranslateModels, field: string, value: unknown): string | undefined {
  if (value === null || (Array.isArray(value) && value.length === 0)) return undefined;
  switch (field) {
    case "price":
      return priceText(t, value as PriceValues);
    case "price.tiers":
      return tiersText(t, value as readonly TierValues[]).join("; ");
    case "scheduled":
      return (value as readonly ScheduledValues[])
        .map(({ validFrom, price }) => `${validFrom}: ${priceText(t, price)}`)
        .join("; ");
    case "deployments":
      return (value as readonly DeploymentValues[])
        .map(({ upstream, model, priority, weight, cost, formats }) =>
          [
            `${upstream} ${model}`,
            priority === null ? "" : `${t("priority")} ${priority}`,
            weight === null ? "" : `${t("weight")} ${weight}`,
            cost === null ? "" : `${t("cost")}: ${priceText(t, cost)}`,
            formats.length === 0 ? "" : `${t("formats")}: ${formats.join(", ")}`,
          ]
            .filter((part) => part !== "")
            .join(", "),
        )
        .join("; ");
    case "hedge":
      return t(`hedge.${value as ModelValues["hedge"]}`);
    default:
      return undefined;
  }
}
