/**
 * A ledger with its filters, for an account's own people and for the
 * operator. Which ledger it is, the page says.
 */
import type { ReactNode } from "react";
import { billingMessages } from "../../i18n/en/pages/billing.ts";
import { useMessages } from "../../i18n/messages.ts";
import { FilterBar, useFilters } from "../../ui/filter-bar.tsx";
import { MultiSelect } from "../../ui/inputs/multi-select.tsx";
import { Card } from "../../ui/surfaces.tsx";
import { periodNames } from "../usage/period.ts";
import { PeriodControls, ZoneNotice, ZoneSelect } from "../usage/period-controls.tsx";
import { usePeriod } from "../usage/use-period.ts";
import { entryKinds, LedgerTable } from "./ledger-table.tsx";

const defaults = { period: "all", from: "", to: "", zone: "", kind: [] as string[] };

/** Which lines are wanted, from the address; `query` is what the API is asked with. */
export function useLedgerFilter() {
  const filters = useFilters(defaults);
  const period = usePeriod(filters.values, "any");
  const kind = entryKinds.filter((one) => filters.values.kind.includes(one));
  const query = {
    ...(period.range === undefined ? {} : { from: period.range.from, to: period.range.to }),
    ...(kind.length === 0 ? {} : { kind }),
  };
  return { ...filters, period, query };
}

interface LedgerViewProps {
  readonly filter: ReturnType<typeof useLedgerFilter>;
  readonly pages: Parameters<typeof LedgerTable>[0]["pages"];
  /** Address of a request's page. */
  readonly requestTo: (id: string) => string;
  readonly actions?: ReactNode;
}

/** The filters and the lines that fit them. */
export function LedgerView({ filter, pages, requestTo, actions }: LedgerViewProps) {
  const t = useMessages(billingMessages);
  const { values, set, clear, isFiltered, period } = filter;
  return (
    <>
      <FilterBar isFiltered={isFiltered} onClear={clear} actions={actions}>
        <PeriodControls values={values} period={period} set={set} names={periodNames} />
        {values.period !== "all" && <ZoneSelect values={values} set={set} />}
        <MultiSelect
          label={t("kind")}
          emptyText={t("allKinds")}
          className="sm:w-44"
          value={values.kind}
          choices={entryKinds.map((value) => ({ value, label: t(`kind.${value}`) }))}
          onChange={(next) => set({ kind: next })}
        />
      </FilterBar>
      <ZoneNotice period={period} />
      <Card flush>
        <LedgerTable pages={pages} requestTo={requestTo} isFiltered={isFiltered} />
      </Card>
    </>
  );
}
