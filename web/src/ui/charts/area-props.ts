/** Properties of area charts, shared with their lazily loaded drawing. Types only. */

/** One colour of the stack. Heights are only drawn; figures are written as texts. */
export interface Area {
  readonly label: string;
  readonly heights: readonly number[];
  readonly texts: readonly string[];
  /** Everything without a colour of its own: drawn in grey. */
  readonly isRest?: boolean;
}

/** A span to look at. */
export interface Mark {
  /** Which span. */
  readonly at: number;
  readonly label: string;
}

/** What is expected after the last span. */
export interface Outlook {
  /** The begin of each span, ISO 8601. */
  readonly at: readonly string[];
  readonly middle: readonly number[];
  /** Undefined: the error is not known. */
  readonly band: { readonly low: readonly number[]; readonly high: readonly number[] } | undefined;
  readonly texts: readonly string[];
}

export interface AreaChartProps {
  /** Says what it shows. */
  readonly label: string;
  /** The begin of each span, ISO 8601, in order. */
  readonly at: readonly string[];
  /** The lowest first. */
  readonly areas: readonly Area[];
  /** Of all areas, one text a span. */
  readonly totals: readonly string[];
  /** A height as text, for the axis. */
  readonly write: (height: number) => string;
  /** A time as text: short for the axis, whole for the readout. */
  readonly writeAt: (iso: string, isShort: boolean) => string;
  readonly marks: readonly Mark[];
  readonly outlook?: Outlook | undefined;
  /** The last span is not over. */
  readonly isLastOpen: boolean;
  /** Called when a span is chosen by Enter or a press. */
  readonly onPick?: ((at: number) => void) | undefined;
  /** Gets what makes a picture of the chart, once it is drawn. */
  readonly onImage?: ((image: (() => Promise<Blob>) | undefined) => void) | undefined;
}
