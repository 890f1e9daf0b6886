/** What a call used and cost, as the endpoint has it on record; what is not known says so. */
import type { ReactNode } from "react";
import { formatShortCount } from "../../format/count.ts";
import { playgroundMessages } from "../../i18n/en/pages/playground.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Link } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/code.tsx";
import { Duration, Money, TokenCount, Unknown } from "../../ui/figures.tsx";
import { promptTokensOf } from "./chat/conversation.ts";
import { type ChatRun, isRunning } from "./chat/run-chat.ts";

function Figure(props: {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly children: ReactNode;
}) {
  return (
    <div className="flex min-w-0 items-baseline gap-1.5" title={props.hint}>
      <dt className="text-faint">{props.label}</dt>
      <dd className="min-w-0 text-ink">{props.children}</dd>
    </div>
  );
}

/** A line of figures below an answer. */
export function RunFigures({ run }: { readonly run: ChatRun }) {
  const t = useMessages(playgroundMessages);
  if (run.requestId === null && run.firstTokenMs === null) return null;
  const record = run.record === "asking" ? null : run.record;
  const isOpen = isRunning(run) || run.record === "asking";
  const orOpen = (shown: ReactNode) =>
    record !== null ? shown : isOpen ? <span className="text-faint">…</span> : <Unknown />;
  const usage = record?.usage ?? null;
  const note = usage?.source === "estimated" ? ` (${t("estimated")})` : "";
  const cached =
    usage === null || usage.cached_input === 0 ? undefined : t("cachedPart", { count: usage.cached_input });
  const reasoning =
    usage === null || usage.reasoning === 0 ? undefined : t("reasoningPart", { count: usage.reasoning });
  return (
    <dl className="flex flex-wrap gap-x-4 gap-y-0.5 text-small">
      <Figure label={t("promptTokens")} hint={cached}>
        {orOpen(<TokenCount value={promptTokensOf(usage)} />)}
      </Figure>
      <Figure label={t("outputTokens")} hint={reasoning}>
        {orOpen(
          <>
            <TokenCount value={usage?.output ?? 0} />
            {usage !== null && usage.reasoning > 0 && (
              <span className="text-faint">
                {" "}
                ({t("reasoningPart", { count: formatShortCount(usage.reasoning) })})
              </span>
            )}
            {note}
          </>,
        )}
      </Figure>
      <Figure label={t("charge")}>{orOpen(<Money value={record?.charge ?? null} />)}</Figure>
      {run.firstTokenMs !== null && (
        <Figure label={t("firstToken")} hint={t("firstTokenHint")}>
          <Duration ms={run.firstTokenMs} />
        </Figure>
      )}
      {run.durationMs !== null && (
        <Figure label={t("duration")}>
          <Duration ms={run.durationMs} />
        </Figure>
      )}
      {run.requestId !== null && (
        <Figure label={t("requestId")}>
          <span className="inline-flex items-center gap-0.5">
            {record === null ? (
              <code className="text-[0.93em]">{run.requestId}</code>
            ) : (
              <Link to={`/requests/${encodeURIComponent(run.requestId)}`}>
                <code className="text-[0.93em]">{run.requestId}</code>
              </Link>
            )}
            <span className="-my-2">
              <CopyButton text={run.requestId} />
            </span>
          </span>
        </Figure>
      )}
    </dl>
  );
}
