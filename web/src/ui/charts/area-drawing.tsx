/**
 * Draws an area chart with a readout of every figure of a span, by mouse, touch and keyboard. Loaded by
 * `area-chart.tsx`.
 */
import { useEffect, useRef, useState } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { uiMessages } from "../../i18n/en/ui.ts";
import { useMessages } from "../../i18n/messages.ts";
import { pictureOf } from "./area-picture.ts";
import { areaColours, areaData, areaOptions } from "./area-plot.ts";
import type { AreaChartProps } from "./area-props.ts";
import { leftOf, pointAt, pointerFor } from "./plot-point.ts";
import { Legend, Readout } from "./readout.tsx";
import { useThemeTurn } from "./theme-turn.ts";
import { useReading } from "./use-reading.tsx";

const height = 300;

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
  const { areas, outlook, onImage } = props;
  const colours = areaColours(areas);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a turn of the theme draws anew in its colours.
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const now = areaColours(latest.current.areas);
    const size = { width: element.clientWidth, height };
    const plot = new uPlot(
      areaOptions(() => latest.current, now, size, pointerFor(element, setAt)),
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
  const { slider, keys } = useReading({
    label: props.label,
    points: last + 1,
    at,
    onMove: move,
    textOf: (index) => textOf(props, at === undefined ? props.at.length - 1 : index, t("total")),
    onPick: (index) => {
      if (index < props.at.length) props.onPick?.(index);
    },
  });
  return (
    <div className="relative min-w-0">
      {/* biome-ignore-start lint/a11y: `slider` gives the role and the keys. */}
      <div
        ref={place}
        {...slider}
        onClick={({ nativeEvent }) => {
          // A tap reads a point; there is no other way to on a phone.
          const isTap = nativeEvent instanceof PointerEvent && nativeEvent.pointerType === "touch";
          if (!isTap && at !== undefined && at < props.at.length) props.onPick?.(at);
        }}
        className="figures min-w-0 rounded-lg"
      />
      {/* biome-ignore-end lint/a11y: `slider` gives the role and the keys. */}
      {keys}
      {at !== undefined && (
        <AreaReadout {...props} index={at} colours={colours.areas} plot={plotRef.current} />
      )}
      <Legend names={areas.map(({ label }, index) => ({ label, colour: colours.areas[index] ?? "" }))}>
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
      </Legend>
    </div>
  );
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

interface AreaReadoutProps extends AreaChartProps {
  readonly index: number;
  readonly colours: readonly string[];
  readonly plot: uPlot | null;
}

/** Every figure of the span, the highest area first, and their total. */
function AreaReadout({ index, colours, plot, ...props }: AreaReadoutProps) {
  const t = useMessages(uiMessages);
  const ahead = index - props.at.length;
  const mark = props.marks.find(({ at }) => at === index);
  const isOpen = props.isLastOpen && index === props.at.length - 1;
  const rows = props.areas.map(({ label, texts }, at) => ({
    label,
    text: texts[index],
    colour: colours[at] ?? "",
  }));
  return (
    <Readout
      left={leftOf(plot, index)}
      width={plot?.width ?? 0}
      title={
        <>
          {props.writeAt(props.at[index] ?? props.outlook?.at[ahead] ?? "", false)}
          {isOpen && <span className="font-normal text-muted"> · {t("soFar")}</span>}
        </>
      }
      rows={ahead >= 0 ? [] : rows.toReversed()}
      total={props.totals[index]}
    >
      {ahead >= 0 && (
        <p>
          {t("expected")}: {props.outlook?.texts[ahead + (props.isLastOpen ? 1 : 0)]}
        </p>
      )}
      {mark !== undefined && <p className="mt-1 text-warn">▼ {mark.label}</p>}
    </Readout>
  );
}
