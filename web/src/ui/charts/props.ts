/** Properties of charts, shared with their lazily loaded drawing. Types only. */
import type { ReactNode } from "react";

/** One line or one colour of the bars. Heights are only drawn; figures are written by `write`. */
export interface Series {
  readonly label: string;
  /** One per instant; null is a gap. */
  readonly heights: readonly (number | null)[];
  /** The same as text, exact: for the table and the readout. Without it `write` is used. */
  readonly texts?: readonly (string | null)[];
}

export interface ChartProps {
  /** Says what it shows. */
  readonly label: string;
  /** Bars and areas are stacked. */
  readonly kind: "bars" | "areas" | "lines";
  /** The begin of each span, ISO 8601, in order. */
  readonly at: readonly string[];
  readonly series: readonly Series[];
  /** A height as text, for axis and table. */
  readonly write: (height: number) => string;
  /** A time as text, for axis, readout and table; day and month unless given. */
  readonly writeAt?: (iso: string) => string;
  readonly height?: number;
  /** Beside the switch to the table. */
  readonly note?: ReactNode;
}

/** The same for the drawing: with the times written, in the language they are written in. */
export interface DrawnProps extends ChartProps {
  readonly writeAt: (iso: string) => string;
  readonly language: string;
}
