/**
 * The models found as a chart: price from left to right, speed from bottom to top, success rate as a shape.
 * Points are links; arrow keys go from one to the next. The same values stand in a table below.
 */
import { ChartScatter } from "lucide-react";
import { useLayoutEffect, useMemo, useRef, useState } from "react";
import { plazaChartMessages } from "../../../i18n/en/pages/plaza-chart.ts";
import { useMessages } from "../../../i18n/messages.ts";
import { Select } from "../../../ui/inputs/choices.tsx";
import { EmptyState } from "../../../ui/states.tsx";
import { Card } from "../../../ui/surfaces.tsx";
import type { PlazaFilters } from "../list/state.ts";
import type { PlazaModel } from "../models.ts";
import { ChartTable } from "./chart-table.tsx";
import { Drawing } from "./drawing.tsx";
import { layoutOf, type Plotted, type PriceAxis, plotted, type SpeedAxis } from "./points.ts";
import { Legend } from "./shapes.tsx";
import { useWriting, type Writing } from "./writing.ts";

export interface ScatterProps {
  readonly models: readonly PlazaModel[];
  readonly filters: PlazaFilters;
}

/** See above. */
export function Scatter({ models, filters }: ScatterProps) {
  const t = useMessages(plazaChartMessages);
  const { values, set } = filters;
  const priceAxis: PriceAxis = values.x === "input" ? "input" : "output";
  const speedAxis: SpeedAxis = values.y === "first" ? "first" : "speed";
  const points = useMemo(() => plotted(models, priceAxis, speedAxis), [models, priceAxis, speedAxis]);
  const writing = useWriting(priceAxis, speedAxis);
  return (
    <Card>
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <Select
          label={t("priceAxis")}
          value={priceAxis}
          onChange={(x) => set({ x: x === "input" ? x : "" })}
          className="w-48"
          choices={[
            { value: "output", label: t("byOutputPrice") },
            { value: "input", label: t("byInputPrice") },
          ]}
        />
        <Select
          label={t("speedAxis")}
          value={speedAxis}
          onChange={(y) => set({ y: y === "first" ? y : "" })}
          className="w-56"
          choices={[
            { value: "speed", label: t("bySpeed") },
            { value: "first", label: t("byFirstToken") },
          ]}
        />
        <Legend />
      </div>
      {points.length === 0 ? (
        <EmptyState icon={<ChartScatter />} title={t("noneTitle")}>
          {t("noneText")}
        </EmptyState>
      ) : (
        <Sized points={points} writing={writing} />
      )}
      {points.length > 0 && points.length < models.length && (
        <p className="mt-2 text-small text-muted">{t("leftOut", { count: models.length - points.length })}</p>
      )}
      {points.length > 0 && <ChartTable points={points} writing={writing} />}
    </Card>
  );
}

interface SizedProps {
  readonly points: readonly Plotted[];
  readonly writing: Writing;
}

/** Draws in the width there is. */
function Sized({ points, writing }: SizedProps) {
  const ref = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const measure = () => setWidth(Math.floor(element.clientWidth));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const height = width < 500 ? 340 : 460;
  const layout = useMemo(
    () => (width === 0 ? undefined : layoutOf(points, { width, height })),
    [points, width, height],
  );
  return (
    <div ref={ref} style={{ minHeight: height }}>
      {layout !== undefined && <Drawing layout={layout} width={width} height={height} writing={writing} />}
    </div>
  );
}
