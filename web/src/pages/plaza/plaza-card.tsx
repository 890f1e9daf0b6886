/** One model of the plaza as a card. */
import { memo } from "react";
import { Checkbox } from "../../ui/choices.tsx";
import { Copyable } from "../../ui/code.tsx";
import { TokenCount } from "../../ui/figures.tsx";
import { PageLink } from "../../ui/navigation.tsx";
import { plazaWords } from "../../words/pages/plaza.ts";
import { useWords } from "../../words/words.ts";
import {
  Capabilities,
  Deprecation,
  LimitNumber,
  Modalities,
  ModelStatus,
  ShortHealth,
} from "./model-facts.tsx";
import { NextPrice, ShortPrice } from "./model-price.tsx";
import type { PlazaModel } from "./plaza-filter.ts";

export interface PlazaCardProps {
  readonly model: PlazaModel;
  readonly isCompared: boolean;
  readonly onCompare: (id: string, isCompared: boolean) => void;
}

/** The page of a model. */
export function modelPath(id: string): string {
  return `/models/${encodeURIComponent(id)}`;
}

/** Drawn anew only when its model or its mark changes. */
export const PlazaCard = memo(function PlazaCard({ model, isCompared, onCompare }: PlazaCardProps) {
  const say = useWords(plazaWords);
  const { requestsPerMinute, tokensPerMinute } = model.myLimits;
  return (
    <article className="flex min-w-0 break-inside-avoid flex-col gap-3 rounded-xl border border-line bg-surface p-5 shadow-card">
      <header className="min-w-0">
        <div className="flex items-start justify-between gap-3">
          <h2 className="min-w-0 text-[1.05rem] font-semibold">
            <PageLink to={modelPath(model.id)} className="hover:text-accent" dir="auto">
              {model.name}
            </PageLink>
          </h2>
          {model.family !== null && (
            <span className="shrink-0 text-[0.87rem] text-faint">{model.family}</span>
          )}
        </div>
        <div className="text-muted">
          <Copyable text={model.id} label={say("copyId")} />
        </div>
      </header>
      {(model.status !== "available" || model.deprecatedAt !== null || model.scheduledPrices.length > 0) && (
        <div className="flex flex-wrap gap-2 text-[0.93rem]">
          {model.status !== "available" && <ModelStatus model={model} />}
          <Deprecation at={model.deprecatedAt} />
          <NextPrice periods={model.scheduledPrices} />
        </div>
      )}
      {model.description !== null && (
        <p dir="auto" className="line-clamp-2 text-[0.93rem] text-muted">
          {model.description}
        </p>
      )}
      <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-4 gap-y-1 text-[0.93rem]">
        <dt className="text-faint">{say("price")}</dt>
        <dd>
          <ShortPrice price={model.price} />
        </dd>
        <dt className="text-faint">{say("context")}</dt>
        <dd>
          <TokenCount value={model.context} />
          <span className="text-faint"> · </span>
          <span className="text-faint">{say("maxOutputTokens")}</span> <TokenCount value={model.maxOutput} />
        </dd>
        <dt className="text-faint">{say("modalities")}</dt>
        <dd>
          <Modalities model={model} />
        </dd>
        <dt className="text-faint">{say("health")}</dt>
        <dd>
          <ShortHealth model={model} />
        </dd>
        {(requestsPerMinute !== null || tokensPerMinute !== null) && (
          <>
            <dt className="text-faint">{say("myLimits")}</dt>
            <dd className="flex flex-wrap gap-x-3">
              <span title={say("requestsPerMinute")}>
                <LimitNumber value={requestsPerMinute} /> RPM
              </span>
              <span title={say("tokensPerMinute")}>
                <LimitNumber value={tokensPerMinute} /> TPM
              </span>
            </dd>
          </>
        )}
      </dl>
      <footer className="mt-auto flex flex-wrap items-center justify-between gap-2 pt-1 text-[0.87rem]">
        <Capabilities model={model} />
        <span className="print:hidden">
          <Checkbox
            label={
              <>
                {say("compare")}
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
