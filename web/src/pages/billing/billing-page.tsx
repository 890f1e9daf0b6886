/** The account's money: balance, codes, the threshold of the notice, and the ledger. */
import { addressOf } from "../../api/call.ts";
import { useAnswer, usePages } from "../../api/queries.ts";
import { Money } from "../../ui/figures.tsx";
import { FilterBar, useFilters } from "../../ui/filter-bar.tsx";
import { MultiSelect } from "../../ui/multi-select.tsx";
import { Loaded } from "../../ui/states.tsx";
import { Card, PageHeader, Stat, StatRow } from "../../ui/surfaces.tsx";
import { billingWords } from "../../words/pages/billing.ts";
import { useWords } from "../../words/words.ts";
import { DownloadLink } from "../requests/download-link.tsx";
import { periodNames } from "../usage/period.ts";
import { PeriodControls, ZoneNotice, ZoneSelect } from "../usage/period-controls.tsx";
import { usePeriod } from "../usage/use-period.ts";
import { BalanceNotice } from "./balance-notice.tsx";
import { entryKinds, LedgerTable } from "./ledger-table.tsx";
import { LowBalanceForm } from "./low-balance-form.tsx";
import { RedeemForm } from "./redeem-form.tsx";

const defaults = { period: "all", from: "", to: "", zone: "", kind: [] as string[] };

const requestTo = (id: string) => `/requests/${encodeURIComponent(id)}`;

/** See above. */
export function BillingPage() {
  const say = useWords(billingWords);
  const balance = useAnswer("get /balance", {}, { everyMs: 60_000 });
  return (
    <>
      <PageHeader title={say("title")}>{say("lead")}</PageHeader>
      <BalanceNotice balance={balance.data} />
      <div className="flex flex-col gap-4">
        <Loaded query={balance}>
          {({ balance: sum, held, available }) => (
            <StatRow>
              <Stat label={say("balance")}>
                <Money value={sum} />
              </Stat>
              <Stat label={say("held")} note={say("heldNote")}>
                <Money value={held} />
              </Stat>
              <Stat label={say("available")}>
                <Money value={available} />
              </Stat>
            </StatRow>
          )}
        </Loaded>
        <div className="grid items-start gap-4 lg:grid-cols-2">
          <Card title={say("topUp")}>
            <p className="mb-4 text-muted">{say("topUpText")}</p>
            <RedeemForm />
          </Card>
          <Card title={say("warning")}>
            <Loaded query={balance}>
              {(found) => <LowBalanceForm key={found.account.id} balance={found} reload={balance.refetch} />}
            </Loaded>
          </Card>
        </div>
        <Ledger />
      </div>
    </>
  );
}

function Ledger() {
  const say = useWords(billingWords);
  const { values, set, clear, isFiltered } = useFilters(defaults);
  const period = usePeriod(values, "any");
  const kind = entryKinds.filter((one) => values.kind.includes(one));
  const query = {
    ...(period.range === undefined ? {} : { from: period.range.from, to: period.range.to }),
    ...(kind.length === 0 ? {} : { kind }),
  };
  const pages = usePages("get /ledger", { query }, (page) => page.entries, { keep: true });
  return (
    <section aria-label={say("ledger")} className="mt-2">
      <h2 className="mb-3 text-[1.05rem] font-semibold">{say("ledger")}</h2>
      <FilterBar
        isFiltered={isFiltered}
        onClear={clear}
        actions={<DownloadLink to={addressOf("get /ledger.csv", { query })}>{say("exportCsv")}</DownloadLink>}
      >
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
    </section>
  );
}
