/** Usage across accounts as a table, by day, account, model or operation, with what upstreams bill. */
import { useCallback, useMemo } from "react";
import { useApiQuery } from "../../api/queries.ts";
import type { Answer, SentTo } from "../../api/routes.ts";
import { dateFormatter } from "../../format/formatters.ts";
import { nanosOf } from "../../format/money.ts";
import { operationMessages } from "../../i18n/en/operations.ts";
import { operatorRequestsMessages } from "../../i18n/en/pages/operator-requests.ts";
import { usageMessages } from "../../i18n/en/pages/usage.ts";
import { useLanguage } from "../../i18n/language.ts";
import { useMessages } from "../../i18n/messages.ts";
import type { Figure } from "../../ui/figure-table.tsx";
import { Money } from "../../ui/figures.tsx";
import { Card } from "../../ui/surfaces.tsx";
import { type FigureFilter, requestsLink } from "../requests/query.ts";
import { UsageTable } from "./table.tsx";
import { useLatencies } from "./use-latency.ts";

export type OperatorUsage = Answer<"get /operator/usage">;
type Row = OperatorUsage["rows"][number];

/** Fields by which the figures below the chart can be split. */
export const operatorTabs = ["day", "account", "model", "operation"] as const;
type By = (typeof operatorTabs)[number];

interface OperatorUsageTableProps {
  readonly by: By;
  readonly query: SentTo<"get /operator/usage">["query"];
  readonly rowFilter: FigureFilter;
}

/** Unknown where no request's cost is known. */
function Cost({ row }: { readonly row: Row }) {
  const t = useMessages(operatorRequestsMessages);
  if (row.withoutCost === row.requests && row.requests > 0) return <Money value={null} />;
  const title = row.withoutCost === 0 ? undefined : t("withoutCost", { count: row.withoutCost });
  return (
    <span title={title}>
      <Money value={row.cost} />
      {row.withoutCost > 0 && "+"}
    </span>
  );
}

/** See the file's comment. */
export function OperatorUsageTable({ by, query, rowFilter }: OperatorUsageTableProps) {
  const t = useMessages(operatorRequestsMessages);
  const tUsage = useMessages(usageMessages);
  const tOperation = useMessages(operationMessages);
  const language = useLanguage();
  const answer = useApiQuery("get /operator/usage", { query: { ...query, by } }, { keep: true });
  const latencies = useLatencies("operator", { ...query, by });
  const idOf = useCallback((row: Row): string => row[by] ?? "", [by]);
  const name = useMemo(() => {
    const format = dateFormatter(language, { dateStyle: "medium", timeZone: "UTC" });
    const labelOf = (row: Row): string => {
      if (by === "day") return format.format(new Date(`${row.day}T00:00:00Z`));
      if (by === "model") return row.model || tUsage("noModel");
      if (by === "operation") return row.operation === null ? "" : tOperation(`operation.${row.operation}`);
      return row.accountName ?? row.account ?? "";
    };
    return {
      header: by === "account" ? t(by) : by === "operation" ? tOperation(by) : tUsage(by),
      cell: (row: Row) => <bdi className="block max-w-80 truncate">{labelOf(row)}</bdi>,
      sortBy: (row: Row) => (by === "day" ? (row.day ?? "") : labelOf(row)),
    };
  }, [by, t, tUsage, tOperation, language]);
  const extra = useMemo(
    (): Figure<Row>[] => [
      {
        id: "cost",
        header: t("cost"),
        sortBy: (row) => nanosOf(row.cost),
        cell: (row) => <Cost row={row} />,
      },
    ],
    [t],
  );
  const rowTo = (row: Row): string => {
    const id = idOf(row);
    const filter = by === "day" ? { period: "custom", from: id, to: id } : { [by]: [id] };
    return requestsLink({ ...rowFilter, ...filter }, "/operator/requests");
  };
  return (
    <Card flush>
      <UsageTable
        key={by}
        label={t(`view.${by}`)}
        rows={answer.data?.rows}
        error={answer.error}
        onRetry={() => void answer.refetch()}
        rowId={(row) => `${by}:${idOf(row)}`}
        name={name}
        rowTo={rowTo}
        latencies={latencies}
        idOf={idOf}
        order={by === "day" ? "name" : "charge"}
        extra={extra}
      />
    </Card>
  );
}
