/** Draws a chart with uPlot, in the colours of the theme. Loaded by `chart.tsx`. */
import { useEffect, useRef, useState } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { uiMessages } from "../../i18n/en/ui.ts";
import { useMessages } from "../../i18n/messages.ts";
import { leftOf, pointAt, pointerFor } from "./plot-point.ts";
import type { ChartProps, DrawnProps, Series } from "./props.ts";
import { Legend, Readout } from "./readout.tsx";
import { useThemeTurn } from "./theme-turn.ts";
import { useReading } from "./use-reading.tsx";

/** Stacks heights upward: each series on the sum of those before it. */
function stacked(series: ChartProps["series"]): (number | null)[][] {
  const tops: number[] = [];
  return series.map((one) =>
    one.heights.map((height, at) => {
      tops[at] = (tops[at] ?? 0) + (height ?? 0);
      return tops[at];
    }),
  );
}

const seriesColour = (at: number): string => `--series-${(at % 8) + 1}`;

/**
 * `latest` gives the properties of the last render: figures change without a new plot. `onPoint` gets the
 * point under the cursor.
 */
function optionsOf(
  latest: () => DrawnProps,
  width: number,
  onPoint: (at: number | undefined) => void,
): uPlot.Options {
  const props = latest();
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const isBars = props.kind === "bars";
  const isStacked = props.kind !== "lines";
  const axis = {
    stroke: colour("--muted"),
    font: "12px system-ui, sans-serif",
    grid: { stroke: colour("--line"), width: 1 },
    ticks: { show: false },
  };
  const bars = uPlot.paths.bars?.({ size: [0.72, 44] });
  const series = props.series.map((one, at): uPlot.Series => {
    const stroke = colour(seriesColour(at));
    return {
      label: one.label,
      stroke,
      width: props.kind === "lines" ? 2 : 0,
      points:
        props.kind === "lines" ? { show: true, size: 5, fill: stroke, filter: alonePoints } : { show: false },
      ...(isStacked ? { fill: stroke } : {}),
      ...(isBars && bars !== undefined ? { paths: bars } : {}),
    };
  });
  return {
    width,
    height: props.height ?? 240,
    padding: [10, 24, 0, 0],
    cursor: { y: false, drag: { x: false, y: false } },
    legend: { show: false },
    hooks: { setCursor: [(plot) => onPoint(plot.cursor.idx ?? undefined)] },
    scales: {
      x: isBars ? { time: true, range: (_, min, max) => roomForBars(latest(), min, max) } : { time: true },
      y: { range: (_, __, max) => [0, max === 0 ? 1 : max * 1.08] },
    },
    axes: [
      {
        ...axis,
        size: 30,
        grid: { show: false },
        splits: (plot) => ticksAmong(plot),
        values: (_, ticks) => ticks.map((seconds) => writeTick(latest(), seconds)),
      },
      { ...axis, size: 64, values: (_, ticks) => ticks.map((height) => latest().write(height)) },
    ],
    series: [
      {},
      // Stacks are drawn from the highest down, so that lower ones stay in front.
      ...(isStacked ? series.reverse() : series),
    ],
  };
}

/** Points without a neighbour, through which no line goes: they are drawn as dots. */
function alonePoints(plot: uPlot, at: number): number[] {
  const heights = plot.data[at] ?? [];
  return Array.from(heights, (height, index) =>
    height != null && heights[index - 1] == null && heights[index + 1] == null ? index : -1,
  ).filter((index) => index >= 0);
}

/** Room for one label of the time axis, in pixels. */
const labelWidth = 76;

/** Labels stand under spans that are drawn, never between them: every one, or every second, third … */
function ticksAmong(plot: uPlot): number[] {
  const times = Array.from(plot.data[0]);
  const room = Math.max(1, Math.floor((plot.width - 64) / labelWidth));
  const step = Math.ceil(times.length / room);
  return times.filter((_, at) => at % step === Math.floor(step / 2));
}

/** Half a span at each end, so that the first and the last bar are whole. */
function roomForBars({ at }: ChartProps, min: number, max: number): [number, number] {
  const [first, second] = [Date.parse(at[0] ?? ""), Date.parse(at[1] ?? "")];
  const half = Number.isNaN(second) ? 43_200 : (second - first) / 2_000;
  return [min - half, max + half];
}

function writeTick({ writeAt }: DrawnProps, seconds: number): string {
  return writeAt(new Date(seconds * 1000).toISOString());
}

/** What a plot is drawn from, times in seconds first. */
function dataOf(props: ChartProps): uPlot.AlignedData {
  const heights =
    props.kind === "lines" ? props.series.map((one) => [...one.heights]) : stacked(props.series).reverse();
  return [props.at.map((iso) => Date.parse(iso) / 1000), ...heights];
}

/** A single span is centred; uPlot would put it at the start. */
function centreSingle(plot: uPlot): void {
  const times = plot.data[0];
  const [only] = times;
  if (only !== undefined && times.length === 1)
    plot.setScale("x", { min: only - 43_200, max: only + 43_200 });
}

const defaultHeight = 240;

interface PointProps extends DrawnProps {
  readonly index: number;
}

/** The figure of a series at a point; a gap is a dash. */
function figureOf({ texts, heights }: Series, index: number, write: ChartProps["write"]): string {
  const height = heights[index];
  return height === null || height === undefined ? "–" : (texts?.[index] ?? write(height));
}

/** The sum of a stack; undefined for lines, whose sum means nothing, and for a single series. */
function totalOf({ kind, series, write, index }: PointProps): string | undefined {
  if (kind === "lines" || series.length < 2) return undefined;
  return write(series.reduce((sum, { heights }) => sum + (heights[index] ?? 0), 0));
}

/** The figures of a point as one sentence, for screen readers. */
function textOf(props: PointProps, totalLabel: string): string {
  const total = totalOf(props);
  const parts = props.series.map((one) => `${one.label} ${figureOf(one, props.index, props.write)}`);
  const figures = total === undefined ? parts : [`${totalLabel} ${total}`, ...parts];
  return `${props.writeAt(props.at[props.index] ?? "")}: ${figures.join(", ")}`;
}

/** See `Chart`. A plot is made anew for other series, another theme or language; figures only move it. */
export function ChartDrawing(props: DrawnProps) {
  const t = useMessages(uiMessages);
  const place = useRef<HTMLDivElement>(null);
  const plotRef = useRef<uPlot | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const [at, setAt] = useState<number>();
  const turn = useThemeTurn();
  const form = `${props.kind} ${turn} ${props.language} ${JSON.stringify(props.series.map(({ label }) => label))}`;
  const height = props.height ?? defaultHeight;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `form` says when the plot has to be made anew.
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const options = optionsOf(() => latest.current, element.clientWidth, pointerFor(element, setAt));
    const plot = new uPlot(options, dataOf(latest.current), element);
    centreSingle(plot);
    plotRef.current = plot;
    const resize = new ResizeObserver(() => {
      const isSeen = element.clientWidth > 0;
      if (isSeen)
        plot.setSize({ width: element.clientWidth, height: latest.current.height ?? defaultHeight });
    });
    resize.observe(element);
    return () => {
      resize.disconnect();
      plot.destroy();
      plotRef.current = null;
    };
  }, [form, height]);
  // A new plot has its figures already.
  const drawn = useRef({ form, at: props.at, series: props.series });
  useEffect(() => {
    const { current: before } = drawn;
    drawn.current = { form, at: props.at, series: props.series };
    if (before.form !== form || (before.at === props.at && before.series === props.series)) return;
    plotRef.current?.setData(dataOf(latest.current));
    if (plotRef.current !== null) centreSingle(plotRef.current);
  }, [form, props.at, props.series]);
  const { slider, keys } = useReading({
    label: props.label,
    points: props.at.length,
    at,
    onMove: (next) => {
      setAt(next);
      if (plotRef.current !== null) pointAt(plotRef.current, next);
    },
    textOf: (index) => textOf({ ...props, index }, t("total")),
  });
  // Fewer figures may come while a point is read.
  const index = at === undefined || at >= props.at.length ? undefined : at;
  const named = props.series.map((one, place) => ({
    ...one,
    colour: `var(${seriesColour(place)})`,
  }));
  return (
    <div className="relative min-w-0">
      <div ref={place} {...slider} className="figures min-w-0 rounded-lg text-small" />
      {keys}
      {index !== undefined && (
        <Readout
          left={leftOf(plotRef.current, index)}
          width={plotRef.current?.width ?? 0}
          title={props.writeAt(props.at[index] ?? "")}
          rows={(props.kind === "lines" ? named : named.toReversed()).map((one) => ({
            label: one.label,
            colour: one.colour,
            text: figureOf(one, index, props.write),
          }))}
          total={totalOf({ ...props, index })}
        />
      )}
      {named.length > 1 && <Legend names={named} />}
    </div>
  );
}
