/** The account's money: balance, codes, the threshold of the notice, and the ledger. */
import { Printer } from "lucide-react";
import { addressOf } from "../../api/call.ts";
import { useApiPages, useApiQuery } from "../../api/queries.ts";
import { BalanceNotice } from "../../features/ledger/balance-notice.tsx";
import { LedgerDays } from "../../features/ledger/ledger-days.tsx";
import { LedgerView, useLedgerFilter } from "../../features/ledger/ledger-view.tsx";
import { billingMessages } from "../../i18n/en/pages/billing.ts";
import { useMessages } from "../../i18n/messages.ts";
import { useSession } from "../../shell/session.ts";
import { Button, DownloadLink } from "../../ui/button.tsx";
import { Money } from "../../ui/figures.tsx";
import { useFilters } from "../../ui/filter-bar.tsx";
import { RadioGroup } from "../../ui/inputs/choices.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { Loaded } from "../../ui/states.tsx";
import { Card, PageHeader, Stat, StatRow } from "../../ui/surfaces.tsx";

// Forms load after the page.
const { Part: RedeemForm } = lazyPart(() =>
  import("../../features/ledger/redeem-form.tsx").then((file) => file.RedeemForm),
);

// Forms load after the page.
const { Part: LowBalanceForm } = lazyPart(() =>
  import("../../features/ledger/low-balance-form.tsx").then((file) => file.LowBalanceForm),
);

const requestTo = (id: string) => `/requests/${encodeURIComponent(id)}`;

/** See above. */
export function BillingPage() {
  const t = useMessages(billingMessages);
  const { account, installation } = useSession();
  const balance = useApiQuery("get /balance", {}, { everyMs: 60_000 });
  return (
    <>
      <PageHeader title={t("title")}>
        <span className="print:hidden">{t("lead")}</span>
        <span className="hidden print:block">
          {t("statementOf", { account: account?.name ?? "", site: installation.name })}
        </span>
      </PageHeader>
      <BalanceNotice balance={balance.data} />
      <div className="flex flex-col gap-4">
        <Loaded query={balance}>
          {({ balance: sum, held, available }) => (
            <StatRow>
              <Stat label={t("balance")}>
                <Money value={sum} />
              </Stat>
              <Stat label={t("held")} note={t("heldNote")}>
                <Money value={held} />
              </Stat>
              <Stat label={t("available")}>
                <Money value={available} />
              </Stat>
            </StatRow>
          )}
        </Loaded>
        <div className="grid items-start gap-4 lg:grid-cols-2 print:hidden">
          <Card title={t("topUp")}>
            <p className="mb-4 text-muted">{t("topUpText")}</p>
            <RedeemForm />
          </Card>
          <Card title={t("warning")}>
            <Loaded query={balance}>
              {(found) => <LowBalanceForm key={found.account.id} balance={found} />}
            </Loaded>
          </Card>
        </div>
        <Ledger />
      </div>
    </>
  );
}

const viewDefaults = { ledger: "" };

function Ledger() {
  const t = useMessages(billingMessages);
  const view = useFilters(viewDefaults);
  const filter = useLedgerFilter();
  const isByDay = view.values.ledger === "days";
  return (
    <section aria-label={t("ledger")} className="mt-2">
      <div className="mb-3 flex flex-wrap items-center justify-between gap-3">
        <h2 className="text-lead font-semibold">{t("ledger")}</h2>
        <div className="flex flex-wrap items-center gap-3 print:hidden">
          <RadioGroup
            inline
            label={t("views")}
            value={isByDay ? "days" : ""}
            choices={[
              { value: "", label: t("view.entries") },
              { value: "days", label: t("view.days") },
            ]}
            onChange={(ledger) => view.set({ ledger })}
          />
          <Button icon={<Printer aria-hidden className="size-4" />} onClick={() => window.print()}>
            {t("print")}
          </Button>
        </div>
      </div>
      {isByDay ? <LedgerDays values={filter.values} set={filter.set} /> : <Entries filter={filter} />}
    </section>
  );
}

function Entries({ filter }: { readonly filter: ReturnType<typeof useLedgerFilter> }) {
  const t = useMessages(billingMessages);
  const { query } = filter;
  const pages = useApiPages("get /ledger", { query }, (page) => page.entries, { keep: true });
  return (
    <LedgerView
      filter={filter}
      pages={pages}
      requestTo={requestTo}
      actions={<DownloadLink to={addressOf("get /ledger.csv", { query })}>{t("exportCsv")}</DownloadLink>}
    />
  );
}
