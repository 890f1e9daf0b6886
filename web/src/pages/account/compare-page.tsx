/**
 * Two models side by side: facts, prices, limits, health, and both tried with the
 * same prompt. Which two is in the URL.
 */
import { isFor } from "@plaza/contract/operations.ts";
import type { ReactNode } from "react";
import { useFreshStatuses } from "../../api/fresh-status.ts";
import { useApiQuery } from "../../api/queries.ts";
import { modelPath } from "../../features/plaza/card.tsx";
import type { PlazaModel } from "../../features/plaza/filter.ts";
import {
  Capabilities,
  Deprecation,
  LimitNumber,
  Modalities,
  ModelStatus,
  Operations,
} from "../../features/plaza/model-facts.tsx";
import { PriceTable } from "../../features/plaza/model-price.tsx";
import { TryTab } from "../../features/plaza/try-tab.tsx";
import { useLightPrint } from "../../features/plaza/use-revealed.ts";
import { formatCount, formatShare } from "../../format/count.ts";
import { operationMessages } from "../../i18n/en/operations.ts";
import { plazaMessages } from "../../i18n/en/pages/plaza.ts";
import { useLanguage } from "../../i18n/language.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Copyable } from "../../ui/code.tsx";
import { Duration, TokenCount, Unknown } from "../../ui/figures.tsx";
import { useFilters } from "../../ui/filter-bar.tsx";
import { Field } from "../../ui/inputs/field.tsx";
import { Combobox } from "../../ui/inputs/multi-select.tsx";
import { PageLink } from "../../ui/navigation.tsx";
import { EmptyState, Loaded } from "../../ui/states.tsx";
import { Card, PageHeader } from "../../ui/surfaces.tsx";

const defaults = { model: [] as string[] };

/** The page. */
export function ComparePage() {
  const t = useMessages(plazaMessages);
  const plaza = useApiQuery("get /plaza", {});
  const { values, set } = useFilters(defaults);
  const [first = "", second = ""] = values.model;
  useLightPrint();
  const choose = (place: 0 | 1, id: string) => {
    const next = place === 0 ? [id, second] : [first, id];
    set({ model: next.filter((one) => one !== "") });
  };
  return (
    <>
      <PageHeader title={t("compareTitle")} back={{ to: "/models", label: t("backToList") }}>
        {t("compareLead")}
      </PageHeader>
      <Loaded query={plaza}>
        {({ models }) => (
          <div className="flex flex-col gap-6">
            <div className="grid gap-3 sm:grid-cols-2">
              <Choice
                models={models}
                value={first}
                except={second}
                label={t("compareFirst")}
                onChange={(id) => choose(0, id)}
              />
              <Choice
                models={models}
                value={second}
                except={first}
                label={t("compareSecond")}
                onChange={(id) => choose(1, id)}
              />
            </div>
            <Pair models={models} ids={[first, second]} />
          </div>
        )}
      </Loaded>
    </>
  );
}

interface ChoiceProps {
  readonly models: readonly PlazaModel[];
  readonly value: string;
  readonly except: string;
  readonly label: string;
  readonly onChange: (id: string) => void;
}

function Choice({ models, value, except, label, onChange }: ChoiceProps) {
  const t = useMessages(plazaMessages);
  const isMissing = value !== "" && !models.some(({ id }) => id === value);
  return (
    <Field label={label} error={isMissing ? t("compareMissing", { id: value }) : undefined}>
      <Combobox
        value={value}
        onChange={onChange}
        choices={models
          .filter(({ id }) => id !== except)
          .map(({ id, name }) => ({ value: id, label: name, hint: <code>{id}</code> }))}
      />
    </Field>
  );
}

function Pair({ models, ids }: { readonly models: readonly PlazaModel[]; readonly ids: readonly string[] }) {
  const t = useMessages(plazaMessages);
  const fresh = useFreshStatuses(models);
  const pair = ids.map((id) => fresh.find((model) => model.id === id)).filter((model) => model !== undefined);
  if (pair.length < 2) return <EmptyState title={t("compareChoose")} />;
  return (
    <>
      <ComparisonTable pair={pair} />
      {pair.every((model) => isFor(model, "chat")) && (
        <section aria-label={t("try")} className="print:hidden">
          <h2 className="mb-3 text-lead font-semibold">{t("try")}</h2>
          <TryTab key={ids.join(" ")} models={pair} />
        </section>
      )}
    </>
  );
}

function useRows(): readonly (readonly [label: string, cell: (model: PlazaModel) => ReactNode])[] {
  const t = useMessages(plazaMessages);
  const tOperation = useMessages(operationMessages);
  const language = useLanguage();
  const none = <span className="text-faint">{t("notMeasured")}</span>;
  return [
    [t("id"), (model) => <Copyable text={model.id} label={t("copyId")} />],
    [t("status"), (model) => <ModelStatus model={model} />],
    [tOperation("operations"), (model) => <Operations model={model} isWhole />],
    [t("family2"), (model) => model.family ?? <Unknown />],
    [t("context"), (model) => <TokenCount value={model.context} exact />],
    [t("maxOutputTokens"), (model) => <TokenCount value={model.maxOutput} exact />],
    [t("modalities"), (model) => <Modalities model={model} />],
    [t("capabilities"), (model) => <Capabilities model={model} />],
    [
      t("deprecation"),
      (model) =>
        model.deprecatedAt === null ? (
          <span className="text-faint">{t("noDeprecation")}</span>
        ) : (
          <Deprecation at={model.deprecatedAt} />
        ),
    ],
    [`${t("price")}, ${t("priceUnit")}`, (model) => <PriceTable price={model.price} />],
    [t("requestsPerMinute"), (model) => <LimitNumber value={model.myLimits.requestsPerMinute} />],
    [t("tokensPerMinute"), (model) => <LimitNumber value={model.myLimits.tokensPerMinute} />],
    [t("concurrency"), (model) => <LimitNumber value={model.myLimits.concurrency} />],
    [
      `${t("success")}, ${t("health")}`,
      ({ health }) =>
        health === null ? (
          <span className="text-faint">{t("noTraffic")}</span>
        ) : health.successRate === null ? (
          none
        ) : (
          `${formatShare(health.successRate, language)} ${t("successOf", { count: health.counted })}`
        ),
    ],
    [
      t("firstTokenP50"),
      ({ health }) => (health?.firstTokenMs == null ? none : <Duration ms={health.firstTokenMs.p50} />),
    ],
    [
      t("firstTokenP95"),
      ({ health }) => (health?.firstTokenMs == null ? none : <Duration ms={health.firstTokenMs.p95} />),
    ],
    [
      t("speed"),
      ({ health }) =>
        health?.outputTokensPerSecond == null
          ? none
          : t("perSecond", { count: formatCount(health.outputTokensPerSecond, language) }),
    ],
  ];
}

function ComparisonTable({ pair }: { readonly pair: readonly PlazaModel[] }) {
  const t = useMessages(plazaMessages);
  const rows = useRows();
  return (
    <Card flush>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a block that scrolls must be reached by the keyboard. */}
      <div tabIndex={0} className="relative overflow-x-auto">
        <table className="figures w-full min-w-[40rem] table-fixed text-left" aria-label={t("compareTitle")}>
          <thead>
            <tr>
              <th scope="col" className="w-44 px-5 py-3">
                <span className="sr-only">{t("facts")}</span>
              </th>
              {pair.map((model) => (
                <th key={model.id} scope="col" className="px-4 py-3 text-lead font-semibold">
                  <PageLink to={modelPath(model.id)} className="hover:text-accent" dir="auto">
                    {model.name}
                  </PageLink>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(([label, cell]) => (
              <tr key={label} className="border-t border-line">
                <th scope="row" className="px-5 py-2.5 align-top font-normal text-muted">
                  {label}
                </th>
                {pair.map((model) => (
                  <td key={model.id} className="px-4 py-2.5 align-top">
                    {cell(model)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  );
}
