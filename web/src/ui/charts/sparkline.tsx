/** A small line without axes, beside the figure it belongs to: that says the value, so this is not read. */

import { height, sparklinePath, width } from "./sparkline-path.ts";

export interface SparklineProps {
  /** Oldest first; null is a gap. Zero is the bottom. */
  readonly heights: readonly (number | null)[];
}

/** See above. */
export function Sparkline({ heights }: SparklineProps) {
  return (
    <svg
      aria-hidden
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      className="h-7 w-full overflow-visible"
    >
      <path
        d={sparklinePath(heights)}
        fill="none"
        stroke="var(--series-1)"
        strokeWidth="1.5"
        strokeLinejoin="round"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
}
