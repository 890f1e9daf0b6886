/** *History*: every price the model had, has and will have, and what changed each time. */
import { ArrowRight } from "lucide-react";
import type { Answer } from "../../api/routes.ts";
import { formatShortCount } from "../../format/count.ts";
import { formatMoney } from "../../format/money.ts";
import { plazaMessages } from "../../i18n/en/pages/plaza.ts";
import { plazaTabsMessages } from "../../i18n/en/pages/plaza-tabs.ts";
import { useMessages } from "../../i18n/messages.ts";
import { When } from "../../ui/figures.tsx";
import { Badge, Card } from "../../ui/surfaces.tsx";
import { PriceTable } from "./model-price.tsx";
import { priceChange, type ShownPrice } from "./price-rows.ts";

type HistoryPrice = Answer<"get /plaza/{model}">["history"][number];

const tones = { now: "good", past: "neutral", scheduled: "accent" } as const;

/** See above. `history` begins with the newest. */
export function HistoryTab({ history }: { readonly history: readonly HistoryPrice[] }) {
  const t = useMessages(plazaTabsMessages);
  if (history.length === 0) {
    return (
      <Card>
        <p className="text-muted">{t("historyEmpty")}</p>
      </Card>
    );
  }
  return (
    <ol className="flex flex-col gap-3">
      {history.map((one, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two prices may begin at the same time; only their place tells them apart.
        <li key={at}>
          <Card>
            <div className="grid gap-x-8 gap-y-3 md:grid-cols-[minmax(14rem,max-content)_minmax(0,1fr)]">
              <div className="flex flex-col items-start gap-1.5">
                <Badge tone={tones[one.when]}>{t(`when.${one.when}`)}</Badge>
                <span>
                  <span className="text-faint">{t("historyFrom")}</span>{" "}
                  <When at={one.validFrom} as="exact" />
                </span>
              </div>
              <div className="flex min-w-0 flex-col gap-3">
                {one.price === null ? <p>{t("historyNone")}</p> : <PriceTable price={one.price} />}
                <Changes price={one.price} former={history[at + 1]} />
              </div>
            </div>
          </Card>
        </li>
      ))}
    </ol>
  );
}

interface ChangesProps {
  readonly price: ShownPrice | null;
  readonly former: HistoryPrice | undefined;
}

function Changes({ price, former }: ChangesProps) {
  const t = useMessages(plazaTabsMessages);
  const tPlaza = useMessages(plazaMessages);
  if (former === undefined) return <p className="text-muted">{t("historyFirst")}</p>;
  if (price === null || former.price === null) return null;
  const { differences, hasOtherTiers } = priceChange(former.price, price);
  if (differences.length === 0 && !hasOtherTiers) return <p className="text-muted">{t("historySame")}</p>;
  const written = (amount: string | undefined) =>
    amount === undefined ? t("none") : formatMoney(amount, "exact");
  return (
    <ul className="figures flex flex-col gap-1" aria-label={t("historyChange")}>
      {differences.map(({ name, part, before, after }) => {
        const above = part === 0 ? undefined : price.tiers?.[part - 1]?.abovePromptTokens;
        return (
          <li key={`${name} ${part}`} className="flex flex-wrap items-center gap-x-2">
            <span className="text-muted">
              {tPlaza(`rate.${name}`)}
              {above !== undefined && `, ${t("inTier", { count: formatShortCount(above) })}`}
            </span>
            <s className="text-faint">{written(before)}</s>
            <ArrowRight aria-hidden className="size-3.5 text-faint" />
            <span className="font-medium">{written(after)}</span>
          </li>
        );
      })}
      {hasOtherTiers && <li className="text-muted">{t("historyOther")}</li>}
    </ul>
  );
}
