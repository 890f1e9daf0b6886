/** Cells of requests: time, model and key, result, tokens, charge. Know no page and no source of rows. */
import { useMemo } from "react";
import { formatCount } from "../../format/count.ts";
import { dateFormatter } from "../../format/formatters.ts";
import { formatExact } from "../../format/time.ts";
import { operationMessages } from "../../i18n/en/operations.ts";
import { requestsMessages } from "../../i18n/en/pages/requests.ts";
import { useLanguage } from "../../i18n/language.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Duration, Money, TokenCount, useTimeZone } from "../../ui/figures.tsx";
import { StatusBadge, type Tone } from "../../ui/surfaces.tsx";
import type { RequestLine, RequestState } from "./query.ts";

/** Day and time to the second, without the year while it is this one; the title is exact. */
export function RequestTime({ at }: { readonly at: string }) {
  const language = useLanguage();
  const timeZone = useTimeZone();
  const thisYear = new Date().getFullYear();
  const format = useMemo(
    () =>
      dateFormatter(language, {
        ...(at.startsWith(String(thisYear)) ? {} : { year: "numeric" }),
        month: "short",
        day: "numeric",
        hour: "2-digit",
        minute: "2-digit",
        second: "2-digit",
        hourCycle: "h23",
        timeZone,
      }),
    [language, timeZone, at, thisYear],
  );
  return (
    <time dateTime={at} title={formatExact(at, language, timeZone)} className="figures whitespace-nowrap">
      {format.format(new Date(at))}
    </time>
  );
}

const tones: Record<RequestState, Tone> = {
  complete: "good",
  incomplete: "warn",
  aborted: "neutral",
  failed: "bad",
};

/** How a request ended, in a word. */
export function RequestStateBadge({ state }: { readonly state: RequestState }) {
  const t = useMessages(requestsMessages);
  return (
    <StatusBadge tone={tones[state]} title={t(`means.${state}`)}>
      {t(`state.${state}`)}
    </StatusBadge>
  );
}

/** The model, and below it the key. */
export function RequestModel({ row }: { readonly row: RequestLine }) {
  const t = useMessages(requestsMessages);
  const tOperation = useMessages(operationMessages);
  return (
    <span className="block max-w-44 min-w-0 2xl:max-w-72">
      {row.model === null ? (
        <span className="text-faint">{t("noModel")}</span>
      ) : (
        <bdi className="block truncate" title={row.model}>
          {row.model}
        </bdi>
      )}
      <bdi className="block truncate text-small text-muted" title={row.keyName ?? row.keyId}>
        {row.operation !== "chat" && `${tOperation(`operation.${row.operation}`)} · `}
        {row.keyName ?? t("keyGone")}
      </bdi>
    </span>
  );
}

/** The result, and its error code. */
export function RequestResult({ row }: { readonly row: RequestLine }) {
  return (
    <span className="block">
      <RequestStateBadge state={row.state} />
      {row.errorCode !== null && (
        <span className="block font-mono text-tiny text-muted">
          {row.status} {row.errorCode}
        </span>
      )}
    </span>
  );
}

/** Prompt and output; all classes in the title. */
export function RequestTokens({ row }: { readonly row: RequestLine }) {
  const t = useMessages(requestsMessages);
  const language = useLanguage();
  if (row.usageSource === "none") return <span className="text-faint">–</span>;
  const count = (value: number) => formatCount(value, language);
  const title = t("tokensTitle", {
    input: count(row.inputTokens),
    cached: count(row.cachedInputTokens),
    written: count(row.cacheWriteTokens),
    output: count(row.outputTokens),
    reasoning: count(row.reasoningTokens),
  });
  return (
    <span title={title} className="figures whitespace-nowrap">
      {count(row.inputTokens + row.cachedInputTokens + row.cacheWriteTokens)}
      <span className="text-faint"> → </span>
      {count(row.outputTokens)}
    </span>
  );
}

/** The charge, marked when it is based on an estimate. */
export function RequestCharge({ row }: { readonly row: RequestLine }) {
  const t = useMessages(requestsMessages);
  return (
    <span className="block">
      <Money value={row.charge} />
      {row.usageSource === "estimated" && (
        <span className="block text-tiny text-muted">{t("estimated")}</span>
      )}
    </span>
  );
}

/** A time that not every request has. */
export function MaybeDuration({ ms }: { readonly ms: number | null }) {
  return ms === null ? <span className="text-faint">–</span> : <Duration ms={ms} />;
}

/** A count; zero is shown faint. */
export function MaybeCount({ value }: { readonly value: number }) {
  return value === 0 ? <span className="text-faint">0</span> : <TokenCount value={value} />;
}
