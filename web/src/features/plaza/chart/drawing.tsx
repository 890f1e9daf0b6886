/** The chart's drawing: axes, points that are links, names, and what the point in focus says. */
import { type KeyboardEvent, memo, useRef, useState } from "react";
import { plazaMessages } from "../../../i18n/en/pages/plaza.ts";
import { plazaChartMessages } from "../../../i18n/en/pages/plaza-chart.ts";
import { useMessages } from "../../../i18n/messages.ts";
import { useGo } from "../../../ui/navigation.tsx";
import { modelPath } from "../models.ts";
import type { Layout, Placed } from "./points.ts";
import { Shape } from "./shapes.tsx";
import type { Writing } from "./writing.ts";

export interface DrawingProps {
  readonly layout: Layout;
  readonly width: number;
  readonly height: number;
  readonly writing: Writing;
}

const steps: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 };

/** See above. One point is reached by Tab, the others from there by arrow keys, Home and End. */
export function Drawing({ layout, width, height, writing }: DrawingProps) {
  const t = useMessages(plazaChartMessages);
  const svg = useRef<SVGSVGElement>(null);
  const [focusedId, setFocusedId] = useState("");
  const [shownId, setShownId] = useState("");
  const { points } = layout;
  const focusedAt = Math.max(
    0,
    points.findIndex(({ model }) => model.id === focusedId),
  );
  const shown = points.find(({ model }) => model.id === shownId);
  const go = (at: number) => {
    const next = Math.min(points.length - 1, Math.max(0, at));
    svg.current?.querySelectorAll<SVGAElement>("a")[next]?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = steps[event.key];
    if (step !== undefined) go(focusedAt + step);
    else if (event.key === "Home") go(0);
    else if (event.key === "End") go(points.length - 1);
    else return;
    event.preventDefault();
  };
  return (
    <div className="relative">
      {/* biome-ignore lint/a11y/useSemanticElements: <fieldset> is for forms. */}
      <svg
        ref={svg}
        width={width}
        height={height}
        role="group"
        aria-label={t("chartLabel", { price: writing.priceName, speed: writing.speedName })}
        className="figures block overflow-visible text-tiny"
        onKeyDown={onKeyDown}
      >
        <Axes layout={layout} width={width} height={height} writing={writing} />
        {points.map((point, at) => (
          <Point
            key={point.model.id}
            point={point}
            text={textOf(point, writing)}
            isStop={at === focusedAt}
            onFocus={setFocusedId}
            onShow={setShownId}
          />
        ))}
      </svg>
      {shown !== undefined && <Tip point={shown} width={width} writing={writing} />}
    </div>
  );
}

function textOf({ model, price, speed }: Placed, writing: Writing): string {
  return `${model.name}: ${writing.price(price)}, ${writing.speed(speed)}, ${writing.success(model)}`;
}

interface PointProps {
  readonly point: Placed;
  readonly text: string;
  readonly isStop: boolean;
  readonly onFocus: (id: string) => void;
  readonly onShow: (id: string) => void;
}

const Point = memo(function Point({ point, text, isStop, onFocus, onShow }: PointProps) {
  const go = useGo();
  const { model, x, y, quality, label } = point;
  const to = modelPath(model.id);
  return (
    <a
      href={to}
      tabIndex={isStop ? 0 : -1}
      aria-label={text}
      className="group outline-none"
      onFocus={() => {
        onFocus(model.id);
        onShow(model.id);
      }}
      onBlur={() => onShow("")}
      onMouseEnter={() => onShow(model.id)}
      onMouseLeave={() => onShow("")}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        go(to);
      }}
    >
      <g transform={`translate(${x} ${y})`}>
        {/* Larger than what is seen, for fingers. */}
        <circle r={12} className="fill-transparent" />
        <circle r={11} className="hidden fill-none stroke-accent stroke-2 group-focus-visible:block" />
        <Shape quality={quality} />
      </g>
      {label !== null && (
        <text x={label.x} y={label.y} textAnchor={label.anchor} className="fill-muted">
          {model.name}
        </text>
      )}
    </a>
  );
});

function Axes({ layout, width, height, writing }: DrawingProps) {
  const t = useMessages(plazaMessages);
  const { area, xTicks, yTicks, freeX } = layout;
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in an axis can be focused.
    <g aria-hidden="true" className="fill-faint">
      {yTicks.map(({ value, px }) => (
        <g key={value}>
          <line x1={area.left} x2={area.right} y1={px} y2={px} className="stroke-line" />
          <text x={area.left - 8} y={px + 4} textAnchor="end">
            {writing.axis(value)}
          </text>
        </g>
      ))}
      {xTicks.map(({ value, px }) => (
        <g key={value}>
          <line x1={px} x2={px} y1={area.bottom} y2={area.bottom + 5} className="stroke-control" />
          <text x={px} y={area.bottom + 18} textAnchor="middle">
            {writing.price(value)}
          </text>
        </g>
      ))}
      {freeX !== null && (
        <text x={freeX} y={area.bottom + 18} textAnchor="middle">
          {t("free")}
        </text>
      )}
      <text x={(area.left + area.right) / 2} y={height - 6} textAnchor="middle" className="fill-muted">
        {writing.priceName}
      </text>
      <text x={4} y={14} className="fill-muted">
        {writing.speedName}
      </text>
      <line x1={area.left} x2={width} y1={area.bottom} y2={area.bottom} className="stroke-control" />
    </g>
  );
}

function Tip({
  point,
  width,
  writing,
}: {
  readonly point: Placed;
  readonly width: number;
  readonly writing: Writing;
}) {
  const t = useMessages(plazaMessages);
  const { x, y, model, price, speed } = point;
  const isRight = x > width / 2;
  return (
    <div
      aria-hidden
      className="pointer-events-none absolute z-10 w-max max-w-60 rounded-lg bg-raised px-3 py-2 text-small shadow-float"
      style={{
        top: Math.max(0, y - 20),
        ...(isRight ? { right: width - x + 14 } : { left: x + 14 }),
      }}
    >
      <p className="font-semibold" dir="auto">
        {model.name}
      </p>
      <p>
        {writing.priceName}: {writing.price(price)}
      </p>
      <p>
        {writing.speedName}: {writing.speed(speed)}
      </p>
      <p>
        {t("success")}: {writing.success(model)}
      </p>
    </div>
  );
}
