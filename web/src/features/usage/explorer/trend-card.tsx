/** The chart of the explorer: stacked groups, what is unusual, what is expected. */
import { ImageDown } from "lucide-react";
import { useCallback, useMemo, useRef, useState } from "react";
import { explorerMessages } from "../../../i18n/en/pages/explorer.ts";
import { useLanguage } from "../../../i18n/language.ts";
import { localeOf } from "../../../i18n/languages.ts";
import { useMessages } from "../../../i18n/messages.ts";
import { Button, Link } from "../../../ui/button.tsx";
import { AreaChart } from "../../../ui/charts/area-chart.tsx";
import type { Area, Outlook } from "../../../ui/charts/area-props.ts";
import { useGo } from "../../../ui/navigation.tsx";
import { toastError } from "../../../ui/overlays/toast.tsx";
import { Card } from "../../../ui/surfaces.tsx";
import type { FigureFilter } from "../../requests/query.ts";
import type { Scope } from "../use-latency.ts";
import { type Anomaly, anomaliesOf, causeOf } from "./anomalies.ts";
import {
  type Explored,
  type ExploredGroup,
  type ExploreMeasure,
  heightOf,
  layersOf,
  spanFigures,
} from "./groups.ts";
import { useLabels, useWriter, writeFigure } from "./labels.ts";
import type { MonthForecast } from "./month.ts";
import { dayOfSpan, isLastOpen, pointsOf } from "./seasons.ts";
import { groupFilter, groupLink } from "./state.ts";

export interface TrendCardProps {
  readonly scope: Scope;
  readonly answer: Explored;
  readonly measure: ExploreMeasure;
  readonly rowFilter: FigureFilter;
  readonly forecast: MonthForecast | undefined;
}

interface Unusual extends Anomaly {
  readonly iso: string;
  readonly cause: (NonNullable<ReturnType<typeof causeOf>> & { readonly group: ExploredGroup }) | undefined;
}

/** Most that are listed below the chart; the latest. */
const listedMax = 5;

function unusualOf(answer: Explored, measure: ExploreMeasure): readonly Unusual[] {
  const points = pointsOf(answer, measure);
  const parts = answer.groups.map((group) => ({
    id: group,
    values: spanFigures(group, measure).slice(0, points.length).map(heightOf),
  }));
  return anomaliesOf(points).map((anomaly) => {
    const cause = causeOf(anomaly, points, parts);
    return {
      ...anomaly,
      iso: answer.spans[anomaly.at] ?? "",
      cause: cause && { ...cause, group: cause.id },
    };
  });
}

/** Writes the time of a span: short for the axis, whole for the readout. */
function useTimes({ grain, timeZone }: Explored): (iso: string, isShort: boolean) => string {
  const language = useLanguage();
  return useMemo(() => {
    const locale = localeOf(language);
    const day = { month: "short", day: "numeric", timeZone } as const;
    const hour = { ...day, hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
    const short = new Intl.DateTimeFormat(locale, grain === "hour" ? hour : day);
    const whole = new Intl.DateTimeFormat(locale, {
      ...(grain === "hour" ? hour : day),
      ...{ weekday: "short", year: "numeric" },
    });
    return (iso, isShort) => (isShort ? short : whole).format(new Date(iso));
  }, [language, grain, timeZone]);
}

/** What is expected, where the chart shows days up to today. */
function useOutlook(
  answer: Explored,
  forecast: MonthForecast | undefined,
  write: (height: number) => string,
): Outlook | undefined {
  return useMemo(() => {
    if (forecast === undefined || answer.grain !== "day" || !isLastOpen(answer)) return undefined;
    const { days, error } = forecast.forecast;
    const last = Date.parse(answer.spans.at(-1) ?? "");
    const middle = days.map(({ expected }) => expected);
    return {
      // The first of the days is today, which is drawn already.
      at: days.slice(1).map((_, at) => new Date(last + (at + 1) * 86_400_000).toISOString()),
      middle,
      band: error && {
        low: middle.map((value) => Math.max(0, value + error.dayLow)),
        high: middle.map((value) => value + error.dayHigh),
      },
      texts: middle.map((value) =>
        error === undefined
          ? write(value)
          : `${write(value)} (${write(Math.max(0, value + error.dayLow))} – ${write(value + error.dayHigh)})`,
      ),
    };
  }, [answer, forecast, write]);
}

function save(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}

/** See the file's comment. */
export function TrendCard({ scope, answer, measure, rowFilter, forecast }: TrendCardProps) {
  const t = useMessages(explorerMessages);
  const language = useLanguage();
  const go = useGo();
  const labelOf = useLabels();
  const write = useWriter(measure);
  const writeAt = useTimes(answer);
  const { by } = answer;
  const areas = useMemo(
    () =>
      layersOf(answer, measure).map(
        ({ group, groups, figures }): Area => ({
          label: groups === 0 ? t("total") : labelOf(by, group, groups),
          heights: figures.map(heightOf),
          texts: figures.map((figure) => writeFigure(figure, measure, language)),
          ...(group === undefined && groups > 0 ? { isRest: true } : {}),
        }),
      ),
    [answer, measure, by, labelOf, language, t],
  );
  const totals = useMemo(
    () => spanFigures(answer.all, measure).map((figure) => writeFigure(figure, measure, language)),
    [answer, measure, language],
  );
  const unusual = useMemo(() => unusualOf(answer, measure), [answer, measure]);
  const marks = useMemo(
    () =>
      unusual.map(({ at, value, expected }) => ({
        at,
        label: t("unusualOf", { value: write(value), expected: write(expected) }),
      })),
    [unusual, write, t],
  );
  const outlook = useOutlook(answer, forecast, write);
  const image = useRef<(() => Promise<Blob>) | undefined>(undefined);
  const [hasImage, setHasImage] = useState(false);
  const takeImage = useCallback((make: (() => Promise<Blob>) | undefined) => {
    image.current = make;
    setHasImage(make !== undefined);
  }, []);
  const dayOf = (iso: string): string => dayOfSpan(iso, answer.timeZone);
  const title = t("chartOf", { what: t(`measure.${measure}`), by: t(`by.${by}`).toLocaleLowerCase("en") });
  const savePicture = () =>
    image.current?.().then(
      (blob) => save(blob, `${measure}-by-${by}.png`),
      () => toastError(t("pictureFailed")),
    );
  return (
    <Card
      title={title}
      action={
        <Button
          size="small"
          disabled={!hasImage}
          icon={<ImageDown aria-hidden className="size-4" />}
          onClick={() => void savePicture()}
        >
          {t("exportPng")}
        </Button>
      }
    >
      <AreaChart
        label={title}
        at={answer.spans}
        areas={areas}
        totals={totals}
        write={write}
        writeAt={writeAt}
        marks={marks}
        outlook={outlook}
        isLastOpen={isLastOpen(answer)}
        onImage={takeImage}
        onPick={(at) => {
          const to = groupLink(scope, rowFilter, {}, dayOf(answer.spans[at] ?? ""));
          if (to !== undefined) go(to);
        }}
      />
      {unusual.length > 0 && (
        <section aria-label={t("unusualTitle")} className="mt-4 border-t border-line pt-3">
          <h3 className="mb-1.5 font-medium">{t("unusualTitle")}</h3>
          <ul className="flex flex-col gap-1.5 text-small">
            {unusual
              .toReversed()
              .slice(0, listedMax)
              .map(({ iso, value, expected, cause }) => {
                const to = groupLink(
                  scope,
                  rowFilter,
                  (cause && groupFilter(by, cause.group)) ?? {},
                  dayOf(iso),
                );
                return (
                  <li key={iso} className="flex flex-wrap items-baseline gap-x-2">
                    <span className="font-medium whitespace-nowrap">
                      <span aria-hidden className="text-warn">
                        ▼
                      </span>{" "}
                      {writeAt(iso, false)}
                    </span>
                    <span>
                      {t("unusualOf", { value: write(value), expected: write(expected) })}
                      {cause !== undefined && (
                        <>
                          {"; "}
                          {t("unusualCause", {
                            what: labelOf(by, cause.group, 1),
                            value: write(cause.value),
                            expected: write(cause.expected),
                          })}
                        </>
                      )}
                    </span>
                    {to !== undefined && <Link to={to}>{t("showRequests")}</Link>}
                  </li>
                );
              })}
          </ul>
        </section>
      )}
    </Card>
  );
}
