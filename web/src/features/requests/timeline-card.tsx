/** The time of a request as a drawing to scale, and as a table for screen readers. Knows no page. */
import { useMemo } from "react";
import { formatDuration } from "../../format/time.ts";
import { requestsMessages } from "../../i18n/en/pages/requests.ts";
import { useLanguage } from "../../i18n/language.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Card } from "../../ui/surfaces.tsx";
import { useOutcomeWord } from "./attempts-card.tsx";
import {
  hasStarts,
  type Segment,
  type SegmentKind,
  type TimedRequest,
  type TimelineRow,
  ticksOf,
  timelineOf,
} from "./timeline.ts";

const colours: Readonly<Record<SegmentKind, string>> = {
  queue: "bg-control",
  plaza: "bg-control",
  waiting: "bg-[var(--series-1)]",
  whole: "bg-[var(--series-1)]",
  generating: "bg-[var(--series-3)]",
  failed: "bg-[var(--series-2)]",
};

/** Narrowest bar that is seen, in percent. */
const widthMin = 0.4;

interface Scale {
  readonly totalMs: number;
  readonly write: (ms: number) => string;
}

const place = (ms: number, { totalMs }: Scale): number => (totalMs === 0 ? 0 : (100 * ms) / totalMs);

/** See above. */
export function TimelineCard({ request }: { readonly request: TimedRequest }) {
  const t = useMessages(requestsMessages);
  const language = useLanguage();
  const rows = useMemo(() => timelineOf(request), [request]);
  const scale: Scale = { totalMs: request.durationMs, write: (ms) => formatDuration(ms, language) };
  const kinds = [...new Set(rows.flatMap(({ segments }) => segments.map(({ kind }) => kind)))];
  return (
    <Card title={t("timeline")}>
      <div aria-hidden className="flex flex-col gap-2">
        {rows.map((row) => (
          <Row key={row.attempt ?? "plaza"} row={row} scale={scale} />
        ))}
        <Axis scale={scale} />
        <p className="flex flex-wrap gap-x-4 gap-y-1 text-small text-muted">
          {kinds.map((kind) => (
            <span key={kind} className="inline-flex items-center gap-1.5">
              <span className={`size-2.5 rounded-sm ${colours[kind]}`} />
              {t(`segment.${kind}`)}
            </span>
          ))}
        </p>
      </div>
      <TimelineTable rows={rows} scale={scale} />
      <p className="mt-3 text-small text-muted">
        {t(hasStarts(request) ? "timelineNote" : "timelineOldNote")}
      </p>
    </Card>
  );
}

function useRowName(): (row: TimelineRow) => string {
  const t = useMessages(requestsMessages);
  return ({ attempt, segments }) => {
    if (attempt !== null) return t("attemptNumber", { number: attempt });
    return segments[0]?.kind === "queue" ? t("segment.queue") : "Plaza";
  };
}

/** What is known of a row's attempt: its upstream, and how it failed. Empty: nothing. */
function useRowFacts(): (row: TimelineRow) => string {
  const outcomeOf = useOutcomeWord();
  return ({ upstream, failure }) =>
    [upstream, failure === undefined ? undefined : outcomeOf(failure)]
      .filter((fact) => fact !== undefined)
      .join(" · ");
}

/** A superseded attempt did nothing wrong. */
const isBad = ({ failure }: TimelineRow): boolean => failure !== undefined && failure !== "superseded";

const tookMs = (segments: readonly Segment[]): number =>
  (segments.at(-1)?.toMs ?? 0) - (segments[0]?.fromMs ?? 0);

function Row({ row, scale }: { readonly row: TimelineRow; readonly scale: Scale }) {
  const t = useMessages(requestsMessages);
  const name = useRowName()(row);
  const facts = useRowFacts()(row);
  return (
    <div className="flex flex-wrap items-center gap-x-3 text-small sm:flex-nowrap">
      <span className="flex w-full shrink-0 flex-wrap gap-x-2 text-muted sm:block sm:w-36">
        <span className="block">{name}</span>
        {facts !== "" && (
          <span className={`block break-words ${isBad(row) ? "text-bad" : ""}`}>
            <bdi>{facts}</bdi>
          </span>
        )}
      </span>
      <span className="relative h-5 min-w-0 flex-1 rounded bg-sunken">
        {row.segments.map((segment) => (
          <span
            key={segment.kind}
            title={`${name}, ${t(`segment.${segment.kind}`)}: ${scale.write(segment.fromMs)} – ${scale.write(segment.toMs)} (${scale.write(segment.toMs - segment.fromMs)})`}
            className={`absolute inset-y-0.5 rounded-sm transition-[filter] hover:brightness-110 ${colours[segment.kind]}`}
            style={{
              left: `${Math.min(place(segment.fromMs, scale), 100 - widthMin)}%`,
              width: `${Math.max(widthMin, place(segment.toMs - segment.fromMs, scale))}%`,
            }}
          />
        ))}
      </span>
      <span className="figures w-16 shrink-0 text-right">{scale.write(tookMs(row.segments))}</span>
    </div>
  );
}

function Axis({ scale }: { readonly scale: Scale }) {
  return (
    <div className="figures flex gap-3 text-tiny text-faint">
      <span className="w-36 shrink-0 max-sm:hidden" />
      <span className="relative h-5 min-w-0 flex-1 border-t border-line">
        {ticksOf(scale.totalMs).map((ms) => (
          <span
            key={ms}
            className="absolute top-0.5 -translate-x-1/2 whitespace-nowrap first:translate-x-0 max-sm:even:hidden"
            style={{ left: `${place(ms, scale)}%` }}
          >
            {scale.write(ms)}
          </span>
        ))}
      </span>
      <span className="w-16 shrink-0" />
    </div>
  );
}

function TimelineTable({ rows, scale }: { readonly rows: readonly TimelineRow[]; readonly scale: Scale }) {
  const t = useMessages(requestsMessages);
  const nameOf = useRowName();
  const factsOf = useRowFacts();
  const headOf = (row: TimelineRow): string =>
    [nameOf(row), factsOf(row)].filter((text) => text !== "").join(", ");
  return (
    // A table cannot be made smaller than its text, and would widen the page.
    <div className="sr-only">
      <table>
        <caption>{t("timeline")}</caption>
        <thead>
          <tr>
            {[t("attempt"), t("segment"), t("segmentFrom"), t("segmentTo"), t("duration")].map((word) => (
              <th key={word} scope="col">
                {word}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.flatMap((row) =>
            row.segments.map(({ kind, fromMs, toMs }) => (
              <tr key={`${row.attempt}-${kind}`}>
                <th scope="row">{headOf(row)}</th>
                <td>{t(`segment.${kind}`)}</td>
                <td>{scale.write(fromMs)}</td>
                <td>{scale.write(toMs)}</td>
                <td>{scale.write(toMs - fromMs)}</td>
              </tr>
            )),
          )}
        </tbody>
      </table>
    </div>
  );
}
