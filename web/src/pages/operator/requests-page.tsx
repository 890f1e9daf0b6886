/** Requests of all accounts, with every filter in the URL. */
import { useMemo } from "react";
import { addressOf } from "../../api/call.ts";
import { useApiPages } from "../../api/queries.ts";
import type { Answer } from "../../api/routes.ts";
import { useAccountChoices } from "../../features/accounts/account-choices.ts";
import { RequestFilters } from "../../features/requests/filters.tsx";
import { requestFilterDefaults, requestQuery } from "../../features/requests/query.ts";
import { RefusedNote } from "../../features/requests/refused-note.tsx";
import { RequestsTable } from "../../features/requests/table.tsx";
import { useModelChoices } from "../../features/usage/model-choices.ts";
import { ZoneNotice } from "../../features/usage/period-controls.tsx";
import { usePeriod } from "../../features/usage/use-period.ts";
import { operatorRequestsMessages } from "../../i18n/en/pages/operator-requests.ts";
import { useMessages } from "../../i18n/messages.ts";
import { DownloadLink, Link } from "../../ui/button.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { Money } from "../../ui/figures.tsx";
import { useFilters } from "../../ui/filter-bar.tsx";
import { MultiSelect } from "../../ui/inputs/multi-select.tsx";
import { Card, PageHeader } from "../../ui/surfaces.tsx";

type Row = Answer<"get /operator/requests">["requests"][number];

const defaults = { ...requestFilterDefaults, account: [] as string[] };

const rowTo = (row: Row) => `/operator/requests/${encodeURIComponent(row.id)}`;

function useExtraColumns(): readonly Column<Row>[] {
  const t = useMessages(operatorRequestsMessages);
  return useMemo(
    () => [
      {
        id: "account",
        header: t("account"),
        cell: (row) => (
          <span className="block max-w-28 min-w-0 2xl:max-w-48">
            <Link to={`/operator/accounts/${encodeURIComponent(row.accountId)}`}>
              <bdi className="block truncate" title={row.accountName ?? row.accountId}>
                {row.accountName ?? t("noAccount")}
              </bdi>
            </Link>
            {row.upstream !== null && (
              <span
                className="block truncate text-small text-muted"
                title={`${t("upstream")}: ${row.upstream}, ${row.upstreamModel ?? ""}`}
              >
                {row.upstream}
              </span>
            )}
          </span>
        ),
      },
      {
        id: "cost",
        header: t("cost"),
        align: "end",
        className: "max-2xl:hidden",
        cell: (row) => <Money value={row.cost} />,
      },
    ],
    [t],
  );
}

/** See above. */
export function OperatorRequestsPage() {
  const t = useMessages(operatorRequestsMessages);
  const filters = useFilters(defaults);
  const { values, set } = filters;
  const period = usePeriod(values, "any");
  const query = {
    ...requestQuery(values, period.range),
    ...(values.account.length === 0 ? {} : { account: [...values.account] }),
  };
  const pages = useApiPages("get /operator/requests", { query }, (page) => page.requests, { keep: true });
  // The same answers, read once.
  const refused = useApiPages("get /operator/requests", { query }, (page) => page.refused, { keep: true });
  const accounts = useAccountChoices(values.account);
  return (
    <>
      <PageHeader title={t("title")}>{t("lead")}</PageHeader>
      <RequestFilters
        {...filters}
        period={period}
        models={useModelChoices(values.model)}
        labelsOf={{ accounts: values.account }}
        actions={
          <DownloadLink to={addressOf("get /operator/requests.csv", { query })}>
            {t("exportCsv")}
          </DownloadLink>
        }
      >
        <MultiSelect
          label={t("accounts")}
          emptyText={t("allAccounts")}
          className="sm:w-44"
          value={values.account}
          {...accounts}
          onChange={(account) => set({ account })}
        />
      </RequestFilters>
      <ZoneNotice period={period} />
      <RefusedNote refused={refused.rows} />
      <Card flush>
        <RequestsTable
          pages={pages}
          rowTo={rowTo}
          extra={useExtraColumns()}
          isFiltered={filters.isFiltered}
        />
      </Card>
    </>
  );
}
