/**
 * The cost explorer, one for accounts and operators: totals beside the period before, a stacked chart with
 * what is unusual and expected, groups as a table, and how long requests took.
 */
import { formatDay, formatExact } from "../../../format/time.ts";
import { explorerMessages } from "../../../i18n/en/pages/explorer.ts";
import { useLanguage } from "../../../i18n/language.ts";
import { useMessages } from "../../../i18n/messages.ts";
import { writeSearch } from "../../../shell/search-text.ts";
import { useSession } from "../../../shell/session.ts";
import { Button } from "../../../ui/button.tsx";
import { useFilters } from "../../../ui/filter-bar.tsx";
import { EmptyState, ErrorState, Skeleton } from "../../../ui/states.tsx";
import { Card, Notice, PageHeader } from "../../../ui/surfaces.tsx";
import type { SearchedChoices } from "../key-choices.ts";
import { ZoneNotice } from "../period-controls.tsx";
import type { Scope } from "../use-latency.ts";
import { useLatency } from "../use-latency.ts";
import { useUsageView } from "../view.ts";
import { ExplorerControls } from "./controls.tsx";
import type { Explored, ExploreMeasure } from "./groups.ts";
import { LatencyCards } from "./latency-card.tsx";
import { SavedViews } from "./saved-views.tsx";
import { shownOf } from "./shown.ts";
import { explorerDefaults, filterQuery, groupFilter, groupLink } from "./state.ts";
import { ExplorerStats, ForecastCard } from "./summary.tsx";
import { ExplorerTable } from "./table.tsx";
import { TrendCard } from "./trend-card.tsx";
import { csvAddress, useExplored } from "./use-explored.ts";
import { useForecast } from "./use-forecast.ts";

export interface ExplorerProps {
  readonly scope: Scope;
  /** Accounts to filter by, and how to know which are chosen; for operators. */
  readonly useAccounts?: (chosen: readonly string[]) => SearchedChoices | undefined;
}

const noAccounts = (): undefined => undefined;

/** See the file's comment. */
export function Explorer({ scope, useAccounts = noAccounts }: ExplorerProps) {
  const t = useMessages(explorerMessages);
  const { user } = useSession();
  const filters = useFilters(explorerDefaults);
  const { values, set } = filters;
  const view = useUsageView(values);
  const accounts = useAccounts(values.account);
  const range = view.period.range ?? { first: "", last: "" };
  const shown = shownOf(values, range, scope);
  const { by, metric, grain, tooLong } = shown;
  const measure: ExploreMeasure = metric === "latency" ? "charge" : metric;
  const filter = filterQuery(view, values, scope);
  const query = { ...filter, by, grain, rank: measure };
  const isAsked = tooLong === undefined;
  const explored = useExplored(scope, query, isAsked && metric !== "latency");
  const latency = useLatency(scope, { ...filter, by }, isAsked && metric === "latency");
  view.period.onError(explored.error ?? latency.error);
  const isForecast = isAsked && metric !== "latency" && grain === "day";
  const month = useForecast(scope, view, filter, measure, isForecast);
  const page = scope === "operator" ? "/operator/usage/explore" : "/usage/explore";
  const rowFilter = {
    ...view.rowFilter,
    ...(values.account.length === 0 ? {} : { account: values.account }),
    ...(values.project.length === 0 ? {} : { project: values.project }),
    ...(values.tag.length === 0 ? {} : { tag: values.tag }),
  };
  const search = writeSearch(changed(values));
  const sharedSearch = writeSearch({ ...changed(values), zone: view.period.timeZone });
  return (
    <>
      <PageHeader
        title={t("title")}
        back={{ to: scope === "operator" ? "/operator/usage" : "/usage", label: t("usage") }}
        actions={
          user !== null && (
            <SavedViews
              key={user.id}
              userId={user.id}
              page={page}
              search={search}
              sharedSearch={sharedSearch}
            />
          )
        }
      >
        {t(scope === "operator" ? "operatorLead" : "lead")}
      </PageHeader>
      <ExplorerControls
        scope={scope}
        filters={filters}
        period={view.period}
        shown={shown}
        csv={isAsked && metric !== "latency" ? csvAddress(scope, query) : undefined}
        accounts={accounts}
      />
      <ZoneNotice period={view.period} />
      {tooLong !== undefined ? (
        <Card>
          <EmptyState
            title={t("shorterTitle", { days: tooLong })}
            action={<Button onClick={() => set({ period: "7d", from: "", to: "" })}>{t("showWeek")}</Button>}
          >
            {t("shorterText")}
          </EmptyState>
        </Card>
      ) : metric === "latency" ? (
        <div className="flex flex-col gap-4">
          <LatencyCards
            by={by}
            answer={latency.data}
            error={latency.error}
            onRetry={() => void latency.refetch()}
            rowTo={(group) => groupLink(scope, rowFilter, groupFilter(by, { id: group.id, keys: [] }))}
          />
        </div>
      ) : explored.data === undefined && explored.error !== null ? (
        <Card>
          <ErrorState error={explored.error} onRetry={() => void explored.refetch()} />
        </Card>
      ) : (
        <div className="flex flex-col gap-4" aria-busy={explored.isPlaceholderData}>
          {explored.data?.overlaps === true && <Notice>{t("overlaps")}</Notice>}
          <ExplorerStats scope={scope} answer={explored.data} />
          {explored.data === undefined ? (
            <Card>
              <Skeleton className="h-[19rem] w-full" />
            </Card>
          ) : (
            explored.data.all.total.requests > 0 && (
              <TrendCard
                scope={scope}
                answer={explored.data}
                measure={measure}
                rowFilter={rowFilter}
                forecast={month}
              />
            )
          )}
          {month !== undefined && <ForecastCard month={month} measure={measure} />}
          <ExplorerTable scope={scope} answer={explored.data} measure={measure} rowFilter={rowFilter} />
          <Coverage answer={explored.data} />
        </div>
      )}
    </>
  );
}

/** What differs from the defaults, as the URL has it. */
function changed(values: Readonly<Record<string, string | readonly string[]>>): Record<string, unknown> {
  const defaults: Readonly<Record<string, string | readonly string[]>> = explorerDefaults;
  return Object.fromEntries(
    Object.entries(values).filter(([name, value]) =>
      Array.isArray(value) ? value.length > 0 : value !== defaults[name],
    ),
  );
}

/** What the figures cover, until when, and what they are compared with. */
function Coverage({ answer }: { readonly answer: Explored | undefined }) {
  const t = useMessages(explorerMessages);
  const language = useLanguage();
  if (answer === undefined) return null;
  const { asOf, timeZone, previous, source } = answer;
  const write = (iso: string) => formatExact(iso, language, timeZone);
  return (
    <p className="text-small text-muted">
      {t("asOf", { time: write(asOf), zone: timeZone })}{" "}
      {t("before", {
        from: formatDay(previous.from, language, timeZone),
        to: write(previous.to),
      })}
      {language === "en" ? "." : "。"} {t(source === "sums" ? "fromSums" : "fromRequests")}
    </p>
  );
}
