/**
 * *Cost*: what calls would cost, from a pasted prompt by an estimate that is called one, from expected
 * output, or from last week's own use.
 */
import { useState } from "react";
import type { Answer } from "../../api/routes.ts";
import { formatShortCount } from "../../format/count.ts";
import { formatDay } from "../../format/time.ts";
import { plazaMessages } from "../../i18n/en/pages/plaza.ts";
import { plazaTabsMessages } from "../../i18n/en/pages/plaza-tabs.ts";
import { useLanguage } from "../../i18n/language.ts";
import { useMessages } from "../../i18n/messages.ts";
import { useSession } from "../../shell/session.ts";
import { Money, TokenCount, useTimeZone } from "../../ui/figures.tsx";
import { Field } from "../../ui/inputs/field.tsx";
import { NumberInput, TextArea } from "../../ui/inputs/inputs.tsx";
import { Card, Facts } from "../../ui/surfaces.tsx";
import { type AskedTokens, costOf, estimateTokens, monthlyOf } from "./cost.ts";
import type { ShownPrice } from "./price-rows.ts";

type ModelDetail = Answer<"get /plaza/{model}">;

/** See above. */
export function CostTab({ model }: { readonly model: ModelDetail }) {
  const t = useMessages(plazaTabsMessages);
  return (
    <div className="grid items-start gap-4 2xl:grid-cols-2">
      <Card title={t("costPrompt")}>
        {model.price === null ? (
          <p className="text-muted">{t("costNoPrice")}</p>
        ) : (
          <Calculator price={model.price} />
        )}
      </Card>
      <Card title={t("lastWeek")}>
        <LastWeek lastWeek={model.lastWeek} />
      </Card>
    </div>
  );
}

function Calculator({ price }: { readonly price: ShownPrice }) {
  const t = useMessages(plazaTabsMessages);
  const [text, setText] = useState("");
  const [typed, setTyped] = useState<number | null>(1_000);
  const [output, setOutput] = useState<number | null>(500);
  const [cached, setCached] = useState<number | null>(null);
  const [requests, setRequests] = useState<number | null>(1);
  const tokens: AskedTokens = { prompt: typed ?? 0, cached: cached ?? 0, output: output ?? 0 };
  const paste = (next: string) => {
    setText(next);
    setTyped(estimateTokens(next));
  };
  return (
    <div className="flex flex-col gap-4">
      <Field label={t("costText")} hint={t("costTextHint")} optional>
        <TextArea value={text} onChange={paste} rows={4} />
      </Field>
      <div className="grid grid-cols-2 items-end gap-3">
        <Field label={t("costTokens")}>
          <NumberInput value={typed} onChange={setTyped} min={0} />
        </Field>
        <Field label={t("costOutput")}>
          <NumberInput value={output} onChange={setOutput} min={0} />
        </Field>
        <Field label={t("costCached")}>
          <NumberInput value={cached} onChange={setCached} min={0} />
        </Field>
        <Field label={t("costRequests")}>
          <NumberInput value={requests} onChange={setRequests} min={1} />
        </Field>
      </div>
      <CostTable price={price} tokens={tokens} requests={requests ?? 1} />
    </div>
  );
}

interface CostTableProps {
  readonly price: ShownPrice;
  readonly tokens: AskedTokens;
  readonly requests: number;
}

function CostTable({ price, tokens, requests }: CostTableProps) {
  const t = useMessages(plazaTabsMessages);
  const tPlaza = useMessages(plazaMessages);
  const cost = costOf(price, tokens, requests);
  const rows = [
    [tPlaza("rate.input"), cost.input],
    ...(tokens.cached > 0 ? [[tPlaza("rate.cachedInput"), cost.cached] as const] : []),
    [tPlaza("rate.output"), cost.output],
    ...(price.perRequest === undefined ? [] : [[tPlaza("rate.perRequest"), cost.perRequest] as const]),
  ] as const;
  return (
    <div aria-live="polite">
      <table className="figures w-full text-left" aria-label={t("costEstimate")}>
        <tbody>
          {rows.map(([label, amount]) => (
            <tr key={label} className="border-b border-line">
              <th scope="row" className="py-1.5 font-normal text-muted">
                {label}
              </th>
              <td className="py-1.5 text-right">
                <Money value={amount} />
              </td>
            </tr>
          ))}
          <tr>
            <th scope="row" className="py-2 font-semibold">
              {t("costEstimate")}
            </th>
            <td className="py-2 text-right text-lead font-semibold">
              <Money value={cost.total} />
            </td>
          </tr>
        </tbody>
      </table>
      {cost.tier !== null && (
        <p className="text-small text-muted">{t("costTier", { count: formatShortCount(cost.tier) })}</p>
      )}
    </div>
  );
}

function LastWeek({ lastWeek }: { readonly lastWeek: ModelDetail["lastWeek"] }) {
  const t = useMessages(plazaTabsMessages);
  const tPlaza = useMessages(plazaMessages);
  const language = useLanguage();
  const zone = useTimeZone();
  const { account } = useSession();
  if (lastWeek === null) {
    return <p className="text-muted">{t(account === null ? "lastWeekSignIn" : "lastWeekNone")}</p>;
  }
  const count = (value: number) => <TokenCount value={value} exact />;
  const hinted = (amount: string | null, hint: string) =>
    amount === null ? (
      <span className="text-faint">{tPlaza("notPriced")}</span>
    ) : (
      <>
        <Money value={amount} />
        <span className="block text-small text-faint">{hint}</span>
      </>
    );
  return (
    <div className="flex flex-col gap-3">
      <p className="text-body text-muted">
        {t("lastWeekPeriod", {
          from: formatDay(lastWeek.from, language, zone),
          to: formatDay(lastWeek.to, language, zone),
        })}
      </p>
      <Facts
        rows={[
          [tPlaza("requests"), count(lastWeek.requests)],
          [tPlaza("rate.input"), count(lastWeek.inputTokens)],
          [tPlaza("rate.cachedInput"), count(lastWeek.cachedInputTokens)],
          [tPlaza("rate.cacheWrite"), count(lastWeek.cacheWriteTokens)],
          [tPlaza("rate.output"), count(lastWeek.outputTokens)],
          [tPlaza("rate.reasoning"), count(lastWeek.reasoningTokens)],
          [
            t("lastWeekCharged"),
            <strong key="charge" className="font-semibold">
              <Money value={lastWeek.charge} />
            </strong>,
          ],
          [t("lastWeekNow"), hinted(lastWeek.chargeNow, t("lastWeekNowHint"))],
          [
            t("lastWeekMonth"),
            hinted(
              lastWeek.chargeNow === null ? null : monthlyOf(lastWeek.chargeNow),
              t("lastWeekMonthHint"),
            ),
          ],
        ]}
      />
    </div>
  );
}
