/** The tables of the usage page: by day, model, key and operation. Asks for its rows when it is shown. */
import { useCallback, useMemo } from "react";
import { useApiQuery } from "../../api/queries.ts";
import { dateFormatter } from "../../format/formatters.ts";
import { operationMessages } from "../../i18n/en/operations.ts";
import { usageMessages } from "../../i18n/en/pages/usage.ts";
import { useLanguage } from "../../i18n/language.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Card } from "../../ui/surfaces.tsx";
import { requestsLink } from "../requests/query.ts";
import type { UsageRow } from "./series.ts";
import { UsageTable } from "./table.tsx";
import { useLatencies } from "./use-latency.ts";
import type { UsageTab, UsageView } from "./view.ts";

const idOf = (by: UsageTab, row: UsageRow): string => row[by] ?? "";

/** See above. */
export function ViewTable({ by, view }: { readonly by: UsageTab; readonly view: UsageView }) {
  const t = useMessages(usageMessages);
  const tOperation = useMessages(operationMessages);
  const language = useLanguage();
  const answer = useApiQuery("get /usage", { query: { ...view.query, by } }, { keep: true });
  const latencies = useLatencies("account", { ...view.query, by });
  const groupOf = useCallback((row: UsageRow) => idOf(by, row), [by]);
  const name = useMemo(() => {
    const format = dateFormatter(language, { dateStyle: "medium", timeZone: "UTC" });
    const labelOf = (row: UsageRow): string => {
      if (by === "day") return format.format(new Date(`${row.day}T00:00:00Z`));
      if (by === "model") return row.model || t("noModel");
      if (by === "operation") return row.operation === null ? "" : tOperation(`operation.${row.operation}`);
      return row.keyName ?? t("namelessKey", { id: row.key ?? "" });
    };
    return {
      header: by === "operation" ? tOperation(by) : t(by),
      cell: (row: UsageRow) => <bdi className="block max-w-80 truncate">{labelOf(row)}</bdi>,
      sortBy: (row: UsageRow) => (by === "day" ? (row.day ?? "") : labelOf(row)),
    };
  }, [by, t, tOperation, language]);
  const rowTo = (row: UsageRow): string => {
    const id = idOf(by, row);
    if (by === "day") return requestsLink({ ...view.rowFilter, period: "custom", from: id, to: id });
    return requestsLink({ ...view.rowFilter, [by]: [id] });
  };
  return (
    <Card flush>
      <UsageTable
        key={by}
        label={t(`view.${by}`)}
        rows={answer.data?.rows}
        error={answer.error}
        onRetry={() => void answer.refetch()}
        rowId={(row) => `${by}:${idOf(by, row)}`}
        name={name}
        rowTo={rowTo}
        latencies={latencies}
        idOf={groupOf}
        order={by === "day" ? "name" : "charge"}
      />
    </Card>
  );
}
