/** Prints comparisons of two builds: each pair, the summary, and the result. */

import type { Gateway } from "../gateways/gateway.ts";
import { type Estimate, estimateRatio, judgePairs, type PairVerdict } from "../measure/paired.ts";
import type { MeasuredWindow } from "../measure/settling.ts";
import { median } from "../measure/statistics.ts";
import type { SteadyCase } from "./reading.ts";
import { formatFigure, layOut } from "./report.ts";

/** The slowdown that still counts as none: 3 %. */
const margin = 0.03;

export interface PairSummary {
  readonly case: SteadyCase;
  readonly plazaUs: number;
  readonly otherUs: number;
  readonly nginxUs: number | undefined;
  /** Median, lowest and highest ratio of the pairs. */
  readonly medianRatio: number;
  readonly lowest: number;
  readonly highest: number;
  readonly estimate: Estimate | undefined;
  readonly verdict: PairVerdict;
}

const units: Record<SteadyCase, string> = {
  json1k: "us/request",
  json100k: "us/request",
  stream: "us/chunk",
  refused: "us/request",
};

/** One line for one pair. */
export function describePair(pair: Pair): string {
  const nginx = pair.nginxUs === undefined ? "" : `, nginx ${formatFigure(pair.nginxUs)}`;
  const foreign = Math.max(...pair.windows.map((window) => window.foreignCpuPercent));
  const repeats = pair.windows.reduce((sum, window) => sum + window.repeats, 0);
  const again = repeats === 0 ? "" : `, ${repeats} windows again`;
  const disturbed = pair.windows.some((window) => window.isDisturbed) ? ", still disturbed" : "";
  const costs = `${formatFigure(pair.plazaUs)} to ${formatFigure(pair.otherUs)}${nginx} ${units[pair.case]}`;
  return `${pair.ratio.toFixed(3)}  ${costs}; other work up to ${foreign.toFixed(0)} %${again}${disturbed}`;
}

/** Summarizes the pairs of one case. Throws without a pair. */
export function summarizePairs(name: SteadyCase, pairs: readonly Pair[]): PairSummary {
  const ratios = pairs.map((pair) => pair.ratio);
  const nginx = pairs.flatMap((pair) => (pair.nginxUs === undefined ? [] : [pair.nginxUs]));
  const estimate = estimateRatio(ratios);
  return {
    case: name,
    plazaUs: median(pairs.map((pair) => pair.plazaUs)),
    otherUs: median(pairs.map((pair) => pair.otherUs)),
    nginxUs: nginx.length === 0 ? undefined : median(nginx),
    medianRatio: median(ratios),
    lowest: Math.min(...ratios),
    highest: Math.max(...ratios),
    estimate,
    verdict: judgePairs(estimate, margin),
  };
}

/** One line per case. */
export function pairsTable(summaries: readonly PairSummary[]): string {
  const hasNginx = summaries.some((summary) => summary.nginxUs !== undefined);
  const heading = [
    "case",
    "unit",
    "this",
    "other",
    ...(hasNginx ? ["nginx"] : []),
    "median ratio [lowest-highest]",
    "estimate, 95 % interval",
    `no slower than ${margin * 100} %`,
  ];
  const body = summaries.map((summary) => {
    const { estimate } = summary;
    return [
      summary.case,
      units[summary.case],
      formatFigure(summary.plazaUs),
      formatFigure(summary.otherUs),
      ...(hasNginx ? [summary.nginxUs === undefined ? "" : formatFigure(summary.nginxUs)] : []),
      `${summary.medianRatio.toFixed(3)} [${summary.lowest.toFixed(3)}-${summary.highest.toFixed(3)}]`,
      estimate === undefined
        ? "too few pairs"
        : `${estimate.ratio.toFixed(3)}, ${estimate.low.toFixed(3)}-${estimate.high.toFixed(3)} (${estimate.pairs})`,
      summary.verdict === "no" ? "NO" : summary.verdict,
    ];
  });
  return layOut([heading, ...body]);
}

/** Exit code of a comparison: 0 = yes everywhere, 1 = a case is slower, 3 = a case is undecided. */
export function pairsExitCode(summaries: readonly PairSummary[]): 0 | 1 | 3 {
  if (summaries.some(({ verdict }) => verdict === "no")) return 1;
  return summaries.every(({ verdict }) => verdict === "yes") ? 0 : 3;
}

/** How much the pairs were disturbed by other processes. */
export function pairsQuietness(pairs: readonly Pair[]): string {
  const windows = pairs.flatMap((pair) => pair.windows);
  const foreign = windows.map((window) => window.foreignCpuPercent);
  const repeats = windows.reduce((sum, window) => sum + window.repeats, 0);
  const disturbed = windows.filter((window) => window.isDisturbed).length;
  return [
    `Other work on the two cores: median ${median(foreign).toFixed(1)} % of one core, most ${Math.max(...foreign).toFixed(1)} %.`,
    `${windows.length} windows; ${repeats} measured again, ${disturbed} counted though disturbed.`,
  ].join("\n");
}

/** One pair: the cost per unit of work for each build, and for nginx if requested, in microseconds of CPU. */
export interface Pair {
  readonly case: SteadyCase;
  readonly plazaUs: number;
  readonly otherUs: number;
  readonly nginxUs: number | undefined;
  /** Cost of the first divided by that of the other. */
  readonly ratio: number;
  /** All windows, in order. */
  readonly windows: readonly (MeasuredWindow & { readonly gateway: Gateway["name"] })[];
}
