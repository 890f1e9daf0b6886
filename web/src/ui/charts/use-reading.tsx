/** Reading a chart point by point with the keyboard: it is a slider over its points. */
import { type KeyboardEvent, useId } from "react";
import { uiMessages } from "../../i18n/en/ui.ts";
import { useMessages } from "../../i18n/messages.ts";
import { pointAfter } from "./point-keys.ts";

export interface Reading {
  /** What the chart shows. */
  readonly label: string;
  /** Number of points. */
  readonly points: number;
  /** The point that is read; undefined: none. */
  readonly at: number | undefined;
  readonly onMove: (at: number | undefined) => void;
  /** The figures of a point as one sentence. */
  readonly textOf: (at: number) => string;
  /** Enter was pressed on a point. */
  readonly onPick?: ((at: number) => void) | undefined;
}

/** Properties for the element that is the chart, and the sentence about its keys, to put beside it. */
export function useReading({ label, points, at, onMove, textOf, onPick }: Reading) {
  const t = useMessages(uiMessages);
  const id = `${useId()}-keys`;
  const last = Math.max(0, points - 1);
  const shown = Math.min(at ?? last, last);
  return {
    slider: {
      role: "slider",
      tabIndex: 0,
      "aria-label": label,
      "aria-describedby": id,
      "aria-valuemin": 0,
      "aria-valuemax": last,
      "aria-valuenow": shown,
      "aria-valuetext": points === 0 ? "" : textOf(shown),
      onKeyDown: (event: KeyboardEvent) => {
        if (event.key === "Escape" && at !== undefined) {
          // The key is spent: it does not close a dialog around the chart, too.
          event.stopPropagation();
          return onMove(undefined);
        }
        if (event.key === "Enter" && at !== undefined) return onPick?.(at);
        const next = pointAfter(event.key, at, last);
        if (next === undefined) return undefined;
        event.preventDefault();
        return onMove(next);
      },
      onBlur: () => onMove(undefined),
    },
    keys: (
      <span id={id} className="sr-only">
        {t(onPick === undefined ? "chartKeysRead" : "chartKeys")}
      </span>
    ),
  } as const;
}
