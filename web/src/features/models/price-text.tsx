/**
 * Prices as the operator reads them: short in lists, whole in the history. An
 * explicit 0 is free; no price is not.
 */
import type { PriceDocument } from "@plaza/contract/api/catalog.ts";
import { formatCount } from "../../format/count.ts";
import { nanosOf } from "../../format/money.ts";
import { operatorModelsMessages } from "../../i18n/en/pages/operator-models.ts";
import { useLanguage } from "../../i18n/language.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Money } from "../../ui/figures.tsx";
import { rateNames } from "./values.ts";

/** One rate. */
export function Rate({ value }: { readonly value: string }) {
  const t = useMessages(operatorModelsMessages);
  if (nanosOf(value) === 0n) return <span title="$0.00">{t("free")}</span>;
  return <Money value={value} />;
}

type Rates = Pick<PriceDocument, (typeof rateNames)[number]>;

function RateList({ rates }: { readonly rates: Rates }) {
  const t = useMessages(operatorModelsMessages);
  return (
    <span className="flex flex-wrap gap-x-4 gap-y-0.5">
      {rateNames.map((name) => {
        const value = rates[name];
        return value === undefined ? null : (
          <span key={name} className="whitespace-nowrap">
            <span className="text-muted">{t(`rate.${name}`)}</span> <Rate value={value} />
          </span>
        );
      })}
    </span>
  );
}

/** Everything a price says. */
export function WholePrice({ price }: { readonly price: PriceDocument | null }) {
  const t = useMessages(operatorModelsMessages);
  const language = useLanguage();
  if (price === null) return <span className="text-muted">{t("noPrice")}</span>;
  return (
    <span className="flex flex-col gap-1">
      <RateList rates={price} />
      {price.perRequest !== undefined && (
        <span>
          <span className="text-muted">{t("perRequestLine")}</span> <Money value={price.perRequest} />
        </span>
      )}
      {price.tiers?.map((tier) => (
        <span key={tier.abovePromptTokens} className="border-l-2 border-line pl-2.5">
          <span className="text-small text-muted">
            {t("tierLine", { tokens: formatCount(tier.abovePromptTokens, language) })}
          </span>
          <RateList rates={tier} />
        </span>
      ))}
    </span>
  );
}
