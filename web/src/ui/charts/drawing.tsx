/** Draws a chart with uPlot, in the colours of the theme. Loaded by `chart.tsx`. */
import { useEffect, useRef } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { uiMessages } from "../../i18n/en/ui.ts";
import { useMessages } from "../../i18n/messages.ts";
import type { ChartProps } from "./props.ts";
import { useThemeTurn } from "./theme-turn.ts";

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

/** `latest` gives the properties of the last render: figures change without a new plot. */
function optionsOf(latest: () => ChartProps, width: number, timeLabel: string): uPlot.Options {
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
    const stroke = colour(`--series-${(at % 8) + 1}`);
    return {
      label: one.label,
      stroke,
      width: props.kind === "lines" ? 2 : 0,
      points: { show: false },
      value: (_, __, seriesAt, index) => {
        const { series: shown, write } = latest();
        const source = shown[isStacked ? shown.length - seriesAt : seriesAt - 1];
        const height = index === null ? undefined : source?.heights[index];
        if (height === null || height === undefined) return "–";
        return source?.texts?.[index ?? 0] ?? write(height);
      },
      ...(isStacked ? { fill: stroke } : {}),
      ...(isBars && bars !== undefined ? { paths: bars } : {}),
    };
  });
  return {
    width,
    height: props.height ?? 240,
    padding: [10, 8, 0, 0],
    cursor: { y: false, drag: { x: false, y: false } },
    legend: { live: true },
    hooks: { ready: isStacked ? [orderLegend] : [], setLegend: [showLatest] },
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
      { label: timeLabel, value: (_, seconds) => (seconds === null ? "–" : writeTick(latest(), seconds)) },
      // Stacks are drawn from the highest down, so that lower ones stay in front.
      ...(isStacked ? series.reverse() : series),
    ],
  };
}

/** The legend of stacks begins with the lowest, as the table does; they are drawn the other way round. */
function orderLegend(plot: uPlot): void {
  const lines = plot.root.querySelectorAll<HTMLElement>(".u-legend tr");
  for (const [at, line] of lines.entries()) line.style.order = String(at === 0 ? 0 : lines.length - at);
}

/** The legend says the figures of the latest span while no other one is pointed at. */
function showLatest(plot: uPlot): void {
  const latest = plot.data[0].length - 1;
  if ((plot.legend.idx ?? null) === null && latest >= 0) plot.setLegend({ idx: latest }, false);
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

function writeTick(props: ChartProps, seconds: number): string {
  const iso = new Date(seconds * 1000).toISOString();
  return props.writeAt?.(iso) ?? iso.slice(5, 10);
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

/** See `Chart`. A plot is made anew for other series, another theme or language; figures only move it. */
export function ChartDrawing(props: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const plotRef = useRef<uPlot | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const turn = useThemeTurn();
  const t = useMessages(uiMessages);
  const timeLabel = t("time");
  const form = `${props.kind} ${turn} ${timeLabel} ${JSON.stringify(props.series.map(({ label }) => label))}`;
  const height = props.height ?? defaultHeight;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `form` says when the plot has to be made anew.
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const options = optionsOf(() => latest.current, element.clientWidth, timeLabel);
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
  return (
    <div
      ref={place}
      role="img"
      aria-label={props.label}
      className="figures min-w-0 text-small [&_.u-legend_th]:font-normal! [&_tbody]:flex! [&_tbody]:flex-wrap [&_tbody]:justify-center"
    />
  );
}
