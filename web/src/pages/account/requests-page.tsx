/** The account's requests, with every filter in the URL. */
import { addressOf } from "../../api/call.ts";
import { useApiPages } from "../../api/queries.ts";
import { RequestFilters } from "../../features/requests/filters.tsx";
import { requestFilterDefaults, requestQuery } from "../../features/requests/query.ts";
import { RefusedNote } from "../../features/requests/refused-note.tsx";
import { RequestsTable } from "../../features/requests/table.tsx";
import { useKeyChoices } from "../../features/usage/key-choices.ts";
import { useModelChoices } from "../../features/usage/model-choices.ts";
import { ZoneNotice } from "../../features/usage/period-controls.tsx";
import { usePeriod } from "../../features/usage/use-period.ts";
import { requestsMessages } from "../../i18n/en/pages/requests.ts";
import { useMessages } from "../../i18n/messages.ts";
import { DownloadLink } from "../../ui/button.tsx";
import { useFilters } from "../../ui/filter-bar.tsx";
import { Card, PageHeader } from "../../ui/surfaces.tsx";

/** See above. */
export function RequestsPage() {
  const t = useMessages(requestsMessages);
  const filters = useFilters(requestFilterDefaults);
  const period = usePeriod(filters.values, "any");
  const query = requestQuery(filters.values, period.range);
  const pages = useApiPages("get /requests", { query }, (page) => page.requests, { keep: true });
  // The same answers, read once.
  const refused = useApiPages("get /requests", { query }, (page) => page.refused, { keep: true });
  return (
    <>
      <PageHeader title={t("title")}>{t("lead")}</PageHeader>
      <RequestFilters
        {...filters}
        period={period}
        models={useModelChoices(filters.values.model)}
        keys={useKeyChoices(filters.values.key)}
        labelsOf="own"
        actions={<DownloadLink to={addressOf("get /requests.csv", { query })}>{t("exportCsv")}</DownloadLink>}
      />
      <ZoneNotice period={period} />
      <RefusedNote refused={refused.rows} />
      <Card flush>
        <RequestsTable
          pages={pages}
          rowTo={(row) => `/requests/${encodeURIComponent(row.id)}`}
          isFiltered={filters.isFiltered}
        />
      </Card>
    </>
  );
}
