/** What each section of a model's form holds, in one line, for phones, which fold the sections. */
import { formatShortCount } from "../../format/count.ts";
import { formatMoney } from "../../format/money.ts";
import { operatorModelsMessages } from "../../i18n/en/pages/operator-models.ts";
import { useMessages } from "../../i18n/messages.ts";
import type { ModelValues, PriceValues } from "./values.ts";

const limitNames = ["requestsPerMinute", "tokensPerMinute", "concurrency"] as const;

export type SectionName = "facts" | "price" | "scheduled" | "deployments" | "routing" | "limits";

/** Follows what is typed. */
export function useSectionSummaries(values: ModelValues): Readonly<Record<SectionName, string>> {
  const t = useMessages(operatorModelsMessages);
  const { price, scheduled, deployments, fallbacks, hedge } = values;
  const rates = (given: PriceValues): string =>
    (["input", "output"] as const)
      .map((name) => `${t(`rate.${name}`)} ${formatMoney(given.rates[name].trim()) || "–"}`)
      .join(" · ");
  const limits = limitNames.flatMap((name) => {
    const limit = values[name];
    return limit === null ? [] : [`${t(name)}: ${formatShortCount(limit)}`];
  });
  return {
    facts: values.name.trim() || values.id,
    price: price === null ? t("status.unpriced") : rates(price),
    scheduled: scheduled.length === 0 ? t("nothing") : scheduled.map(({ validFrom }) => validFrom).join(", "),
    deployments:
      deployments.length === 0
        ? t("nothing")
        : deployments.map(({ upstream, model }) => `${upstream}: ${model}`).join(", "),
    routing: [
      `${t("fallbacks")}: ${fallbacks.join(", ") || t("nothing")}`,
      `${t("hedge")}: ${t(`hedge.${hedge}`)}`,
    ].join(" · "),
    limits: limits.join(" · ") || t("noLimit"),
  };
}
