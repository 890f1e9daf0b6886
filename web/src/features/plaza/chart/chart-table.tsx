/** The chart's values as a table, for readers who do not see the chart. */
import { useState } from "react";
import { plazaMessages } from "../../../i18n/en/pages/plaza.ts";
import { plazaChartMessages } from "../../../i18n/en/pages/plaza-chart.ts";
import { useMessages } from "../../../i18n/messages.ts";
import { DataTable } from "../../../ui/data-table.tsx";
import { modelPath } from "../models.ts";
import type { Plotted } from "./points.ts";
import type { Writing } from "./writing.ts";

export interface ChartTableProps {
  readonly points: readonly Plotted[];
  readonly writing: Writing;
}

/** Closed at first: drawn once it is opened. */
export function ChartTable({ points, writing }: ChartTableProps) {
  const t = useMessages(plazaMessages);
  const tChart = useMessages(plazaChartMessages);
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="mt-3" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="w-fit rounded text-small text-accent">{tChart("asTable")}</summary>
      {isOpen && (
        <div className="mt-2 max-h-96 overflow-y-auto rounded-lg border border-line">
          <DataTable
            label={tChart("asTable")}
            rows={points}
            rowId={({ model }) => model.id}
            rowTo={({ model }) => modelPath(model.id)}
            columns={[
              {
                id: "name",
                header: t("model"),
                cell: ({ model }) => model.name,
                sortBy: ({ model }) => model.name,
              },
              {
                id: "price",
                header: writing.priceName,
                align: "end",
                cell: ({ price }) => writing.price(price),
                sortBy: ({ price }) => price,
              },
              {
                id: "speed",
                header: writing.speedName,
                align: "end",
                cell: ({ speed }) => writing.speed(speed),
                sortBy: ({ speed }) => speed,
              },
              {
                id: "success",
                header: t("success"),
                align: "end",
                cell: ({ model }) => writing.success(model),
                sortBy: ({ model }) => model.health?.successRate,
              },
            ]}
          />
        </div>
      )}
    </details>
  );
}
