/** Up to four models beside each other, a line for each fact, the best values marked in words. */
import { Trophy, X } from "lucide-react";
import type { ReactNode } from "react";
import { formatCount, formatShare } from "../../../format/count.ts";
import { operationMessages } from "../../../i18n/en/operations.ts";
import { plazaMessages } from "../../../i18n/en/pages/plaza.ts";
import { plazaListMessages } from "../../../i18n/en/pages/plaza-list.ts";
import { useLanguage } from "../../../i18n/language.ts";
import { useMessages } from "../../../i18n/messages.ts";
import { IconButton } from "../../../ui/button.tsx";
import { Copyable } from "../../../ui/code.tsx";
import { Duration, TokenCount, Unknown } from "../../../ui/figures.tsx";
import { PageLink } from "../../../ui/navigation.tsx";
import { Badge, Card } from "../../../ui/surfaces.tsx";
import { MakerLogo } from "../makers/maker-logo.tsx";
import { makerOf } from "../makers/makers.ts";
import {
  Capabilities,
  Deprecation,
  LimitNumber,
  Modalities,
  ModelStatus,
  Operations,
} from "../model-facts.tsx";
import { PriceTable, RateOf } from "../model-price.tsx";
import { modelPath, type PlazaModel } from "../models.ts";
import { bestIn, type CompareRow, differingRows, type RowName, rowsFor } from "./rows.ts";

export interface CompareTableProps {
  readonly models: readonly PlazaModel[];
  /** Leaves out lines in which all say the same. */
  readonly isShort: boolean;
  readonly onRemove: (id: string) => void;
}

/** See above. */
export function CompareTable({ models, isShort, onRemove }: CompareTableProps) {
  const t = useMessages(plazaMessages);
  const tList = useMessages(plazaListMessages);
  const all = rowsFor(models);
  const rows = isShort ? differingRows(models) : all;
  const label = useLabels();
  return (
    <Card flush>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a block that scrolls must be reached by the keyboard. */}
      <div tabIndex={0} className="relative overflow-x-auto">
        <table
          className="figures w-full table-fixed border-separate border-spacing-0 text-left"
          style={{ minWidth: `${10 + models.length * 13}rem` }}
          aria-label={t("compareTitle")}
        >
          <thead>
            <tr>
              <th scope="col" className={`${labelClass} w-32 py-3 sm:w-56`}>
                <span className="sr-only">{t("facts")}</span>
              </th>
              {models.map((model) => (
                <th key={model.id} scope="col" className="px-4 py-3 align-top">
                  <ModelHead model={model} onRemove={models.length > 1 ? onRemove : undefined} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <Line key={row.name} row={row} models={models} label={label(row.name)} />
            ))}
          </tbody>
        </table>
      </div>
      {isShort && (
        <p className="border-t border-line px-5 py-2.5 text-small text-muted">
          {tList("sameLeftOut", { count: all.length - rows.length })}
        </p>
      )}
    </Card>
  );
}

const labelClass = "sticky left-0 z-[1] bg-surface px-4 sm:px-5 print:static";

interface ModelHeadProps {
  readonly model: PlazaModel;
  readonly onRemove: ((id: string) => void) | undefined;
}

function ModelHead({ model, onRemove }: ModelHeadProps) {
  const t = useMessages(plazaListMessages);
  return (
    <span className="flex items-start gap-2.5">
      <MakerLogo name={makerOf(model)?.name ?? null} size="small" />
      <PageLink
        to={modelPath(model.id)}
        className="min-w-0 flex-1 text-lead leading-tight font-semibold hover:text-accent"
        dir="auto"
      >
        {model.name}
      </PageLink>
      {onRemove !== undefined && (
        <span className="-my-1 print:hidden">
          <IconButton
            size="small"
            label={t("removeCompared", { name: model.name })}
            onClick={() => onRemove(model.id)}
          >
            <X aria-hidden className="size-4" />
          </IconButton>
        </span>
      )}
    </span>
  );
}

interface LineProps {
  readonly row: CompareRow;
  readonly models: readonly PlazaModel[];
  readonly label: string;
}

function Line({ row, models, label }: LineProps) {
  const t = useMessages(plazaListMessages);
  const cell = useCell();
  const best = bestIn(row, models);
  return (
    <tr>
      <th
        scope="row"
        className={`${labelClass} border-t border-line py-2.5 align-top font-normal text-muted`}
      >
        {label}
      </th>
      {models.map((model) => (
        <td key={model.id} className="border-t border-line px-4 py-2.5 align-top">
          <span className="flex flex-wrap items-center gap-2">
            {cell(row.name, model)}
            {best.has(model.id) && (
              <Badge tone="good" icon={<Trophy aria-hidden className="size-3" />}>
                {t("best")}
              </Badge>
            )}
          </span>
        </td>
      ))}
    </tr>
  );
}

function useLabels(): (name: RowName) => string {
  const t = useMessages(plazaMessages);
  const tList = useMessages(plazaListMessages);
  const tOperation = useMessages(operationMessages);
  const labels: Readonly<Record<RowName, string>> = {
    id: t("id"),
    maker: tList("maker"),
    status: t("status"),
    operations: tOperation("operations"),
    context: t("context"),
    maxOutput: t("maxOutputTokens"),
    modalities: t("modalities"),
    capabilities: t("capabilities"),
    deprecation: t("deprecation"),
    input: tList("price"),
    cachedInput: tList("cachedPrice"),
    output: tList("outputPrice"),
    prices: `${t("price")}, ${t("priceUnit")}`,
    requestsPerMinute: t("requestsPerMinute"),
    tokensPerMinute: t("tokensPerMinute"),
    concurrency: t("concurrency"),
    success: t("success"),
    firstTokenP50: t("firstTokenP50"),
    firstTokenP95: tList("slowestColumn"),
    speed: t("speed"),
  };
  return (name) => labels[name];
}

function useCell(): (name: RowName, model: PlazaModel) => ReactNode {
  const t = useMessages(plazaMessages);
  const language = useLanguage();
  const none = <span className="text-faint">{t("notMeasured")}</span>;
  const ms = (value: number | undefined) => (value === undefined ? none : <Duration ms={value} />);
  const cells: Readonly<Record<RowName, (model: PlazaModel) => ReactNode>> = {
    id: ({ id }) => <Copyable text={id} label={t("copyId")} />,
    maker: (model) => makerOf(model)?.name ?? <Unknown />,
    status: (model) => <ModelStatus model={model} />,
    operations: (model) => <Operations model={model} isWhole />,
    context: ({ context }) => <TokenCount value={context} exact />,
    maxOutput: ({ maxOutput }) => <TokenCount value={maxOutput} exact />,
    modalities: (model) => <Modalities model={model} />,
    capabilities: (model) => <Capabilities model={model} />,
    deprecation: ({ deprecatedAt }) =>
      deprecatedAt === null ? (
        <span className="text-faint">{t("noDeprecation")}</span>
      ) : (
        <Deprecation at={deprecatedAt} />
      ),
    input: ({ price }) => <RateOf price={price} name="input" />,
    cachedInput: ({ price }) => <RateOf price={price} name="cachedInput" />,
    output: ({ price }) => <RateOf price={price} name="output" />,
    prices: ({ price }) => <PriceTable price={price} />,
    requestsPerMinute: ({ myLimits }) => <LimitNumber value={myLimits.requestsPerMinute} />,
    tokensPerMinute: ({ myLimits }) => <LimitNumber value={myLimits.tokensPerMinute} />,
    concurrency: ({ myLimits }) => <LimitNumber value={myLimits.concurrency} />,
    success: ({ health }) =>
      health === null ? (
        <span className="text-faint">{t("noTraffic")}</span>
      ) : health.successRate === null ? (
        none
      ) : (
        `${formatShare(health.successRate, language)} ${t("successOf", { count: health.counted })}`
      ),
    firstTokenP50: ({ health }) => ms(health?.firstTokenMs?.p50),
    firstTokenP95: ({ health }) => ms(health?.firstTokenMs?.p95),
    speed: ({ health }) =>
      health?.outputTokensPerSecond == null
        ? none
        : t("perSecond", { count: formatCount(health.outputTokensPerSecond, language) }),
  };
  return (name, model) => cells[name](model);
}
