/** What the account was charged, by day and model: each day a line that opens. */
import { ChevronRight } from "lucide-react";
import { useEffect, useMemo } from "react";
import { useApiQuery } from "../../api/queries.ts";
import { formatCount } from "../../format/count.ts";
import { formatDay } from "../../format/time.ts";
import { billingMessages } from "../../i18n/en/pages/billing.ts";
import { useLanguage } from "../../i18n/language.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Link } from "../../ui/button.tsx";
import { Money, TokenCount } from "../../ui/figures.tsx";
import { FilterBar } from "../../ui/filter-bar.tsx";
import { EmptyState, Loaded } from "../../ui/states.tsx";
import { Card } from "../../ui/surfaces.tsx";
import { requestsLink } from "../requests/query.ts";
import { type PeriodValues, periodNames } from "../usage/period.ts";
import { PeriodControls, ZoneNotice, ZoneSelect } from "../usage/period-controls.tsx";
import { usePeriod } from "../usage/use-period.ts";
import { type ChargedDay, chargedDays } from "./by-day.ts";

interface LedgerDaysProps {
  readonly values: PeriodValues;
  readonly set: (changes: Partial<PeriodValues>) => void;
}

const names = periodNames.filter((name) => name !== "all");
/** Days that are open at first. */
const openDays = 1;

/** "All time" has too many days for a page: the last 30 are shown instead. */
export function LedgerDays({ values: given, set }: LedgerDaysProps) {
  const t = useMessages(billingMessages);
  const values = given.period === "all" ? { ...given, period: "30d" } : given;
  const period = usePeriod(values);
  const { range, timeZone, onError } = period;
  const usage = useApiQuery(
    "get /usage",
    { query: { from: range?.from ?? "", to: range?.to ?? "", timeZone, by: "day-model" } },
    { enabled: range !== undefined, keep: true },
  );
  useEffect(() => onError(usage.error), [onError, usage.error]);
  const days = useMemo(() => chargedDays(usage.data?.rows ?? []), [usage.data]);
  return (
    <>
      <FilterBar>
        <PeriodControls values={values} period={period} set={set} names={names} />
        <ZoneSelect values={values} set={set} />
      </FilterBar>
      <ZoneNotice period={period} />
      <Card flush>
        <Loaded query={usage}>
          {({ total }) =>
            days.length === 0 ? (
              <EmptyState title={t("noCharges")} />
            ) : (
              <>
                {days.map((day, at) => (
                  <Day key={day.day} day={day} isOpen={at < openDays} zone={timeZone} />
                ))}
                <p className="flex justify-between gap-4 px-5 py-3 font-semibold">
                  <span>{t("chargesTotal")}</span>
                  <Money value={total.charge} />
                </p>
              </>
            )
          }
        </Loaded>
      </Card>
    </>
  );
}

interface DayProps {
  readonly day: ChargedDay;
  readonly isOpen: boolean;
  readonly zone: string;
}

function Day({ day, isOpen, zone }: DayProps) {
  const t = useMessages(billingMessages);
  const language = useLanguage();
  // Noon in UTC is the same day there, whatever zone the page is in.
  const name = formatDay(`${day.day}T12:00:00Z`, language, "UTC");
  const rowsOf = (model: string) =>
    requestsLink({ period: "custom", from: day.day, to: day.day, zone, model: [model] });
  return (
    <details open={isOpen} className="group border-b border-line">
      <summary className="flex list-none items-center gap-3 px-5 py-3 hover:bg-hover">
        <ChevronRight
          aria-hidden
          className="size-4 shrink-0 text-faint transition-transform group-open:rotate-90 print:hidden"
        />
        <span className="min-w-0 flex-1 font-medium">{name}</span>
        <span className="figures text-small text-muted">
          {t("requestCount", { count: day.requests, shown: formatCount(day.requests, language) })}
        </span>
        <span className="min-w-20 text-right font-medium">
          <Money value={day.charge} />
        </span>
      </summary>
      <table className="mb-2 w-full text-small" aria-label={name}>
        <thead className="sr-only">
          <tr>
            {[t("model"), t("requests"), t("tokens"), t("amount")].map((word) => (
              <th key={word} scope="col">
                {word}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {day.models.map((line) => (
            <tr key={line.model}>
              <td className="py-1 pr-3 pl-12">
                <Link to={rowsOf(line.model)}>
                  <bdi>{line.model === "" ? t("noModel") : line.model}</bdi>
                </Link>
              </td>
              <td className="px-3 py-1 text-right">
                <TokenCount value={line.requests} exact />
              </td>
              <td className="px-3 py-1 text-right whitespace-nowrap text-muted max-sm:hidden">
                <TokenCount value={line.inputTokens} /> → <TokenCount value={line.outputTokens} />
              </td>
              <td className="min-w-20 py-1 pr-5 pl-3 text-right">
                <Money value={line.charge} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
