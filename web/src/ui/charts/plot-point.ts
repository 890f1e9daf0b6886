/** A point of a plot: where it is drawn, and the cursor on it. Loaded with the drawings of charts. */
import uPlot from "uplot";

/** Puts the cursor on a point; undefined takes it away. */
export function pointAt(plot: uPlot, index: number | undefined): void {
  const time = index === undefined ? undefined : plot.data[0][index];
  const left = time === undefined ? -10 : plot.valToPos(time, "x");
  plot.setCursor({ left, top: 0 }, false);
}

/**
 * Passes on the point under the cursor. When the pointer leaves a chart that is read with the keyboard, as it
 * does when the page moves under it, reading goes on where it was.
 */
export const pointerFor =
  (place: HTMLElement, setAt: (at: number | undefined) => void) =>
  (at: number | undefined): void => {
    if (at !== undefined || !place.matches(":focus-visible")) setAt(at);
  };

/** Distance of a point from the left edge of the plot, in pixels; 0 before the plot is drawn. */
export function leftOf(plot: uPlot | null, index: number): number {
  const time = plot?.data[0][index];
  if (plot === null || time === undefined) return 0;
  return plot.valToPos(time, "x") + plot.bbox.left / uPlot.pxRatio;
}
