/**
 * The table of requests, for an account's own and for the operator's of all: rows come from `useApiPages`,
 * further columns from the page. Knows no route.
 */
import { useMemo } from "react";
import type { Pages } from "../../api/queries.ts";
import { requestsMessages } from "../../i18n/en/pages/requests.ts";
import { type KeyOf, type Translate, useMessages } from "../../i18n/messages.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Duration } from "../../ui/figures.tsx";
import { EmptyState } from "../../ui/states.tsx";
import {
  MaybeDuration,
  RequestCharge,
  RequestModel,
  RequestResult,
  RequestTime,
  RequestTokens,
} from "./cells.tsx";
import type { RequestLine } from "./query.ts";

export interface RequestsTableProps<Row extends RequestLine> {
  readonly pages: Pages<Row>;
  /** The page of a row. */
  readonly rowTo: (row: Row) => string;
  /** After the model: account, upstream, cost. Kept stable by `useMemo`. */
  readonly extra?: readonly Column<Row>[];
  /** Something filters: an empty list then says so. */
  readonly isFiltered?: boolean;
}

function columnsOf<Row extends RequestLine>(
  t: Translate<KeyOf<typeof requestsMessages>>,
  extra: readonly Column<Row>[],
): readonly Column<Row>[] {
  return [
    { id: "time", header: t("time"), cell: (row) => <RequestTime at={row.createdAt} /> },
    { id: "model", header: t("model"), cell: (row) => <RequestModel row={row} /> },
    ...extra,
    { id: "result", header: t("result"), cell: (row) => <RequestResult row={row} /> },
    { id: "tokens", header: t("tokens"), align: "end", cell: (row) => <RequestTokens row={row} /> },
    { id: "charge", header: t("charge"), align: "end", cell: (row) => <RequestCharge row={row} /> },
    {
      id: "firstToken",
      header: t("firstToken"),
      align: "end",
      // A request's own page has it always.
      className: extra.length > 0 ? "max-[1400px]:hidden" : "max-xl:hidden",
      cell: (row) => <MaybeDuration ms={row.firstTokenMs} />,
    },
    {
      id: "duration",
      header: t("duration"),
      align: "end",
      cell: (row) => <Duration ms={row.durationMs} />,
    },
  ];
}

const noExtra: readonly never[] = [];

/** See `RequestsTableProps`. */
export function RequestsTable<Row extends RequestLine>(props: RequestsTableProps<Row>) {
  const t = useMessages(requestsMessages);
  const extra = props.extra ?? noExtra;
  const columns = useMemo(() => columnsOf<Row>(t, extra), [t, extra]);
  const { pages } = props;
  return (
    <DataTable
      label={t("title")}
      columns={columns}
      pages={pages}
      rowId={(row) => row.id}
      rowTo={props.rowTo}
      skeletonRows={8}
      empty={
        props.isFiltered === true ? (
          <EmptyState title={t("noMatches")} />
        ) : (
          <EmptyState title={t("noRequests")}>{t("noRequestsText")}</EmptyState>
        )
      }
    />
  );
}
