/** The columns of the table of models: head, width, content. */
import type { ReactNode } from "react";
import { plazaMessages } from "../../../i18n/en/pages/plaza.ts";
import { plazaListMessages } from "../../../i18n/en/pages/plaza-list.ts";
import { useMessages } from "../../../i18n/messages.ts";
import { CopyButton } from "../../../ui/code.tsx";
import { Duration, Percent, TokenCount, When } from "../../../ui/figures.tsx";
import { makerOf } from "../makers/makers.ts";
import { Capabilities, Modalities, ModelStatus, Operations } from "../model-facts.tsx";
import { RateOf } from "../model-price.tsx";
import type { PlazaModel } from "../models.ts";
import type { ColumnName } from "./chosen-columns.ts";

interface TableColumn {
  /** In rem: as wide as its content needs. The default columns fit beside the menu at 1280 pixels. */
  readonly widthRem: number;
  readonly isFigure?: true;
  readonly cell: (model: PlazaModel) => ReactNode;
}

const none = <span className="text-faint">–</span>;

const columns: Readonly<Record<ColumnName, TableColumn>> = {
  id: { widthRem: 16, cell: ({ id }) => <IdCell id={id} /> },
  maker: { widthRem: 8.5, cell: (model) => <MakerCell model={model} /> },
  operations: { widthRem: 10, cell: (model) => <Operations model={model} isWhole /> },
  status: { widthRem: 7.5, cell: (model) => <ModelStatus model={model} /> },
  input: { widthRem: 6, isFigure: true, cell: ({ price }) => <RateOf price={price} name="input" /> },
  cached: {
    widthRem: 8,
    isFigure: true,
    cell: ({ price }) => <RateOf price={price} name="cachedInput" />,
  },
  output: { widthRem: 6, isFigure: true, cell: ({ price }) => <RateOf price={price} name="output" /> },
  context: { widthRem: 5.5, isFigure: true, cell: ({ context }) => <TokenCount value={context} /> },
  maxoutput: { widthRem: 6, isFigure: true, cell: ({ maxOutput }) => <TokenCount value={maxOutput} /> },
  modalities: { widthRem: 8, cell: (model) => <Modalities model={model} isShort /> },
  can: { widthRem: 10, cell: (model) => <Capabilities model={model} /> },
  fast: { widthRem: 6.5, isFigure: true, cell: ({ health }) => msOr(health?.firstTokenMs?.p50) },
  slowest: { widthRem: 6.5, isFigure: true, cell: ({ health }) => msOr(health?.firstTokenMs?.p95) },
  speed: { widthRem: 7.5, isFigure: true, cell: ({ health }) => <SpeedCell health={health} /> },
  success: {
    widthRem: 6,
    isFigure: true,
    cell: ({ health }) => (health?.successRate == null ? none : <Percent value={health.successRate} />),
  },
  used: {
    widthRem: 7,
    isFigure: true,
    cell: ({ health }) => (health === null ? none : <TokenCount value={health.requests} />),
  },
  newest: { widthRem: 7.5, cell: ({ createdAt }) => dayOr(createdAt) },
  deprecated: { widthRem: 7.5, cell: ({ deprecatedAt }) => dayOr(deprecatedAt) },
};

/** A column by its name. */
export function columnOf(name: ColumnName): TableColumn {
  return columns[name];
}

function msOr(ms: number | undefined): ReactNode {
  return ms === undefined ? none : <Duration ms={ms} />;
}

function dayOr(at: string | null): ReactNode {
  return at === null ? none : <When at={at} as="day" />;
}

interface IdCellProps {
  readonly id: string;
  /** Below the name: on a phone there is room for the id alone. */
  readonly isBelow?: boolean;
}

/** An id as callers write it, with a button that copies it. */
export function IdCell({ id, isBelow = false }: IdCellProps) {
  const t = useMessages(plazaMessages);
  // Whole, in as many lines as it takes: long ids differ at their end.
  return (
    <span className="-my-1 flex min-w-0 items-center gap-1">
      <code className="min-w-0 text-[0.88em] break-all">{id}</code>
      <span className={isBelow ? "max-sm:hidden" : undefined}>
        <CopyButton text={id} label={t("copyId")} />
      </span>
    </span>
  );
}

function MakerCell({ model }: { readonly model: PlazaModel }) {
  const t = useMessages(plazaListMessages);
  const maker = makerOf(model);
  if (maker === null) return <span className="text-faint">{t("unknownMaker")}</span>;
  return <span dir="auto">{maker.name}</span>;
}

function SpeedCell({ health }: { readonly health: PlazaModel["health"] }) {
  const t = useMessages(plazaMessages);
  if (health?.outputTokensPerSecond == null) return none;
  return (
    <span className="whitespace-nowrap">
      {t("perSecond", { count: Math.round(health.outputTokensPerSecond) })}
    </span>
  );
}
