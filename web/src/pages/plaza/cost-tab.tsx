/**
 * *Cost*: what calls would cost, from a pasted prompt by an estimate that is called one, from expected
 * output, or from last week's own use.
 */
import { useState } from "react";
import type { Answer } from "../../api/routes.ts";
import { formatShortCount } from "../../format/count.ts";
import { formatDay } from "../../format/time.ts";
import { plazaWords } from "../../i18n/en/pages/plaza.ts";
import { plazaTabsWords } from "../../i18n/en/pages/plaza-tabs.ts";
import { useLanguage, useWords } from "../../i18n/words.ts";
import { useSession } from "../../shell/session.ts";
import { Field } from "../../ui/field.tsx";
import { Money, TokenCount, useTimeZone } from "../../ui/figures.tsx";
import { NumberInput, TextArea } from "../../ui/inputs.tsx";
import { Card, Facts } from "../../ui/surfaces.tsx";
import { type AskedTokens, costOf, estimateTokens, monthlyOf } from "./cost.ts";
import type { ShownPrice } from "./price-rows.ts";

type ModelDetail = Answer<"get /plaza/{model}">;

/** See above. */
export function CostTab({ model }: { readonly model: ModelDetail }) {
  const say = useWords(plazaTabsWords);
  return (
    <div className="grid items-start gap-4 2xl:grid-cols-2">
      <Card title={say("costPrompt")}>
        {model.price === null ? (
          <p className="text-muted">{say("costNoPrice")}</p>
        ) : (
          <Calculator price={model.price} />
        )}
      </Card>
      <Card title={say("lastWeek")}>
        <LastWeek lastWeek={model.lastWeek} />
      </Card>
    </div>
  );
}

function Calculator({ price }: { readonly price: ShownPrice }) {
  const say = useWords(plazaTabsWords);
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
      <Field label={say("costText")} hint={say("costTextHint")} optional>
        <TextArea value={text} onChange={paste} rows={4} />
      </Field>
      <div className="grid grid-cols-1 items-end gap-3 sm:grid-cols-2">
        <Field label={say("costTokens")}>
          <NumberInput value={typed} onChange={setTyped} min={0} />
        </Field>
        <Field label={say("costOutput")}>
          <NumberInput value={output} onChange={setOutput} min={0} />
        </Field>
        <Field label={say("costCached")}>
          <NumberInput value={cached} onChange={setCached} min={0} />
        </Field>
        <Field label={say("costRequests")}>
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
  const say = useWords(plazaTabsWords);
  const sayPlaza = useWords(plazaWords);
  const cost = costOf(price, tokens, requests);
  const rows = [
    [sayPlaza("rate.input"), cost.input],
    ...(tokens.cached > 0 ? [[sayPlaza("rate.cachedInput"), cost.cached] as const] : []),
    [sayPlaza("rate.output"), cost.output],
    ...(price.perRequest === undefined ? [] : [[sayPlaza("rate.perRequest"), cost.perRequest] as const]),
  ] as const;
  return (
    <div aria-live="polite">
      <table className="figures w-full text-left" aria-label={say("costEstimate")}>
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
              {say("costEstimate")}
            </th>
            <td className="py-2 text-right text-[1.05rem] font-semibold">
              <Money value={cost.total} />
            </td>
          </tr>
        </tbody>
      </table>
      {cost.tier !== null && (
        <p className="text-[0.87rem] text-muted">{say("costTier", { count: formatShortCount(cost.tier) })}</p>
      )}
    </div>
  );
}

function LastWeek({ lastWeek }: { readonly lastWeek: ModelDetail["lastWeek"] }) {
  const say = useWords(plazaTabsWords);
  const sayPlaza = useWords(plazaWords);
  const language = useLanguage();
  const zone = useTimeZone();
  const { account } = useSession();
  if (lastWeek === null) {
    return <p className="text-muted">{say(account === null ? "lastWeekSignIn" : "lastWeekNone")}</p>;
  }
  const count = (value: number) => <TokenCount value={value} exact />;
  const hinted = (amount: string | null, hint: string) =>
    amount === null ? (
      <span className="text-faint">{sayPlaza("notPriced")}</span>
    ) : (
      <>
        <Money value={amount} />
        <span className="block text-[0.87rem] text-faint">{hint}</span>
      </>
    );
  return (
    <div className="flex flex-col gap-3">
      <p className="text-[0.93rem] text-muted">
        {say("lastWeekPeriod", {
          from: formatDay(lastWeek.from, language, zone),
          to: formatDay(lastWeek.to, language, zone),
        })}
      </p>
      <Facts
        rows={[
          [sayPlaza("requests"), count(lastWeek.requests)],
          [sayPlaza("rate.input"), count(lastWeek.inputTokens)],
          [sayPlaza("rate.cachedInput"), count(lastWeek.cachedInputTokens)],
          [sayPlaza("rate.cacheWrite"), count(lastWeek.cacheWriteTokens)],
          [sayPlaza("rate.output"), count(lastWeek.outputTokens)],
          [sayPlaza("rate.reasoning"), count(lastWeek.reasoningTokens)],
          [
            say("lastWeekCharged"),
            <strong key="charge" className="font-semibold">
              <Money value={lastWeek.charge} />
            </strong>,
          ],
          [say("lastWeekNow"), hinted(lastWeek.chargeNow, say("lastWeekNowHint"))],
          [
            say("lastWeekMonth"),
            hinted(
              lastWeek.chargeNow === null ? null : monthlyOf(lastWeek.chargeNow),
              say("lastWeekMonthHint"),
            ),
          ],
        ]}
      />
    </div>
  );
}
