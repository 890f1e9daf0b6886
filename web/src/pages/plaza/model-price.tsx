/** Prices to look at: short on a card, whole on the model's page. Unpriced reads "not available", an explicit 0 "Free". */
import { formatCount, formatShortCount } from "../../format/count.ts";
import { formatDay } from "../../format/time.ts";
import { Money, useTimeZone } from "../../ui/figures.tsx";
import { Badge } from "../../ui/surfaces.tsx";
import { plazaWords } from "../../words/pages/plaza.ts";
import { useLanguage, useWords } from "../../words/words.ts";
import { isFree, isZero, priceRows, type ShownPrice } from "./price-rows.ts";

/** One rate; an explicit 0 is "Free". */
export function Rate({ value }: { readonly value: string }) {
  const say = useWords(plazaWords);
  return isZero(value) ? <span className="text-good">{say("free")}</span> : <Money value={value} />;
}

/** Input and output, and that there are tiers. */
export function ShortPrice({ price }: { readonly price: ShownPrice | null }) {
  const say = useWords(plazaWords);
  if (price === null) return <span className="text-faint">{say("notPriced")}</span>;
  if (isFree(price)) return <Badge tone="good">{say("free")}</Badge>;
  return (
    <span className="inline-flex flex-wrap items-baseline gap-x-3">
      <span>
        <Rate value={price.input} /> <span className="text-[0.87rem] text-faint">{say("rate.input")}</span>
      </span>
      <span>
        <Rate value={price.output} /> <span className="text-[0.87rem] text-faint">{say("rate.output")}</span>
      </span>
    </span>
  );
}

/** When the next price takes over, if one will. */
export function NextPrice({ periods }: { readonly periods: readonly { readonly validFrom: string }[] }) {
  const say = useWords(plazaWords);
  const language = useLanguage();
  const zone = useTimeZone();
  const next = periods[0];
  if (next === undefined) return null;
  return <Badge tone="accent">{say("priceSoon", { day: formatDay(next.validFrom, language, zone) })}</Badge>;
}

/** Every class with a rate of its own, a column for each tier. */
export function PriceTable({ price }: { readonly price: ShownPrice | null }) {
  const say = useWords(plazaWords);
  const language = useLanguage();
  if (price === null) return <p className="text-muted">{say("notPriced")}</p>;
  const tiers = price.tiers ?? [];
  const first = tiers[0]?.abovePromptTokens;
  const fallbackOf = (name: string) =>
    /output|reasoning/i.test(name) ? say("rate.output") : say("rate.input");
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a block that scrolls must be reached by the keyboard.
    <div tabIndex={0} className="overflow-x-auto">
      <table className="figures w-full text-left" aria-label={`${say("price")}, ${say("priceUnit")}`}>
        {first !== undefined && (
          <thead>
            <tr className="text-[0.87rem] text-muted">
              <th scope="col" className="py-1 pr-4 font-normal" />
              <th scope="col" className="py-1 pr-4 text-right font-normal">
                {say("tierNone", { count: formatShortCount(first) })}
              </th>
              {tiers.map((tier) => (
                <th key={tier.abovePromptTokens} scope="col" className="py-1 pr-4 text-right font-normal">
                  <span title={formatCount(tier.abovePromptTokens, language)}>
                    {say("tierAbove", { count: formatShortCount(tier.abovePromptTokens) })}
                  </span>
                </th>
              ))}
            </tr>
          </thead>
        )}
        <tbody>
          {priceRows(price).map(({ name, rates }) => (
            <tr key={name} className="border-line not-first:border-t">
              <th scope="row" className="py-1.5 pr-4 font-normal text-muted">
                {say(`rate.${name}`)}
              </th>
              {rates.map((rate, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a tier has only its place.
                <td key={at} className="py-1.5 pr-4 text-right">
                  {rate === undefined ? (
                    <span className="text-faint">{say("sameAs", { what: fallbackOf(name) })}</span>
                  ) : (
                    <Rate value={rate} />
                  )}
                </td>
              ))}
            </tr>
          ))}
          {price.perRequest !== undefined && (
            <tr className="border-t border-line">
              <th scope="row" className="py-1.5 pr-4 font-normal text-muted">
                {say("rate.perRequest")}
              </th>
              <td className="py-1.5 pr-4 text-right" colSpan={1 + tiers.length}>
                <Rate value={price.perRequest} />
              </td>
            </tr>
          )}
        </tbody>
      </table>
    </div>
  );
}
