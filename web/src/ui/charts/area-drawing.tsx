/**
 * Draws an area chart with a readout of every figure of a span, by mouse, touch and keyboard. Loaded by
 * `area-chart.tsx`.
 */
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { uiMessages } from "../../i18n/en/ui.ts";
import { useMessages } from "../../i18n/messages.ts";
import { pictureOf } from "./area-picture.ts";
import { areaColours, areaData, areaOptions } from "./area-plot.ts";
import type { AreaChartProps } from "./area-props.ts";
import { useThemeTurn } from "./theme-turn.ts";

const height = 300;

/** Where a key leads; undefined for other keys. */
function target(key: string, at: number | undefined, last: number): number | undefined {
  const here = at ?? last + 1;
  const places: Readonly<Record<string, number>> = {
    ArrowLeft: Math.max(0, here - 1),
    ArrowDown: Math.max(0, here - 1),
    ArrowRight: Math.min(last, (at ?? -1) + 1),
    ArrowUp: Math.min(last, (at ?? -1) + 1),
    PageDown: Math.max(0, here - 7),
    PageUp: Math.min(last, (at ?? -1) + 7),
    Home: 0,
    End: last,
  };
  return places[key];
}

/** Puts the cursor on a point; undefined takes it away. */
function pointAt(plot: uPlot, index: number | undefined): void {
  const time = index === undefined ? undefined : plot.data[0][index];
  const left = time === undefined ? -10 : plot.valToPos(time, "x");
  plot.setCursor({ left, top: 0 }, false);
}

/** See `AreaChartProps`. */
export function AreaDrawing(props: AreaChartProps) {
  const t = useMessages(uiMessages);
  const place = useRef<HTMLDivElement>(null);
  const plotRef = useRef<uPlot | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const [at, setAt] = useState<number>();
  const pointed = useRef(at);
  pointed.current = at;
  const turn = useThemeTurn();
  const id = useId();
  const { areas, outlook, onImage } = props;
  const colours = areaColours(areas);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a turn of the theme draws anew in its colours.
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const now = areaColours(latest.current.areas);
    const size = { width: element.clientWidth, height };
    const plot = new uPlot(
      areaOptions(() => latest.current, now, size, setAt),
      areaData(latest.current),
      element,
    );
    plotRef.current = plot;
    // New figures leave the reader where they are; a plot knows its places only once it is drawn.
    queueMicrotask(() => {
      if (plotRef.current === plot && pointed.current !== undefined) pointAt(plot, pointed.current);
    });
    const resize = new ResizeObserver(() => {
      if (element.clientWidth > 0) plot.setSize({ width: element.clientWidth, height });
    });
    resize.observe(element);
    const legend = latest.current.areas.map(({ label }, index) => ({
      label,
      colour: now.areas[index] ?? "",
    }));
    onImage?.(() => pictureOf({ plot: plot.ctx.canvas, title: latest.current.label, legend, colours: now }));
    return () => {
      resize.disconnect();
      plot.destroy();
      plotRef.current = null;
      onImage?.(undefined);
    };
  }, [props.at, areas, outlook, props.marks, turn, onImage]);
  const last = props.at.length + (outlook?.at.length ?? 0) - 1;
  const move = (next: number | undefined) => {
    setAt(next);
    if (plotRef.current !== null) pointAt(plotRef.current, next);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") return move(undefined);
    if (event.key === "Enter" && at !== undefined && at < props.at.length) return props.onPick?.(at);
    const next = target(event.key, at, last);
    if (next === undefined) return undefined;
    event.preventDefault();
    return move(next);
  };
  return (
    <div className="relative min-w-0">
      <div
        ref={place}
        role="slider"
        tabIndex={0}
        aria-label={props.label}
        aria-describedby={`${id}-keys`}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={at ?? last}
        aria-valuetext={textOf(props, at ?? props.at.length - 1, t("total"))}
        onKeyDown={onKeyDown}
        onBlur={() => move(undefined)}
        onClick={({ nativeEvent }) => {
          // A tap reads a point; there is no other way to on a phone.
          const isTap = nativeEvent instanceof PointerEvent && nativeEvent.pointerType === "touch";
          if (!isTap && at !== undefined && at < props.at.length) props.onPick?.(at);
        }}
        className="figures min-w-0 rounded-lg"
      />
      <span id={`${id}-keys`} className="sr-only">
        {t("chartKeys")}
      </span>
      {at !== undefined && <Readout {...props} index={at} colours={colours.areas} plot={plotRef.current} />}
      <ul className="mt-2 flex flex-wrap justify-center gap-x-4 gap-y-1 text-small">
        {areas.map(({ label }, index) => (
          <li key={label} className="flex min-w-0 items-center gap-1.5">
            <Swatch colour={colours.areas[index] ?? ""} />
            <bdi className="truncate">{label}</bdi>
          </li>
        ))}
        {outlook !== undefined && (
          <li className="flex items-center gap-1.5">
            <span aria-hidden className="w-4 border-t-2 border-dashed border-ink" />
            {t(outlook.band === undefined ? "expected" : "expectedBand")}
          </li>
        )}
        {props.marks.length > 0 && (
          <li className="flex items-center gap-1.5">
            <span aria-hidden className="text-warn">
              ▼
            </span>
            {t("unusual")}
          </li>
        )}
      </ul>
    </div>
  );
}

function Swatch({ colour }: { readonly colour: string }) {
  return <span aria-hidden className="size-3 shrink-0 rounded-sm" style={{ background: colour }} />;
}

/** The figures of a span as one sentence, for those who listen. */
function textOf(props: AreaChartProps, index: number, total: string): string {
  const ahead = index - props.at.length;
  if (ahead >= 0) {
    const iso = props.outlook?.at[ahead] ?? "";
    return `${props.writeAt(iso, false)}: ${props.outlook?.texts[ahead + (props.isLastOpen ? 1 : 0)] ?? ""}`;
  }
  const parts = props.areas.map(({ label, texts }) => `${label} ${texts[index] ?? ""}`);
  const mark = props.marks.find(({ at }) => at === index);
  const figures = [`${total} ${props.totals[index] ?? ""}`, ...parts].join(", ");
  return `${props.writeAt(props.at[index] ?? "", false)}: ${figures}${mark === undefined ? "" : `. ${mark.label}`}`;
}

interface ReadoutProps extends AreaChartProps {
  readonly index: number;
  readonly colours: readonly string[];
  readonly plot: uPlot | null;
}

/** Beside the cursor: every figure of the span, the highest area first, and their total. */
function Readout({ index, colours, plot, ...props }: ReadoutProps) {
  const t = useMessages(uiMessages);
  const ahead = index - props.at.length;
  const time = plot?.data[0][index];
  const left =
    plot === null || time === undefined ? 0 : plot.valToPos(time, "x") + plot.bbox.left / uPlot.pxRatio;
  const isRight = plot !== null && left > plot.width / 2;
  const mark = props.marks.find(({ at }) => at === index);
  const isOpen = props.isLastOpen && index === props.at.length - 1;
  return (
    <div
      aria-hidden
      className="pointer-events-none absolute top-2 z-10 max-w-[min(20rem,80%)] rounded-lg border border-line bg-raised px-3 py-2 text-small shadow-float"
      style={isRight ? { right: `calc(100% - ${left - 12}px)` } : { left: left + 12 }}
    >
      <p className="mb-1 font-medium">
        {props.writeAt(props.at[index] ?? props.outlook?.at[ahead] ?? "", false)}
        {isOpen && <span className="font-normal text-muted"> · {t("soFar")}</span>}
      </p>
      {ahead >= 0 ? (
        <p>
          {t("expected")}: {props.outlook?.texts[ahead + (props.isLastOpen ? 1 : 0)]}
        </p>
      ) : (
        <table className="figures w-full">
          <tbody>
            {props.areas
              .map((area, at) => ({ ...area, colour: colours[at] ?? "" }))
              .toReversed()
              .map(({ label, texts, colour }) => (
                <tr key={label}>
                  <td className="max-w-48 truncate pr-4">
                    <span className="inline-flex max-w-full items-center gap-1.5">
                      <Swatch colour={colour} />
                      <bdi className="truncate">{label}</bdi>
                    </span>
                  </td>
                  <td className="text-right">{texts[index]}</td>
                </tr>
              ))}
            <tr className="border-t border-line font-medium">
              <td className="pr-4">{t("total")}</td>
              <td className="text-right">{props.totals[index]}</td>
            </tr>
          </tbody>
        </table>
      )}
      {mark !== undefined && <p className="mt-1 text-warn">▼ {mark.label}</p>}
    </div>
  );
}
