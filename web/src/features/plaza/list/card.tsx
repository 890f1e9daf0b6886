/**
 * One model of the plaza as a card. The whole card leads to the model's page by one link; its other controls
 * lie above that link.
 */
import { memo, type ReactNode } from "react";
import { plazaMessages } from "../../../i18n/en/pages/plaza.ts";
import { plazaListMessages } from "../../../i18n/en/pages/plaza-list.ts";
import { useLanguage } from "../../../i18n/language.ts";
import { useMessages } from "../../../i18n/messages.ts";
import { serverText } from "../../../i18n/server-text.ts";
import { Copyable } from "../../../ui/code.tsx";
import { Duration, Percent, TokenCount } from "../../../ui/figures.tsx";
import { Checkbox } from "../../../ui/inputs/choices.tsx";
import { lazyPart } from "../../../ui/lazy-part.tsx";
import { PageLink } from "../../../ui/navigation.tsx";
import { MakerLogo } from "../makers/maker-logo.tsx";
import { makerOf } from "../makers/makers.ts";
import {
  Capabilities,
  Deprecation,
  isForChatAlone,
  Modalities,
  ModelStatus,
  Operations,
} from "../model-facts.tsx";
import { NextPrice, PriceNotes, RateOf } from "../model-price.tsx";
import { modelPath, type PlazaModel } from "../models.ts";
import { LimitsLine } from "./limits-line.tsx";

const { Part: StatusStrip } = lazyPart(() =>
  import("../../status/status-strip.tsx").then((file) => file.StatusStrip),
);

export interface PlazaCardProps {
  readonly model: PlazaModel;
  readonly isCompared: boolean;
  /** No more can be marked. */
  readonly isFull: boolean;
  /** Its last day, as `get /status` has it; undefined: not known, or not yet. */
  readonly strip: string | undefined;
  readonly onCompare: (id: string, isCompared: boolean) => void;
}

/** Re-rendered only when its model or its mark changes. */
export const PlazaCard = memo(function PlazaCard({
  model,
  isCompared,
  isFull,
  strip,
  onCompare,
}: PlazaCardProps) {
  const t = useMessages(plazaMessages);
  const tList = useMessages(plazaListMessages);
  const language = useLanguage();
  return (
    <article className="relative flex min-w-0 flex-1 break-inside-avoid flex-col gap-3 rounded-xl border border-line bg-surface p-5 shadow-card max-sm:gap-2 max-sm:px-4 max-sm:py-3 hover:border-control has-[h2_a:focus-visible]:outline-2 has-[h2_a:focus-visible]:outline-offset-2 has-[h2_a:focus-visible]:outline-accent">
      <CardHead model={model} />
      <CardMarks model={model} />
      {model.description !== null && (
        <p dir="auto" className="line-clamp-2 text-body text-muted max-sm:hidden">
          {serverText(model.description, language, model.descriptionMessage)}
        </p>
      )}
      <dl className="grid grid-cols-2 gap-x-4 gap-y-2.5 max-sm:grid-cols-6 max-sm:gap-y-1.5">
        <Cell label={tList("price")}>
          <RateOf price={model.price} name="input" />
        </Cell>
        <Cell label={tList("outputPrice")}>
          <RateOf price={model.price} name="output" />
        </Cell>
        <Cell label={t("context")}>
          <TokenCount value={model.context} />
        </Cell>
        <Cell label={t("maxOutputTokens")} className="max-sm:hidden">
          <TokenCount value={model.maxOutput} />
        </Cell>
        <HealthCells health={model.health} strip={strip} />
      </dl>
      <PriceNotes price={model.price} />
      <div className="flex flex-col gap-1.5 text-body text-muted max-sm:hidden">
        <Modalities model={model} />
        <LimitsLine limits={model.myLimits} />
      </div>
      <footer className="mt-auto flex flex-wrap items-center justify-between gap-2 pt-1 text-small max-sm:pt-0">
        <Capabilities model={model} />
        <CompareBox model={model} isCompared={isCompared} isFull={isFull} onCompare={onCompare} />
      </footer>
    </article>
  );
});

function CardHead({ model }: { readonly model: PlazaModel }) {
  const t = useMessages(plazaMessages);
  const maker = makerOf(model)?.name ?? null;
  return (
    <header className="min-w-0">
      <div className="flex items-start gap-3">
        <MakerLogo name={maker} />
        <div className="min-w-0 flex-1">
          <h2 className="line-clamp-2 text-lead leading-tight font-semibold" title={model.name}>
            <PageLink
              to={modelPath(model.id)}
              dir="auto"
              className="outline-none after:absolute after:inset-0 after:rounded-xl after:content-['']"
            >
              {model.name}
            </PageLink>
          </h2>
          {maker !== null && (
            <p dir="auto" title={maker} className="truncate text-small text-faint max-sm:sr-only">
              {maker}
            </p>
          )}
        </div>
        <span className="shrink-0 text-small">
          <ModelStatus model={model} />
        </span>
      </div>
      <div className="relative mt-1.5 w-fit max-w-full text-muted max-sm:mt-0.5">
        <Copyable text={model.id} label={t("copyId")} />
      </div>
    </header>
  );
}

function CardMarks({ model }: { readonly model: PlazaModel }) {
  if (model.deprecatedAt === null && model.scheduledPrices.length === 0 && isForChatAlone(model)) return null;
  return (
    <div className="flex flex-wrap gap-2 text-body">
      <Operations model={model} />
      <Deprecation at={model.deprecatedAt} />
      <NextPrice periods={model.scheduledPrices} />
    </div>
  );
}

function CompareBox({ model, isCompared, isFull, onCompare }: Omit<PlazaCardProps, "strip">) {
  const t = useMessages(plazaMessages);
  const tList = useMessages(plazaListMessages);
  const isLocked = isFull && !isCompared;
  return (
    <span className="relative ml-auto print:hidden" title={isLocked ? tList("compareFull") : undefined}>
      <Checkbox
        label={
          <>
            {t("compare")}
            <span className="sr-only"> {model.name}</span>
          </>
        }
        value={isCompared}
        disabled={isLocked}
        onChange={(is) => onCompare(model.id, is)}
      />
    </span>
  );
}

interface CellProps {
  readonly label: string;
  readonly hint?: string;
  /** Its share of a phone's row of six columns, or that a phone leaves it out. */
  readonly className?: string;
  readonly children: ReactNode;
}

function Cell({ label, hint, className = "max-sm:col-span-2", children }: CellProps) {
  return (
    <div className={`min-w-0 ${className}`} title={hint}>
      <dt className="text-tiny text-faint">{label}</dt>
      <dd className="font-medium">{children}</dd>
    </div>
  );
}

/** A strip that cannot be loaded is left out: the figures above it say most. */
const nothing = () => null;

interface HealthCellsProps {
  readonly health: PlazaModel["health"];
  readonly strip: string | undefined;
}

function HealthCells({ health, strip }: HealthCellsProps) {
  const t = useMessages(plazaMessages);
  const unmeasured = <span className="font-normal text-faint">{t("notMeasured")}</span>;
  if (health === null) {
    return (
      <div className="col-span-2 max-sm:col-span-6">
        <dt className="text-tiny text-faint">{t("health")}</dt>
        <dd className="text-muted">{t("noTraffic")}</dd>
      </div>
    );
  }
  return (
    <>
      <Cell label={t("firstTokenInADay")} hint={t("firstTokenP50")} className="max-sm:col-span-3">
        {health.firstTokenMs === null ? unmeasured : <Duration ms={health.firstTokenMs.p50} />}
      </Cell>
      <Cell
        label={t("successInADay")}
        hint={`${t("successHint")} ${t("successOf", { count: health.counted })}`}
        className="max-sm:col-span-3"
      >
        {health.successRate === null ? unmeasured : <Percent value={health.successRate} />}
      </Cell>
      <div className="col-span-2 min-w-0 max-sm:hidden">
        <dt className="mb-1 text-tiny text-faint">{t("lastDay")}</dt>
        {/* As high as the strip that comes later. */}
        <dd className="h-4">
          {strip !== undefined && <StatusStrip strip={strip} className="h-4" waiting={nothing} />}
        </dd>
      </div>
    </>
  );
}
