/** The account's money: balance, codes, the threshold of the notice, and the ledger. */
import { addressOf } from "../../api/call.ts";
import { useApiPages, useApiQuery } from "../../api/queries.ts";
import { BalanceNotice } from "../../features/ledger/balance-notice.tsx";
import { LedgerView, useLedgerFilter } from "../../features/ledger/ledger-view.tsx";
import { LowBalanceForm } from "../../features/ledger/low-balance-form.tsx";
import { RedeemForm } from "../../features/ledger/redeem-form.tsx";
import { billingMessages } from "../../i18n/en/pages/billing.ts";
import { useMessages } from "../../i18n/messages.ts";
import { DownloadLink } from "../../ui/button.tsx";
import { Money } from "../../ui/figures.tsx";
import { Loaded } from "../../ui/states.tsx";
import { Card, PageHeader, Stat, StatRow } from "../../ui/surfaces.tsx";

const requestTo = (id: string) => `/requests/${encodeURIComponent(id)}`;

/** See above. */
export function BillingPage() {
  const t = useMessages(billingMessages);
  const balance = useApiQuery("get /balance", {}, { everyMs: 60_000 });
  return (
    <>
      <PageHeader title={t("title")}>{t("lead")}</PageHeader>
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
        <div className="grid items-start gap-4 lg:grid-cols-2">
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

function Ledger() {
  const t = useMessages(billingMessages);
  const filter = useLedgerFilter();
  const { query } = filter;
  const pages = useApiPages("get /ledger", { query }, (page) => page.entries, { keep: true });
  return (
    <section aria-label={t("ledger")} className="mt-2">
      <h2 className="mb-3 text-lead font-semibold">{t("ledger")}</h2>
      <LedgerView
        filter={filter}
        pages={pages}
        requestTo={requestTo}
        actions={<DownloadLink to={addressOf("get /ledger.csv", { query })}>{t("exportCsv")}</DownloadLink>}
      />
    </section>
  );
}
