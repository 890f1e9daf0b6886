/** The big figures at the top, each with the line of its last minutes. */
import type { LivePoint, LiveSnapshot } from "@plaza/contract/api/live.ts";
import type { ReactNode } from "react";
import { formatMoney } from "../../format/money.ts";
import { formatDuration } from "../../format/time.ts";
import { operatorLiveMessages } from "../../i18n/en/operator-live.ts";
import { useLanguage } from "../../i18n/language.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Sparkline } from "../../ui/charts/sparkline.tsx";
import { classNames } from "../../ui/class-names.ts";
import { Skeleton } from "../../ui/states.tsx";
import type { LiveState } from "./feed.ts";
import { useLive } from "./use-live.ts";
import { formatRate, outcomes, requestsOf } from "./write.ts";

interface FigureProps {
  readonly label: string;
  readonly note?: ReactNode;
  readonly heights: readonly (number | null)[];
  /** The figure as text. */
  readonly write: (snapshot: LiveSnapshot) => string;
}

function Figure({ label, note, heights, write }: FigureProps) {
  // Drawn again only when the text changes.
  const shown = useLive(({ snapshot }) => (snapshot === null ? null : write(snapshot)));
  return (
    <div className="row-span-4 grid min-w-0 grid-rows-subgrid gap-1 rounded-xl border border-line bg-surface px-4 py-3 shadow-card">
      <span className="text-small text-muted">{label}</span>
      <span
        title={shown ?? undefined}
        className={classNames(
          "figures truncate font-semibold tracking-tight",
          (shown?.length ?? 0) > 7 ? "self-end text-xl" : "text-3xl",
        )}
      >
        {shown ?? <Skeleton className="h-9 w-20" />}
      </span>
      <span className="min-h-[1.25em] text-small text-faint">{note}</span>
      <Sparkline heights={heights} />
    </div>
  );
}

const heightsOf = (points: readonly LivePoint[], of: (point: LivePoint) => number | null) =>
  points.slice(-60).map(of);

const failuresOf = (requests: LiveSnapshot["requests"]): number => requests.failed + requests.incomplete;

const selectPoints = ({ points }: LiveState) => points;
const selectRecent = ({ recent }: LiveState) => recent;

/** See above. */
export function Figures({ isWall }: { readonly isWall: boolean }) {
  const t = useMessages(operatorLiveMessages);
  const language = useLanguage();
  const points = useLive(selectPoints);
  const recent = useLive(selectRecent);
  const duration = (ms: number | null): string => (ms === null ? "–" : formatDuration(ms, language));
  const total = useLive(({ snapshot }) =>
    outcomes.reduce((sum, outcome) => sum + (snapshot?.requests[outcome] ?? 0), 0),
  );
  const tail = useLive(({ snapshot }) => {
    const { p95 = null, p99 = null } = snapshot?.firstToken ?? {};
    return `${t("p95")} ${duration(p95)} · ${t("p99")} ${duration(p99)}`;
  });
  return (
    <div className={classNames("grid grid-cols-2 gap-3 md:grid-cols-4", isWall && "xl:grid-cols-8")}>
      <Figure
        label={t("requestsPerSecond")}
        heights={heightsOf(points, requestsOf)}
        write={({ requestsPerSecond }) => formatRate(requestsPerSecond, language)}
      />
      <Figure
        label={t("streams")}
        heights={recent.map(({ streams }) => streams)}
        write={({ streams }) => formatRate(streams, language)}
        note={<InFlightNote />}
      />
      <Figure
        label={t("outputTokens")}
        heights={heightsOf(points, ({ outputTokens }) => outputTokens)}
        write={({ outputTokensPerSecond }) => formatRate(outputTokensPerSecond, language)}
      />
      <Figure
        label={t("inputTokens")}
        heights={heightsOf(points, ({ inputTokens }) => inputTokens)}
        write={({ inputTokensPerSecond }) => formatRate(inputTokensPerSecond, language)}
      />
      <Figure
        label={`${t("firstToken")}, ${t("p50")}`}
        heights={heightsOf(points, ({ firstToken }) => firstToken.p50)}
        write={({ firstToken }) => duration(firstToken.p50)}
        note={tail}
      />
      <Figure
        label={`${t("duration")}, ${t("p95")}`}
        heights={heightsOf(points, (point) => point.duration.p95)}
        write={(snapshot) => duration(snapshot.duration.p95)}
      />
      <Figure
        label={t("spend")}
        heights={heightsOf(points, ({ spend }) => spend)}
        write={({ spendPerMinute }) => formatMoney(spendPerMinute)}
      />
      <Figure
        label={t("failures")}
        heights={heightsOf(points, ({ requests }) => failuresOf(requests))}
        write={({ requests }) => formatRate(failuresOf(requests), language)}
        note={t("ofRequests", { count: total, rate: formatRate(total, language) })}
      />
    </div>
  );
}

function InFlightNote() {
  const t = useMessages(operatorLiveMessages);
  const inFlight = useLive(({ snapshot }) => snapshot?.inFlight ?? 0);
  return (
    <>
      {t("inFlight")}: {inFlight}
    </>
  );
}
