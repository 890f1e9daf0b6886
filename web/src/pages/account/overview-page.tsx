/** The account at a glance: address, balance, figures of a period, recent requests. */
import { useMemo } from "react";
import { useApiPages, useApiQuery } from "../../api/queries.ts";
import { BalanceNotice } from "../../features/ledger/balance-notice.tsx";
import { FirstRequestCard } from "../../features/overview/first-request-card.tsx";
import { requestsLink } from "../../features/requests/query.ts";
import { RequestsTable } from "../../features/requests/table.tsx";
import { UsageChart } from "../../features/usage/chart.tsx";
import { PeriodControls, ZoneNotice } from "../../features/usage/period-controls.tsx";
import { UsageStats } from "../../features/usage/stats.tsx";
import { useLatencies } from "../../features/usage/use-latency.ts";
import {
  daysOfAnswer,
  type UsageView,
  usageFilterDefaults,
  useUsageView,
} from "../../features/usage/view.ts";
import { formatExact } from "../../format/time.ts";
import { overviewMessages } from "../../i18n/en/pages/overview.ts";
import { usageMessages } from "../../i18n/en/pages/usage.ts";
import { useLanguage } from "../../i18n/language.ts";
import { useMessages } from "../../i18n/messages.ts";
import { writeSearch } from "../../shell/search-text.ts";
import { useSession } from "../../shell/session.ts";
import { Link } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/code.tsx";
import { Money } from "../../ui/figures.tsx";
import { useFilters } from "../../ui/filter-bar.tsx";
import { ErrorState, Skeleton } from "../../ui/states.tsx";
import { Card, PageHeader, Stat } from "../../ui/surfaces.tsx";

const defaults = { period: "7d", from: "", to: "", zone: "" };
const recentMax = 8;

/** See above. */
export function OverviewPage() {
  const t = useMessages(overviewMessages);
  const { values, set } = useFilters(defaults);
  const view = useUsageView(useMemo(() => ({ ...usageFilterDefaults, ...values }), [values]));
  const balance = useApiQuery("get /balance", {}, { everyMs: 60_000 });
  const recent = useApiPages("get /requests", { query: { limit: recentMax } }, (page) => page.requests, {
    everyMs: 15_000,
  });
  const isNew = recent.rows?.length === 0;
  return (
    <>
      <PageHeader
        title={t("title")}
        actions={<PeriodControls values={values} period={view.period} set={set} />}
      />
      <BalanceNotice
        balance={balance.data}
        action={
          <Link to="/billing" variant="plain" size="small">
            {t("addMoney")}
          </Link>
        }
      />
      <ZoneNotice period={view.period} />
      <div className="flex flex-col gap-4">
        <div className="grid gap-4 lg:grid-cols-[1fr_15rem]">
          <BaseUrl />
          <Stat label={t("balance")} to="/billing">
            {balance.data === undefined ? (
              <Skeleton className="h-7 w-24" />
            ) : (
              <Money value={balance.data.balance} />
            )}
          </Stat>
        </div>
        {isNew && <FirstRequestCard />}
        <Figures view={view} isNew={isNew} />
        {!isNew && (
          <Card flush title={t("recent")} action={<Link to="/requests">{t("toRequests")}</Link>}>
            <RequestsTable
              pages={{ ...recent, rows: recent.rows?.slice(0, recentMax), hasMore: false }}
              rowTo={(row) => `/requests/${encodeURIComponent(row.id)}`}
            />
          </Card>
        )}
      </div>
    </>
  );
}

function BaseUrl() {
  const t = useMessages(overviewMessages);
  const { installation } = useSession();
  return (
    <section
      aria-label={t("baseUrl")}
      className="flex min-w-0 flex-wrap items-center justify-between gap-x-6 gap-y-2 rounded-xl border border-line bg-surface px-5 py-3.5 shadow-card"
    >
      <div className="min-w-0">
        <p className="text-small text-muted">
          {t("baseUrl")} · {t("baseUrlText")}
        </p>
        <code className="font-mono text-lead break-all">{installation.baseUrl}</code>
      </div>
      <CopyButton text={installation.baseUrl} size="normal">
        {t("copyBaseUrl")}
      </CopyButton>
    </section>
  );
}

interface FiguresProps {
  readonly view: UsageView;
  /** The account made no request yet: there is nothing to draw. */
  readonly isNew: boolean;
}

function Figures({ view, isNew }: FiguresProps) {
  const t = useMessages(overviewMessages);
  const tUsage = useMessages(usageMessages);
  const language = useLanguage();
  const usage = useApiQuery(
    "get /usage",
    { query: { ...view.query, by: "day" } },
    { keep: true, everyMs: 60_000 },
  );
  view.period.onError(usage.error);
  const latencies = useLatencies("account", { ...view.query, by: "day" });
  const days = useMemo(() => (usage.data === undefined ? [] : daysOfAnswer(usage.data)), [usage.data]);
  if (usage.data === undefined && usage.error !== null) {
    return (
      <Card>
        <ErrorState error={usage.error} onRetry={() => void usage.refetch()} />
      </Card>
    );
  }
  const { period, from, to, zone } = view.rowFilter;
  return (
    <>
      <UsageStats
        total={usage.data?.total}
        latencies={latencies}
        rowsTo={(state) =>
          requestsLink({ ...view.rowFilter, ...(state === undefined ? {} : { state: [state] }) })
        }
      />
      {!isNew && (
        <Card
          title={t("chargeByDay")}
          action={<Link to={`/usage${writeSearch({ period, from, to, zone })}`}>{t("toUsage")}</Link>}
        >
          {usage.data === undefined ? (
            <Skeleton className="h-48 w-full" />
          ) : (
            <UsageChart
              days={days}
              total={usage.data.rows}
              measure="charge"
              split="none"
              height={190}
              note={tUsage("asOf", {
                time: formatExact(usage.data.asOf, language, usage.data.timeZone),
                zone: usage.data.timeZone,
              })}
            />
          )}
        </Card>
      )}
    </>
  );
}
