/**
 * Usage across accounts: totals, charge and cost by day, and the same figures by day, account, model or
 * operation.
 */
import { ChartArea } from "lucide-react";
import { useMemo } from "react";
import { useApiQuery } from "../../api/queries.ts";
import { useAccountChoices } from "../../features/accounts/account-choices.ts";
import { requestsLink } from "../../features/requests/query.ts";
import { useModelChoices } from "../../features/usage/model-choices.ts";
import { OperationSelect } from "../../features/usage/operation-select.tsx";
import {
  type OperatorUsage,
  OperatorUsageTable,
  operatorTabs,
} from "../../features/usage/operator-table.tsx";
import { PeriodControls, ZoneNotice, ZoneSelect } from "../../features/usage/period-controls.tsx";
import { UsageStats } from "../../features/usage/stats.tsx";
import { useLatencies } from "../../features/usage/use-latency.ts";
import { daysOfAnswer, usageFilterDefaults, useUsageView } from "../../features/usage/view.ts";
import { chartHeight, formatMoney } from "../../format/money.ts";
import { formatExact } from "../../format/time.ts";
import { explorerMessages } from "../../i18n/en/pages/explorer.ts";
import { operatorRequestsMessages } from "../../i18n/en/pages/operator-requests.ts";
import { usageMessages } from "../../i18n/en/pages/usage.ts";
import { useLanguage } from "../../i18n/language.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Link } from "../../ui/button.tsx";
import { Chart } from "../../ui/charts/chart.tsx";
import { Money } from "../../ui/figures.tsx";
import { FilterBar, useFilters } from "../../ui/filter-bar.tsx";
import { MultiSelect } from "../../ui/inputs/multi-select.tsx";
import { ErrorState, Skeleton } from "../../ui/states.tsx";
import { Card, PageHeader, Stat } from "../../ui/surfaces.tsx";
import { Tabs } from "../../ui/tabs.tsx";

const defaults = { ...usageFilterDefaults, account: [] as string[] };
const requestsPage = "/operator/requests";

/** See above. */
export function OperatorUsagePage() {
  const t = useMessages(operatorRequestsMessages);
  const tExplorer = useMessages(explorerMessages);
  const filters = useFilters(defaults);
  const { values } = filters;
  const view = useUsageView(values);
  const account = values.account.length === 0 ? {} : { account: [...values.account] };
  const query = { ...view.query, ...account };
  const byDay = useApiQuery("get /operator/usage", { query: { ...query, by: "day" } }, { keep: true });
  view.period.onError(byDay.error);
  const latencies = useLatencies("operator", { ...query, by: "day" });
  const rowFilter = { ...view.rowFilter, ...account };
  const by = operatorTabs.find((tab) => tab === values.view) ?? "day";
  return (
    <>
      <PageHeader
        title={t("usageTitle")}
        actions={
          <Link
            to="/operator/usage/explore"
            variant="plain"
            icon={<ChartArea aria-hidden className="size-4" />}
          >
            {tExplorer("explore")}
          </Link>
        }
      >
        {t("usageLead")}
      </PageHeader>
      <UsageFilters filters={filters} view={view} />
      <ZoneNotice period={view.period} />
      {byDay.data === undefined && byDay.error !== null ? (
        <Card>
          <ErrorState error={byDay.error} onRetry={() => void byDay.refetch()} />
        </Card>
      ) : (
        <div className="flex flex-col gap-4">
          <UsageStats
            total={byDay.data?.total}
            latencies={latencies}
            rowsTo={(state) =>
              requestsLink({ ...rowFilter, ...(state === undefined ? {} : { state: [state] }) }, requestsPage)
            }
          >
            <CostStat total={byDay.data?.total} />
          </UsageStats>
          <CostChart usage={byDay.data} />
          <Tabs
            label={t("views")}
            value={by}
            onChange={(next) => filters.set({ view: next })}
            tabs={operatorTabs.map((one) => ({
              value: one,
              label: t(`view.${one}`),
              content: <OperatorUsageTable by={one} query={query} rowFilter={rowFilter} />,
            }))}
          />
          <AsOf usage={byDay.data} timeZone={view.period.timeZone} />
        </div>
      )}
    </>
  );
}

interface UsageFiltersProps {
  readonly filters: ReturnType<typeof useFilters<typeof defaults>>;
  readonly view: ReturnType<typeof useUsageView>;
}

function UsageFilters({ filters, view }: UsageFiltersProps) {
  const t = useMessages(operatorRequestsMessages);
  const tUsage = useMessages(usageMessages);
  const { values, set } = filters;
  const accounts = useAccountChoices(values.account);
  return (
    <FilterBar isFiltered={filters.isFiltered} onClear={filters.clear}>
      <PeriodControls values={values} period={view.period} set={set} />
      <ZoneSelect values={values} set={set} />
      <MultiSelect
        label={t("accounts")}
        emptyText={t("allAccounts")}
        className="sm:w-44"
        value={values.account}
        {...accounts}
        onChange={(account) => set({ account })}
      />
      <MultiSelect
        label={tUsage("models")}
        emptyText={tUsage("allModels")}
        className="sm:w-44"
        value={values.model}
        choices={useModelChoices(values.model)}
        onChange={(model) => set({ model })}
      />
      <OperationSelect value={values.operation} onChange={(operation) => set({ operation })} />
    </FilterBar>
  );
}

function CostStat({ total }: { readonly total: OperatorUsage["total"] | undefined }) {
  const t = useMessages(operatorRequestsMessages);
  const note =
    total === undefined || total.withoutCost === 0
      ? t("knownCost")
      : t("withoutCost", { count: total.withoutCost });
  return (
    <Stat label={t("cost")} note={note}>
      {total === undefined ? (
        <Skeleton className="h-7 w-24" />
      ) : total.withoutCost === total.requests && total.requests > 0 ? (
        <Money value={null} />
      ) : (
        <Money value={total.cost} />
      )}
    </Stat>
  );
}

function CostChart({ usage }: { readonly usage: OperatorUsage | undefined }) {
  const t = useMessages(operatorRequestsMessages);
  const days = useMemo(() => (usage === undefined ? [] : daysOfAnswer(usage)), [usage]);
  const series = useMemo(() => {
    const rows = new Map(usage?.rows.map((row) => [row.day, row]));
    // A day without requests is nothing charged and nothing billed; a day with
    // unknown costs is a gap, not 0.
    const charges = days.map((day) => rows.get(day)?.charge ?? "0");
    const costs = days.map((day) => {
      const row = rows.get(day);
      if (row === undefined) return "0";
      return row.withoutCost === row.requests && row.requests > 0 ? null : row.cost;
    });
    const of = (label: string, amounts: readonly (string | null)[]) => ({
      label,
      heights: amounts.map((amount) => (amount === null ? null : chartHeight(amount))),
      texts: amounts.map((amount) => (amount === null ? null : formatMoney(amount))),
    });
    const hasCosts = (usage?.total.withoutCost ?? 0) < (usage?.total.requests ?? 0);
    return [of(t("charge"), charges), ...(hasCosts ? [of(t("cost"), costs)] : [])];
  }, [usage, days, t]);
  const at = useMemo(() => days.map((day) => `${day}T00:00:00Z`), [days]);
  return (
    <Card title={t("costChart")}>
      {usage === undefined ? (
        <Skeleton className="h-56 w-full" />
      ) : (
        <Chart label={t("costChart")} kind="lines" at={at} series={series} write={writeDollars} />
      )}
    </Card>
  );
}

const writeDollars = (height: number): string => formatMoney(height.toFixed(9));

interface AsOfProps {
  readonly usage: OperatorUsage | undefined;
  readonly timeZone: string;
}

function AsOf({ usage, timeZone }: AsOfProps) {
  const t = useMessages(operatorRequestsMessages);
  const language = useLanguage();
  if (usage === undefined) return null;
  return (
    <p className="text-small text-muted">
      {t("asOf", { time: formatExact(usage.asOf, language, timeZone), zone: timeZone })}
    </p>
  );
}
