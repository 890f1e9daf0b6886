/**
 * Displays prices: short on a card, complete on the model's page. Unpriced reads "not available", an explicit
 * 0 "Free".
 */
import { formatCount, formatShortCount } from "../../format/count.ts";
import { formatMoney } from "../../format/money.ts";
import { formatDay } from "../../format/time.ts";
import { plazaMessages } from "../../i18n/en/pages/plaza.ts";
import { useLanguage } from "../../i18n/language.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Money, useTimeZone } from "../../ui/figures.tsx";
import { Badge } from "../../ui/surfaces.tsx";
import { isFree, isZero, priceRows, type ShownPrice } from "./price-rows.ts";

/** One rate. "Free" is said only when nothing of the whole price costs anything. */
function Rate({ value, price }: { readonly value: string; readonly price: ShownPrice }) {
  const t = useMessages(plazaMessages);
  return isZero(value) && isFree(price) ? (
    <span className="text-good">{t("free")}</span>
  ) : (
    <Money value={value} exact />
  );
}

/** What the two main rates do not show: tiers, and the price per request. Empty when there is neither. */
export function PriceNotes({ price }: { readonly price: ShownPrice | null }) {
  const t = useMessages(plazaMessages);
  const notes = [
    ...(price?.tiers ?? [])
      .slice(0, 1)
      .map((tier) => t("tiers", { count: formatShortCount(tier.abovePromptTokens) })),
    ...(price?.perRequest === undefined || isZero(price.perRequest)
      ? []
      : [t("perRequestToo", { money: formatMoney(price.perRequest) })]),
  ];
  return notes.length === 0 ? null : <p className="-mt-1 text-small text-muted">{notes.join(" · ")}</p>;
}

/** The rate of one class; shows when it is unpriced or priced as another class. */
export function RateOf({
  price,
  name,
}: {
  readonly price: ShownPrice | null;
  readonly name: "input" | "cachedInput" | "output";
}) {
  const t = useMessages(plazaMessages);
  if (price === null) return <span className="text-faint">{t("notPriced")}</span>;
  const rate = price[name];
  return rate === undefined ? (
    <span className="text-faint">{t("sameAs", { what: t("rate.input") })}</span>
  ) : (
    <Rate value={rate} price={price} />
  );
}

/** When the next price takes over, if one will. */
export function NextPrice({ periods }: { readonly periods: readonly { readonly validFrom: string }[] }) {
  const t = useMessages(plazaMessages);
  const language = useLanguage();
  const zone = useTimeZone();
  const next = periods[0];
  if (next === undefined) return null;
  return <Badge tone="accent">{t("priceSoon", { day: formatDay(next.validFrom, language, zone) })}</Badge>;
}

function TierHead({ sign, promptTokens }: { readonly sign: "≤" | ">"; readonly promptTokens: number }) {
  const t = useMessages(plazaMessages);
  const language = useLanguage();
  const title = t(sign === "≤" ? "tierNone" : "tierAbove", { count: formatCount(promptTokens, language) });
  return (
    <span title={title}>
      <span aria-hidden>
        {sign} {formatShortCount(promptTokens)}
      </span>
      <span className="sr-only">{title}</span>
    </span>
  );
}

/** Every class with its own rate, one column per tier. */
export function PriceTable({ price }: { readonly price: ShownPrice | null }) {
  const t = useMessages(plazaMessages);
  if (price === null) return <p className="text-muted">{t("notPriced")}</p>;
  const tiers = price.tiers ?? [];
  const first = tiers[0]?.abovePromptTokens;
  const fallbackOf = (name: string) => (/output|reasoning/i.test(name) ? t("rate.output") : t("rate.input"));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a block that scrolls must be reached by the keyboard.
    <div tabIndex={0} className="relative overflow-x-auto">
      <table
        className="figures w-full text-left whitespace-nowrap"
        aria-label={`${t("price")}, ${t("priceUnit")}`}
      >
        {first !== undefined && (
          <thead>
            <tr className="text-small text-muted">
              <td />
              <th scope="col" className="py-1 pl-4 text-right font-normal">
                <TierHead sign="≤" promptTokens={first} />
              </th>
              {tiers.map(({ abovePromptTokens }) => (
                <th key={abovePromptTokens} scope="col" className="py-1 pl-4 text-right font-normal">
                  <TierHead sign=">" promptTokens={abovePromptTokens} />
                </th>
              ))}
            </tr>
          </thead>
        )}
        <tbody>
          {priceRows(price).map(({ name, rates }) => (
            <tr key={name} className="border-line not-first:border-t">
              <th scope="row" className="py-1.5 font-normal text-muted">
                {t(`rate.${name}`)}
              </th>
              {rates.map((rate, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a tier has only its place.
                <td key={at} className="py-1.5 pl-4 text-right">
                  {rate === undefined ? (
                    <span className="text-faint">{t("sameAs", { what: fallbackOf(name) })}</span>
                  ) : (
                    <Rate value={rate} price={price} />
                  )}
                </td>
              ))}
            </tr>
          ))}
          {price.perRequest !== undefined && (
            <tr className="border-t border-line">
              <th scope="row" className="py-1.5 font-normal text-muted">
                {t("rate.perRequest")}
              </th>
              <td className="py-1.5 pl-4 text-right" colSpan={1 + tiers.length}>
                <Rate value={price.perRequest} price={price} />
              </td>
            </tr>
          )}
        </tbody>
      </table>
    </div>
  );
}
