/** What uPlot is told about an area chart: stacked fills, an outlook with its band, marks. Loaded lazily. */
import uPlot from "uplot";
import type { AreaChartProps } from "./area-props.ts";

/** Colours of the theme as they are now. */
export interface AreaColours {
  /** Of the areas, the lowest first. */
  readonly areas: readonly string[];
  readonly surface: string;
  readonly ink: string;
  readonly muted: string;
  readonly line: string;
  readonly warn: string;
}

export function areaColours(areas: AreaChartProps["areas"]): AreaColours {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  // Grey is for the rest only.
  const own = [1, 2, 3, 4, 5, 6, 8].map((number) => colour(`--series-${number}`));
  return {
    areas: areas.map(({ isRest }, at) =>
      isRest === true ? colour("--series-7") : (own[at % own.length] ?? colour("--series-7")),
    ),
    surface: colour("--surface"),
    ink: colour("--ink"),
    muted: colour("--muted"),
    line: colour("--line"),
    warn: colour("--warn"),
  };
}

const seconds = (iso: string): number => Date.parse(iso) / 1000;

/** The top of each area, the lowest first. */
function topsOf({ areas, at }: AreaChartProps): number[][] {
  const sums = at.map(() => 0);
  return areas.map(({ heights }) =>
    at.map((_, index) => {
      sums[index] = (sums[index] ?? 0) + (heights[index] ?? 0);
      return sums[index];
    }),
  );
}

/** Times, then the tops from the highest down, then the outlook: middle, high, low. */
export function areaData(props: AreaChartProps): uPlot.AlignedData {
  const { at, outlook } = props;
  const tops = topsOf(props);
  const ahead = outlook?.at ?? [];
  const none = ahead.map(() => null);
  const rows: (number | null)[][] = tops.toReversed().map((top) => [...top, ...none]);
  if (outlook !== undefined) {
    // The outlook begins at the last span that is over, so that the line is not torn.
    const last = props.isLastOpen ? at.length - 2 : at.length - 1;
    const end = tops.at(-1)?.[last] ?? null;
    const before = at.map((_, index) => (index === last ? end : null));
    const lines = [outlook.middle, outlook.band?.high ?? [], outlook.band?.low ?? []];
    const open = props.isLastOpen ? 1 : 0;
    for (const values of lines) {
      const row = [...before];
      if (open === 1 && values.length > 0) row[at.length - 1] = values[0] ?? null;
      rows.push([...row, ...ahead.map((_, index) => values[index + open] ?? null)]);
    }
  }
  return [[...at, ...ahead].map(seconds), ...rows] as uPlot.AlignedData;
}

const labelWidth = 84;

function ticksAmong(plot: uPlot): number[] {
  const times = Array.from(plot.data[0]);
  const room = Math.max(1, Math.floor((plot.width - 64) / labelWidth));
  const step = Math.ceil(times.length / room);
  return times.filter((_, at) => at % step === Math.floor(step / 2));
}

/** Marks stand above their span, drawn over everything. */
function drawMarks(plot: uPlot, { marks, at }: AreaChartProps, colours: AreaColours): void {
  const { ctx: pen } = plot;
  const scale = uPlot.pxRatio;
  for (const { at: index } of marks) {
    const x = plot.valToPos(seconds(at[index] ?? ""), "x", true);
    const top = plot.data[1]?.[index] ?? 0;
    const y = Math.max(plot.bbox.top + 12 * scale, plot.valToPos(top, "y", true) - 9 * scale);
    pen.save();
    pen.beginPath();
    pen.moveTo(x, y + 6 * scale);
    pen.lineTo(x - 6 * scale, y - 5 * scale);
    pen.lineTo(x + 6 * scale, y - 5 * scale);
    pen.closePath();
    pen.fillStyle = colours.warn;
    pen.strokeStyle = colours.surface;
    pen.lineWidth = 2 * scale;
    pen.stroke();
    pen.fill();
    pen.restore();
  }
}

/** `latest` gives the properties of the last render. */
export function areaOptions(
  latest: () => AreaChartProps,
  colours: AreaColours,
  { width, height }: { readonly width: number; readonly height: number },
  onPoint: (at: number | undefined) => void,
): uPlot.Options {
  const { areas, outlook } = latest();
  const axis = {
    stroke: colours.muted,
    font: "12px system-ui, sans-serif",
    grid: { stroke: colours.line, width: 1 },
    ticks: { show: false },
  };
  const fills = areas.map(
    (area, at): uPlot.Series => ({
      label: area.label,
      // A line of the surface keeps neighbours apart for every eye.
      stroke: colours.surface,
      width: 1,
      fill: colours.areas[at] ?? colours.muted,
      points: { show: areas[0]?.heights.length === 1 },
    }),
  );
  const lines: uPlot.Series[] =
    outlook === undefined
      ? []
      : [
          { stroke: colours.ink, width: 2, dash: [6, 5], points: { show: false } },
          { stroke: colours.muted, width: 0, points: { show: false } },
          { stroke: colours.muted, width: 0, points: { show: false } },
        ];
  const first = fills.length + 2;
  return {
    ...{ width, height, padding: [16, 24, 0, 0], legend: { show: false } },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    hooks: {
      setCursor: [(plot) => onPoint(plot.cursor.idx ?? undefined)],
      draw: [(plot) => drawMarks(plot, latest(), colours)],
    },
    scales: {
      x: { time: true },
      y: { range: (_, min, max) => [Math.min(0, min), max <= 0 ? 1 : max * 1.12] },
    },
    axes: [
      {
        ...axis,
        size: 30,
        grid: { show: false },
        splits: (plot) => ticksAmong(plot),
        values: (_, ticks) =>
          ticks.map((tick) => latest().writeAt(new Date(tick * 1000).toISOString(), true)),
      },
      { ...axis, size: 68, values: (_, ticks) => ticks.map((tick) => latest().write(tick)) },
    ],
    series: [{}, ...fills.reverse(), ...lines],
    bands:
      outlook?.band === undefined
        ? []
        : [{ series: [first, first + 1], fill: `${colours.muted}33`, dir: -1 }],
  };
}
