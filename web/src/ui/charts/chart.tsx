/**
 * Charts over time: stacked bars or lines, with the same figures as a table. The drawing library
 * loads when first seen. Knows no page.
 */

import { ChartColumn, Table2 } from "lucide-react";
import { useState } from "react";
import { dateFormatter } from "../../format/formatters.ts";
import { uiMessages } from "../../i18n/en/ui.ts";
import { useLanguage } from "../../i18n/language.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Button } from "../button.tsx";
import { lazyPart, type Waiting } from "../lazy-part.tsx";
import { EmptyState, Skeleton } from "../states.tsx";
import type { ChartProps, DrawnProps, Series } from "./props.ts";

const { Part: ChartDrawing } = lazyPart(() => import("./drawing.tsx").then((file) => file.ChartDrawing));

/** See `ChartProps`. */
export function Chart(props: ChartProps) {
  const t = useMessages(uiMessages);
  const language = useLanguage();
  const [isTable, setTable] = useState(false);
  const hasFigures = props.series.some((one) =>
    one.heights.some((height) => height !== null && height !== 0),
  );
  // Days are those of UTC: all equally long, and the same on every device.
  const days = dateFormatter(language, { month: "short", day: "numeric", timeZone: "UTC" });
  const writeAt = props.writeAt ?? ((iso: string) => days.format(new Date(iso)));
  const drawn = { ...props, language, writeAt };
  if (!hasFigures) return <EmptyState title={t("noFigures")} />;
  return (
    <figure className="flex min-w-0 flex-col gap-3" aria-label={props.label}>
      {isTable ? (
        <ChartTable {...drawn} />
      ) : (
        <ChartDrawing {...drawn} waiting={(state) => <ChartWaiting {...state} />} />
      )}
      <figcaption className="flex flex-wrap items-center justify-between gap-2 text-small text-muted">
        <span>{props.note}</span>
        <Button
          variant="quiet"
          size="small"
          icon={
            isTable ? (
              <ChartColumn aria-hidden className="size-4" />
            ) : (
              <Table2 aria-hidden className="size-4" />
            )
          }
          onClick={() => setTable(!isTable)}
        >
          {isTable ? t("asChart") : t("asTable")}
        </Button>
      </figcaption>
    </figure>
  );
}

/** The table holds the same figures: a drawing that cannot be loaded costs nothing but its look. */
function ChartWaiting({ hasFailed, retry }: Waiting) {
  const t = useMessages(uiMessages);
  if (!hasFailed) return <Skeleton className="h-56 w-full" />;
  return (
    <div className="flex h-56 items-center justify-center rounded-lg bg-sunken">
      <Button onClick={retry}>{t("retry")}</Button>
    </div>
  );
}

function ChartTable({ label, at, series, write, writeAt }: DrawnProps) {
  const t = useMessages(uiMessages);
  const shown = (one: Series, index: number): string => {
    const height = one.heights[index];
    return one.texts?.[index] ?? (height === null || height === undefined ? "–" : write(height));
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a block that scrolls must be reached by the keyboard.
    <div tabIndex={0} className="max-h-80 overflow-auto rounded-lg border border-line">
      <table className="figures w-full text-body" aria-label={label}>
        <thead className="sticky top-0 bg-sunken text-left">
          <tr>
            <th scope="col" className="px-3 py-1.5 text-left font-medium">
              {t("time")}
            </th>
            {series.map((one) => (
              <th key={one.label} scope="col" className="px-3 py-1.5 text-right font-medium">
                {one.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {at.map((iso, index) => (
            <tr key={iso} className="border-t border-line">
              <th scope="row" className="px-3 py-1 text-left font-normal whitespace-nowrap text-muted">
                {writeAt(iso)}
              </th>
              {series.map((one) => (
                <td key={one.label} className="px-3 py-1 text-right">
                  {shown(one, index)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
