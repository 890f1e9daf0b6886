/** Lays out the rows of `dashboard-rows.ts` as `packaging/monitoring/grafana-plaza.json`. */
import { type Panel, requests, rows } from "./dashboard-rows.ts";

const source = { type: "prometheus", uid: "$datasource" };
const columns = 24;
const height = 8;
const numberHeight = 4;

function panelOf({ title, unit, about, queries, isNumber, isStacked }: Panel) {
  const stacking = { mode: isStacked === true ? "normal" : "none", group: "A" };
  const lines = { fillOpacity: isStacked === true ? 30 : 5, lineWidth: 1, showPoints: "never", stacking };
  return {
    title,
    description: about,
    type: isNumber === true ? "stat" : "timeseries",
    datasource: source,
    fieldConfig: {
      defaults: { unit, min: 0, ...(isNumber === true ? {} : { custom: lines }) },
      overrides: [],
    },
    options:
      isNumber === true
        ? {
            reduceOptions: { calcs: ["lastNotNull"], fields: "", values: false },
            graphMode: "area",
            colorMode: "none",
          }
        : { legend: { displayMode: "list", placement: "bottom" }, tooltip: { mode: "multi", sort: "desc" } },
    targets: queries.map(({ expr, legend }, index) => ({
      refId: String.fromCharCode(65 + index),
      datasource: source,
      expr,
      legendFormat: legend,
    })),
  };
}

/** Rows below each other, the panels of a row beside each other; ids and places are made here. */
function layOut(): object[] {
  const panels: object[] = [];
  let y = 0;
  for (const { title, panels: inRow } of rows) {
    const perLine = Math.min(inRow.length, inRow[0]?.isNumber === true ? 6 : 2);
    const w = columns / perLine;
    const h = inRow[0]?.isNumber === true ? numberHeight : height;
    panels.push({
      id: panels.length + 1,
      type: "row",
      title,
      collapsed: false,
      panels: [],
      gridPos: { x: 0, y, w: columns, h: 1 },
    });
    y += 1;
    for (const [index, panel] of inRow.entries()) {
      const gridPos = { x: (index % perLine) * w, y: y + Math.floor(index / perLine) * h, w, h };
      panels.push({ id: panels.length + 1, ...panelOf(panel), gridPos });
    }
    y += Math.ceil(inRow.length / perLine) * h;
  }
  return panels;
}

const variable = (name: string, label: string, metric: string) => ({
  name,
  label,
  type: "query",
  datasource: source,
  query: { query: `label_values(${metric}, ${name})`, refId: name },
  definition: `label_values(${metric}, ${name})`,
  includeAll: true,
  allValue: ".*",
  multi: true,
  refresh: 2,
  sort: 1,
  current: { text: "All", value: "$__all" },
});

/** All queries, for the test. */
export const dashboardQueries = (): string[] =>
  rows.flatMap(({ panels }) => panels.flatMap(({ queries }) => queries.map(({ expr }) => expr)));

/** The text of packaging/monitoring/grafana-plaza.json. */
export function dashboardFile(): string {
  const dashboard = {
    uid: "plaza",
    title: "Plaza",
    description: "Generated from tools/monitoring/dashboard-rows.ts by tools/docs.ts; change it there.",
    tags: ["plaza"],
    schemaVersion: 39,
    editable: true,
    graphTooltip: 1,
    refresh: "30s",
    time: { from: "now-3h", to: "now" },
    templating: {
      list: [
        { name: "datasource", label: "Prometheus", type: "datasource", query: "prometheus", current: {} },
        variable("instance", "Instance", "plaza_build_info"),
        variable("model", "Model", requests),
      ],
    },
    panels: layOut(),
  };
  return `${JSON.stringify(dashboard, null, 2)}\n`;
}
