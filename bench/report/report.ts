/** The tables of a run, as text. */

import type { Settled } from "../measure/settling.ts";
import { type Spread, spread } from "../measure/statistics.ts";
import type { SettleRule } from "../options.ts";
import { type CaseName, type GatewayName, type Metric, type Reading, valuesOf } from "./reading.ts";
import { compare, type Verdict } from "./targets.ts";

interface Row {
  readonly label: string;
  readonly case: CaseName;
  readonly metric: Metric;
  readonly unit: string;
  readonly compared?: "ratio" | "added";
}

const rows: readonly Row[] = [
  {
    label: "1 KB JSON: CPU per request",
    case: "json1k",
    metric: "cpuPerRequestUs",
    unit: "us",
    compared: "ratio",
  },
  { label: "1 KB JSON: at saturation", case: "json1k", metric: "requestsPerSecond", unit: "req/s" },
  {
    label: "100 KB JSON: CPU per request",
    case: "json100k",
    metric: "cpuPerRequestUs",
    unit: "us",
    compared: "ratio",
  },
  { label: "100 KB JSON: at saturation", case: "json100k", metric: "requestsPerSecond", unit: "req/s" },
  {
    label: "401, unknown key: CPU per request",
    case: "refused",
    metric: "cpuPerRequestUs",
    unit: "us",
    compared: "ratio",
  },
  { label: "401, unknown key: at saturation", case: "refused", metric: "requestsPerSecond", unit: "req/s" },
  { label: "first 5 s after a start: CPU per request", case: "fresh", metric: "cpuPerRequestUs", unit: "us" },
  { label: "the same by the settled process", case: "fresh", metric: "freshBySettled", unit: "x" },
  { label: "settled after", case: "fresh", metric: "settledAfterS", unit: "s" },
  { label: "stream: CPU per chunk", case: "stream", metric: "cpuPerChunkUs", unit: "us", compared: "ratio" },
  { label: "stream: pace kept", case: "stream", metric: "paceKeptPercent", unit: "%" },
  { label: "memory per stream", case: "memory", metric: "kibPerStream", unit: "KB" },
  {
    label: "first token, p50",
    case: "first-token",
    metric: "firstTokenP50Ms",
    unit: "ms",
    compared: "added",
  },
  {
    label: "first token, p99",
    case: "first-token",
    metric: "firstTokenP99Ms",
    unit: "ms",
    compared: "added",
  },
  { label: "idle RSS, largest process", case: "startup", metric: "idleRssMib", unit: "MB" },
  { label: "idle CPU", case: "startup", metric: "idleCpuPercent", unit: "%" },
  { label: "ready, start with data", case: "startup", metric: "startMs", unit: "ms" },
  { label: "ready, very first start", case: "startup", metric: "firstStartMs", unit: "ms" },
];

/** Three significant digits, no exponent; `never` for what did not come to pass. */
export function formatFigure(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return "never";
  const size = Math.abs(value);
  if (size >= 100_000) return `${Math.round(value / 1000)}k`;
  if (size >= 10_000) return `${(value / 1000).toFixed(1)}k`;
  if (size >= 100) return value.toFixed(0);
  if (size >= 10) return value.toFixed(1);
  return value.toFixed(2);
}

function formatSpread(values: Spread): string {
  const middle = formatFigure(values.median);
  return values.count === 1 ? middle : `${middle} [${formatFigure(values.min)}-${formatFigure(values.max)}]`;
}

/** Pads columns to their widest cell; the first row is the heading. */
export function layOut(table: readonly (readonly string[])[]): string {
  const widths = (table[0] ?? []).map((_, column) =>
    Math.max(...table.map((row) => row[column]?.length ?? 0)),
  );
  const lines = table.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  const rule = widths.map((width) => "-".repeat(width)).join("  ");
  return [lines[0] ?? "", rule, ...lines.slice(1)].join("\n");
}

function comparisonCell(readings: readonly Reading[], row: Row): string {
  if (row.compared === undefined) return "";
  const result = compare(readings, row, row.compared);
  if (result === undefined) return "";
  const { ofMedians, rounds } = result;
  const range = rounds.count === 1 ? "" : ` [${formatFigure(rounds.min)}-${formatFigure(rounds.max)}]`;
  if (row.compared === "ratio") return `x${formatFigure(ofMedians)}${range}`;
  const nginx = compare(readings, row, "added", "nginx");
  return `+${formatFigure(ofMedians)}${range}${nginx === undefined ? "" : ` (nginx +${formatFigure(nginx.ofMedians)})`}`;
}

/** Every figure of the run: median [lowest-highest] over the rounds. */
export function figuresTable(readings: readonly Reading[]): string {
  const heading = ["figure", "unit", "nginx", "plaza", "direct", "plaza/nginx, or +added"];
  const cell = (row: Row, gateway: GatewayName) => {
    const values = valuesOf(readings, { ...row, gateway });
    return values.length === 0 ? "" : formatSpread(spread(values));
  };
  const body = rows
    .filter((row) => readings.some((r) => r.case === row.case && r.metric === row.metric))
    .map((row) => [
      row.label,
      row.unit,
      cell(row, "nginx"),
      cell(row, "plaza"),
      cell(row, "direct"),
      comparisonCell(readings, row),
    ]);
  return layOut([heading, ...body]);
}

/** One line per target: the reached figure, the target, and whether it is met. */
export function verdictsTable(verdicts: readonly Verdict[]): string {
  const heading = ["target", "reached", "per round", "wanted", "ok"];
  const body = verdicts.map(({ target, reached, rounds, isReached, doubt }) => [
    target.name,
    reached === undefined ? "not run" : `${formatFigure(reached)} ${target.unit}`,
    rounds === undefined || rounds.count === 1
      ? ""
      : `${formatFigure(rounds.min)}-${formatFigure(rounds.max)} (${rounds.count})`,
    `<= ${target.atMost} ${target.unit}`,
    isReached === undefined ? "-" : isReached ? "yes" : doubt === undefined ? "NO" : `NO: ${doubt}`,
  ]);
  return layOut([heading, ...body]);
}

/**
 * CPU use of other processes on the two cores during the windows, which shows whether the figures are
 * reliable.
 */
export function quietness(readings: readonly Reading[]): string {
  const values = readings.filter((r) => r.metric === "foreignCpuPercent").map((r) => r.value);
  if (values.length === 0) return "";
  const { median, max } = spread(values);
  const repeats = readings.filter((r) => r.metric === "repeats").reduce((sum, r) => sum + r.value, 0);
  const again = repeats === 0 ? "" : ` Windows measured again because something disturbed them: ${repeats}.`;
  const warning = max > 20 ? " Not a quiet machine: repeat before believing small differences." : "";
  return `Other work on the two cores: median ${median.toFixed(1)} % of one core, most ${max.toFixed(1)} %.${again}${warning}`;
}

export function describeSettled(name: string, gateway: string, settled: Settled, rule: SettleRule): string {
  const { costsUs, isSettled } = settled;
  const last = spread(costsUs.slice(-rule.slices));
  const seconds = (costsUs.length * rule.sliceMs) / 1000;
  const range = `${formatFigure(last.min)}-${formatFigure(last.max)} us, first ${formatFigure(costsUs[0] ?? 0)}`;
  return `${name} of ${gateway}: ${isSettled ? "settled" : "NOT settled"} after ${seconds} s at ${range}`;
}
