/** The account's usage: totals, a chart over days, the same figures as a table. Every view is in the URL. */
import { ChartArea } from "lucide-react";
import { addressOf } from "../../api/call.ts";
import { useApiQuery } from "../../api/queries.ts";
import { requestsLink } from "../../features/requests/query.ts";
import { ChartCard } from "../../features/usage/chart-card.tsx";
import { useKeyChoices } from "../../features/usage/key-choices.ts";
import { useModelChoices } from "../../features/usage/model-choices.ts";
import { OperationSelect } from "../../features/usage/operation-select.tsx";
import { PeriodControls, ZoneNotice, ZoneSelect } from "../../features/usage/period-controls.tsx";
import { UsageStats } from "../../features/usage/stats.tsx";
import { useLatencies } from "../../features/usage/use-latency.ts";
import { usageFilterDefaults, usageTabs, useUsageView } from "../../features/usage/view.ts";
import { ViewTable } from "../../features/usage/view-table.tsx";
import { formatExact } from "../../format/time.ts";
import { explorerMessages } from "../../i18n/en/pages/explorer.ts";
import { usageMessages } from "../../i18n/en/pages/usage.ts";
import { useLanguage } from "../../i18n/language.ts";
import { useMessages } from "../../i18n/messages.ts";
import { DownloadLink, Link } from "../../ui/button.tsx";
import { FilterBar, useFilters } from "../../ui/filter-bar.tsx";
import { MultiSelect } from "../../ui/inputs/multi-select.tsx";
import { ErrorState } from "../../ui/states.tsx";
import { Card, PageHeader } from "../../ui/surfaces.tsx";
import { Tabs } from "../../ui/tabs.tsx";

/** See above. */
export function UsagePage() {
  const t = useMessages(usageMessages);
  const language = useLanguage();
  const tExplorer = useMessages(explorerMessages);
  const filters = useFilters(usageFilterDefaults);
  const { values, set } = filters;
  const view = useUsageView(values);
  const total = useApiQuery("get /usage", { query: { ...view.query, by: "day" } }, { keep: true });
  view.period.onError(total.error);
  const latencies = useLatencies("account", { ...view.query, by: "day" });
  const models = useModelChoices(values.model);
  const keys = useKeyChoices(values.key);
  const { timeZone: _, ...exportQuery } = view.query;
  return (
    <>
      <PageHeader
        title={t("title")}
        actions={
          <Link to="/usage/explore" variant="plain" icon={<ChartArea aria-hidden className="size-4" />}>
            {tExplorer("explore")}
          </Link>
        }
      >
        {t("lead")}
      </PageHeader>
      <FilterBar
        isFiltered={
          values.period !== "30d" ||
          values.zone !== "" ||
          values.model.length + values.key.length + values.operation.length > 0
        }
        onClear={() => set({ period: "30d", from: "", to: "", zone: "", model: [], key: [], operation: [] })}
        actions={
          <DownloadLink to={addressOf("get /requests.csv", { query: exportQuery })}>
            {t("exportCsv")}
          </DownloadLink>
        }
      >
        <PeriodControls values={values} period={view.period} set={set} />
        <ZoneSelect values={values} set={set} />
        <MultiSelect
          label={t("models")}
          emptyText={t("allModels")}
          className="sm:w-36"
          value={values.model}
          choices={models}
          onChange={(chosen) => set({ model: chosen })}
        />
        <MultiSelect
          label={t("keys")}
          emptyText={t("allKeys")}
          className="sm:w-32"
          value={values.key}
          choices={keys.choices}
          onSearch={keys.onSearch}
          onChange={(chosen) => set({ key: chosen })}
        />
        <OperationSelect value={values.operation} onChange={(operation) => set({ operation })} />
      </FilterBar>
      <ZoneNotice period={view.period} />
      {total.data === undefined && total.error !== null ? (
        <Card>
          <ErrorState error={total.error} onRetry={() => void total.refetch()} />
        </Card>
      ) : (
        <div className="flex flex-col gap-4">
          <UsageStats
            total={total.data?.total}
            latencies={latencies}
            rowsTo={(state) =>
              requestsLink({ ...view.rowFilter, ...(state === undefined ? {} : { state: [state] }) })
            }
          />
          <ChartCard
            view={view}
            total={total.data}
            latencies={latencies}
            measure={values.measure}
            split={values.split}
            set={set}
          />
          <Tabs
            label={t("views")}
            value={view.by}
            onChange={(by) => set({ view: by })}
            tabs={usageTabs.map((by) => ({
              value: by,
              label: t(`view.${by}`),
              content: <ViewTable by={by} view={view} />,
            }))}
          />
          {total.data !== undefined && (
            <p className="text-small text-muted">
              {t("asOf", {
                time: formatExact(total.data.asOf, language, total.data.timeZone),
                zone: total.data.timeZone,
              })}
            </p>
          )}
        </div>
      )}
    </>
  );
}
