/** One model of the plaza as a card. */
import { memo, type ReactNode } from "react";
import { plazaMessages } from "../../i18n/en/pages/plaza.ts";
import { useLanguage } from "../../i18n/language.ts";
import { useMessages } from "../../i18n/messages.ts";
import { serverText } from "../../i18n/server-text.ts";
import { useSession } from "../../shell/session.ts";
import { Copyable } from "../../ui/code.tsx";
import { Duration, Percent, TokenCount } from "../../ui/figures.tsx";
import { Checkbox } from "../../ui/inputs/choices.tsx";
import { PageLink } from "../../ui/navigation.tsx";
import type { PlazaModel } from "./filter.ts";
import {
  Capabilities,
  Deprecation,
  isForChatAlone,
  Modalities,
  ModelStatus,
  Operations,
} from "./model-facts.tsx";
import { NextPrice, PriceNotes, RateOf } from "./model-price.tsx";

export interface PlazaCardProps {
  readonly model: PlazaModel;
  readonly isCompared: boolean;
  readonly onCompare: (id: string, isCompared: boolean) => void;
}

/** The page of a model. */
export function modelPath(id: string): string {
  return `/models/${encodeURIComponent(id)}`;
}

/** Re-rendered only when its model or its mark changes. */
export const PlazaCard = memo(function PlazaCard({ model, isCompared, onCompare }: PlazaCardProps) {
  const t = useMessages(plazaMessages);
  const language = useLanguage();
  return (
    <article className="flex min-w-0 break-inside-avoid flex-col gap-3 rounded-xl border border-line bg-surface p-5 shadow-card">
      <header className="min-w-0">
        <div className="flex items-start justify-between gap-3">
          <h2 className="line-clamp-3 min-w-0 text-lead font-semibold" title={model.name}>
            <PageLink to={modelPath(model.id)} className="hover:text-accent" dir="auto">
              {model.name}
            </PageLink>
          </h2>
          {model.family !== null && (
            <span
              dir="auto"
              title={model.family}
              className="max-w-[40%] shrink-0 truncate text-small text-faint"
            >
              {model.family}
            </span>
          )}
        </div>
        <div className="text-muted">
          <Copyable text={model.id} label={t("copyId")} />
        </div>
      </header>
      {(model.status !== "available" ||
        model.deprecatedAt !== null ||
        model.scheduledPrices.length > 0 ||
        !isForChatAlone(model)) && (
        <div className="flex flex-wrap gap-2 text-body">
          <Operations model={model} />
          {model.status !== "available" && <ModelStatus model={model} />}
          <Deprecation at={model.deprecatedAt} />
          <NextPrice periods={model.scheduledPrices} />
        </div>
      )}
      {model.description !== null && (
        <p dir="auto" className="line-clamp-2 text-body text-muted">
          {serverText(model.description, language, model.descriptionMessage)}
        </p>
      )}
      <dl className="grid grid-cols-2 gap-x-4 gap-y-2.5">
        <Cell label={t("rate.input")}>
          <RateOf price={model.price} name="input" />
        </Cell>
        <Cell label={t("rate.output")}>
          <RateOf price={model.price} name="output" />
        </Cell>
        <Cell label={t("context")}>
          <TokenCount value={model.context} />
        </Cell>
        <Cell label={t("maxOutputTokens")}>
          <TokenCount value={model.maxOutput} />
        </Cell>
        <HealthCells health={model.health} />
      </dl>
      <PriceNotes price={model.price} />
      <div className="flex flex-col gap-1.5 text-body text-muted">
        <Modalities model={model} />
        <LimitsLine limits={model.myLimits} />
      </div>
      <footer className="mt-auto flex flex-wrap items-center justify-between gap-2 pt-1 text-small">
        <Capabilities model={model} />
        <span className="ml-auto print:hidden">
          <Checkbox
            label={
              <>
                {t("compare")}
                <span className="sr-only"> {model.name}</span>
              </>
            }
            value={isCompared}
            onChange={(is) => onCompare(model.id, is)}
          />
        </span>
      </footer>
    </article>
  );
});

function Cell(props: { readonly label: string; readonly hint?: string; readonly children: ReactNode }) {
  return (
    <div className="min-w-0" title={props.hint}>
      <dt className="text-tiny text-faint">{props.label}</dt>
      <dd className="font-medium">{props.children}</dd>
    </div>
  );
}

function HealthCells({ health }: { readonly health: PlazaModel["health"] }) {
  const t = useMessages(plazaMessages);
  const unmeasured = <span className="font-normal text-faint">{t("notMeasured")}</span>;
  if (health === null) {
    return (
      <div className="col-span-2">
        <dt className="text-tiny text-faint">{t("health")}</dt>
        <dd className="text-muted">{t("noTraffic")}</dd>
      </div>
    );
  }
  return (
    <>
      <Cell
        label={t("successInADay")}
        hint={`${t("successHint")} ${t("successOf", { count: health.counted })}`}
      >
        {health.successRate === null ? unmeasured : <Percent value={health.successRate} />}
      </Cell>
      <Cell label={t("firstTokenInADay")} hint={t("firstTokenP50")}>
        {health.firstTokenMs === null ? unmeasured : <Duration ms={health.firstTokenMs.p50} />}
      </Cell>
    </>
  );
}

/** The limits that apply, in one line; empty without any. */
function LimitsLine({ limits }: { readonly limits: PlazaModel["myLimits"] }) {
  const t = useMessages(plazaMessages);
  const { account } = useSession();
  const kinds = [
    [limits.requestsPerMinute, "RPM", t("requestsPerMinute")],
    [limits.tokensPerMinute, "TPM", t("tokensPerMinute")],
    [limits.concurrency, "×", t("concurrency")],
  ] as const;
  const set = kinds.filter(([limit]) => limit !== null);
  if (set.length === 0) return null;
  return (
    <span className="flex flex-wrap gap-x-3">
      <span className="text-faint">{t(account === null ? "modelLimits" : "myLimits")}</span>
      {set.map(([limit, unit, name]) => (
        <span key={unit} title={name}>
          {unit === "×" && "× "}
          <TokenCount value={limit} /> {unit !== "×" && unit}
          <span className="sr-only"> ({name})</span>
        </span>
      ))}
    </span>
  );
}
