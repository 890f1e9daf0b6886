/** The ledger of one account, as its own people see it. */
import { usePages } from "../../../api/queries.ts";
import { FilterBar, useFilters } from "../../../ui/filter-bar.tsx";
import { MultiSelect } from "../../../ui/multi-select.tsx";
import { Card } from "../../../ui/surfaces.tsx";
import { billingWords } from "../../../words/pages/billing.ts";
import { useWords } from "../../../words/words.ts";
import { entryKinds, LedgerTable } from "../../billing/ledger-table.tsx";
import { periodNames } from "../../usage/period.ts";
import { PeriodControls, ZoneNotice, ZoneSelect } from "../../usage/period-controls.tsx";
import { usePeriod } from "../../usage/use-period.ts";

const defaults = { period: "all", from: "", to: "", zone: "", kind: [] as string[] };

const requestTo = (id: string) => `/operator/requests/${encodeURIComponent(id)}`;

/** See above. */
export function AccountLedger({ accountId }: { readonly accountId: string }) {
  const say = useWords(billingWords);
  const { values, set, clear, isFiltered } = useFilters(defaults);
  const period = usePeriod(values, "any");
  const kind = entryKinds.filter((one) => values.kind.includes(one));
  const query = {
    ...(period.range === undefined ? {} : { from: period.range.from, to: period.range.to }),
    ...(kind.length === 0 ? {} : { kind }),
  };
  const pages = usePages(
    "get /operator/accounts/{id}/entries",
    { params: { id: accountId }, query },
    (page) => page.entries,
    { keep: true },
  );
  return (
    <>
      <FilterBar isFiltered={isFiltered} onClear={clear}>
        <PeriodControls values={values} period={period} set={set} names={periodNames} />
        {values.period !== "all" && <ZoneSelect values={values} set={set} />}
        <MultiSelect
          label={say("kind")}
          emptyText={say("allKinds")}
          className="sm:w-44"
          value={values.kind}
          choices={entryKinds.map((value) => ({ value, label: say(`kind.${value}`) }))}
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
