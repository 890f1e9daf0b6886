/**
 * Two models side by side: facts, prices, limits, health, and both tried with the
 * same prompt. Which two is in the URL.
 */
import { isFor } from "@plaza/contract/operations.ts";
import type { ReactNode } from "react";
import { useFreshStatuses } from "../../api/fresh-status.ts";
import { useAnswer } from "../../api/queries.ts";
import { formatCount, formatShare } from "../../format/count.ts";
import { operationWords } from "../../i18n/en/operations.ts";
import { plazaWords } from "../../i18n/en/pages/plaza.ts";
import { useLanguage, useWords } from "../../i18n/words.ts";
import { Copyable } from "../../ui/code.tsx";
import { Field } from "../../ui/field.tsx";
import { Duration, TokenCount, Unknown } from "../../ui/figures.tsx";
import { useFilters } from "../../ui/filter-bar.tsx";
import { Combobox } from "../../ui/multi-select.tsx";
import { PageLink } from "../../ui/navigation.tsx";
import { EmptyState, Loaded } from "../../ui/states.tsx";
import { Card, PageHeader } from "../../ui/surfaces.tsx";
import { modelPath } from "./card.tsx";
import type { PlazaModel } from "./filter.ts";
import {
  Capabilities,
  Deprecation,
  LimitNumber,
  Modalities,
  ModelStatus,
  Operations,
} from "./model-facts.tsx";
import { PriceTable } from "./model-price.tsx";
import { TryTab } from "./try-tab.tsx";
import { useLightPrint } from "./use-revealed.ts";

const defaults = { model: [] as string[] };

/** The page. */
export function ComparePage() {
  const say = useWords(plazaWords);
  const plaza = useAnswer("get /plaza", {});
  const { values, set } = useFilters(defaults);
  const [first = "", second = ""] = values.model;
  useLightPrint();
  const choose = (place: 0 | 1, id: string) => {
    const next = place === 0 ? [id, second] : [first, id];
    set({ model: next.filter((one) => one !== "") });
  };
  return (
    <>
      <PageHeader title={say("compareTitle")} back={{ to: "/models", label: say("backToList") }}>
        {say("compareLead")}
      </PageHeader>
      <Loaded query={plaza}>
        {({ models }) => (
          <div className="flex flex-col gap-6">
            <div className="grid gap-3 sm:grid-cols-2">
              <Choice
                models={models}
                value={first}
                except={second}
                label={say("compareFirst")}
                onChange={(id) => choose(0, id)}
              />
              <Choice
                models={models}
                value={second}
                except={first}
                label={say("compareSecond")}
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
  const say = useWords(plazaWords);
  const isMissing = value !== "" && !models.some(({ id }) => id === value);
  return (
    <Field label={label} error={isMissing ? say("compareMissing", { id: value }) : undefined}>
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
  const say = useWords(plazaWords);
  const fresh = useFreshStatuses(models);
  const pair = ids.map((id) => fresh.find((model) => model.id === id)).filter((model) => model !== undefined);
  if (pair.length < 2) return <EmptyState title={say("compareChoose")} />;
  return (
    <>
      <ComparisonTable pair={pair} />
      {pair.every((model) => isFor(model, "chat")) && (
        <section aria-label={say("try")} className="print:hidden">
          <h2 className="mb-3 text-[1.05rem] font-semibold">{say("try")}</h2>
          <TryTab key={ids.join(" ")} models={pair} />
        </section>
      )}
    </>
  );
}

function useRows(): readonly (readonly [label: string, cell: (model: PlazaModel) => ReactNode])[] {
  const say = useWords(plazaWords);
  const sayOperation = useWords(operationWords);
  const language = useLanguage();
  const none = <span className="text-faint">{say("notMeasured")}</span>;
  return [
    [say("id"), (model) => <Copyable text={model.id} label={say("copyId")} />],
    [say("status"), (model) => <ModelStatus model={model} />],
    [sayOperation("operations"), (model) => <Operations model={model} isWhole />],
    [say("family2"), (model) => model.family ?? <Unknown />],
    [say("context"), (model) => <TokenCount value={model.context} exact />],
    [say("maxOutputTokens"), (model) => <TokenCount value={model.maxOutput} exact />],
    [say("modalities"), (model) => <Modalities model={model} />],
    [say("capabilities"), (model) => <Capabilities model={model} />],
    [
      say("deprecation"),
      (model) =>
        model.deprecatedAt === null ? (
          <span className="text-faint">{say("noDeprecation")}</span>
        ) : (
          <Deprecation at={model.deprecatedAt} />
        ),
    ],
    [`${say("price")}, ${say("priceUnit")}`, (model) => <PriceTable price={model.price} />],
    [say("requestsPerMinute"), (model) => <LimitNumber value={model.myLimits.requestsPerMinute} />],
    [say("tokensPerMinute"), (model) => <LimitNumber value={model.myLimits.tokensPerMinute} />],
    [say("concurrency"), (model) => <LimitNumber value={model.myLimits.concurrency} />],
    [
      `${say("success")}, ${say("health")}`,
      ({ health }) =>
        health === null ? (
          <span className="text-faint">{say("noTraffic")}</span>
        ) : health.successRate === null ? (
          none
        ) : (
          `${formatShare(health.successRate, language)} ${say("successOf", { count: health.counted })}`
        ),
    ],
    [
      say("firstTokenP50"),
      ({ health }) => (health?.firstTokenMs == null ? none : <Duration ms={health.firstTokenMs.p50} />),
    ],
    [
      say("firstTokenP95"),
      ({ health }) => (health?.firstTokenMs == null ? none : <Duration ms={health.firstTokenMs.p95} />),
    ],
    [
      say("speed"),
      ({ health }) =>
        health?.outputTokensPerSecond == null
          ? none
          : say("perSecond", { count: formatCount(health.outputTokensPerSecond, language) }),
    ],
  ];
}

function ComparisonTable({ pair }: { readonly pair: readonly PlazaModel[] }) {
  const say = useWords(plazaWords);
  const rows = useRows();
  return (
    <Card flush>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a block that scrolls must be reached by the keyboard. */}
      <div tabIndex={0} className="relative overflow-x-auto">
        <table
          className="figures w-full min-w-[40rem] table-fixed text-left"
          aria-label={say("compareTitle")}
        >
          <thead>
            <tr>
              <th scope="col" className="w-44 px-5 py-3">
                <span className="sr-only">{say("facts")}</span>
              </th>
              {pair.map((model) => (
                <th key={model.id} scope="col" className="px-4 py-3 text-[1.05rem] font-semibold">
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
