/** One account: what it has, who belongs to it, its ledger and keys, and what may be done to it. */

import { Plus } from "lucide-react";
import { useApiPages, useApiQuery } from "../../api/queries.ts";
import { AccountActs } from "../../features/accounts/acts.tsx";
import { AccountKeys } from "../../features/accounts/keys.tsx";
import { AccountPeople } from "../../features/accounts/people.tsx";
import { type Account, AccountStatus } from "../../features/accounts/status.tsx";
import { LedgerView, useLedgerFilter } from "../../features/ledger/ledger-view.tsx";
import { last30DaysLink } from "../../features/requests/query.ts";
import { operatorAccountsMessages } from "../../i18n/en/pages/operator-accounts.ts";
import { useMessages } from "../../i18n/messages.ts";
import { pageTo } from "../../shell/page-search.ts";
import { Button, Link } from "../../ui/button.tsx";
import { Copyable } from "../../ui/code.tsx";
import { Money, TokenCount } from "../../ui/figures.tsx";
import { useFilters } from "../../ui/filter-bar.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { useParam } from "../../ui/navigation.tsx";
import { Loaded } from "../../ui/states.tsx";
import { Notice, PageHeader, Stat, StatRow } from "../../ui/surfaces.tsx";
import { Tabs } from "../../ui/tabs.tsx";

// Forms load after the page.
const { Part: AccountSettings } = lazyPart(() =>
  import("../../features/accounts/settings.tsx").then((file) => file.AccountSettings),
);

// Forms load after the page.
const { Part: EntryDialog } = lazyPart(() =>
  import("../../features/accounts/entry-dialog.tsx").then((file) => file.EntryDialog),
);

const defaults = { view: "", topup: "" };

/** With `?topup=1` the form for a line of the ledger is open. */
export function AccountPage() {
  const t = useMessages(operatorAccountsMessages);
  const id = useParam("id");
  const account = useApiQuery("get /operator/accounts/{id}", { params: { id } });
  return (
    <>
      {account.data === undefined && (
        <PageHeader title={id} back={{ to: "/operator/accounts", label: t("back") }} />
      )}
      <Loaded query={account}>{(value) => <AccountView key={id} account={value} />}</Loaded>
    </>
  );
}

function AccountView({ account }: { readonly account: Account }) {
  const t = useMessages(operatorAccountsMessages);
  const filters = useFilters(defaults);
  return (
    <>
      <PageHeader
        title={account.name}
        shown={<bdi>{account.name}</bdi>}
        back={{ to: "/operator/accounts", label: t("back") }}
        actions={
          <>
            {account.status !== "closed" && (
              <Button
                variant="primary"
                icon={<Plus aria-hidden className="size-4" />}
                onClick={() => filters.set({ topup: "1" })}
              >
                {t("addMoney")}
              </Button>
            )}
            <AccountActs account={account} />
          </>
        }
      >
        <span className="flex flex-wrap items-center gap-x-4">
          <AccountStatus status={account.status} />
          <Copyable text={account.id} />
          <Link to={pageTo("/operator/usage", { account: [account.id] })}>{t("usageLink")}</Link>
          <Link to={pageTo("/operator/audit", { account: account.id })}>{t("auditLink")}</Link>
        </span>
      </PageHeader>
      {account.status !== "active" && (
        <div className="mb-5">
          <Notice tone="warn">
            {t(account.status === "suspended" ? "suspendedNotice" : "closedNotice")}
          </Notice>
        </div>
      )}
      <AccountStats account={account} />
      <Tabs
        label={t("tabs")}
        value={filters.values.view}
        onChange={(view) => filters.set({ view })}
        tabs={[
          {
            value: "",
            label: t("tabOverview"),
            content: (
              <div className="flex flex-col gap-5">
                <AccountSettings account={account} />
                <AccountPeople account={account} />
              </div>
            ),
          },
          { value: "ledger", label: t("tabLedger"), content: <AccountLedger accountId={account.id} /> },
          { value: "keys", label: t("tabKeys"), content: <AccountKeys accountId={account.id} /> },
        ]}
      />
      {filters.values.topup !== "" && account.status !== "closed" && (
        <EntryDialog account={account} onClose={() => filters.set({ topup: "" })} />
      )}
    </>
  );
}

function AccountStats({ account }: { readonly account: Account }) {
  const t = useMessages(operatorAccountsMessages);
  const rows = last30DaysLink({ account: [account.id] }, "/operator/requests");
  return (
    <div className="mb-6">
      <StatRow>
        <Stat label={t("balance")} note={account.isLow ? t("low") : undefined}>
          <Money value={account.balance} />
        </Stat>
        <Stat label={t("held")} note={t("heldNote")}>
          <Money value={account.held} />
        </Stat>
        <Stat label={t("available")}>
          <Money value={account.available} />
        </Stat>
        <Stat label={t("charge30")} to={rows}>
          <Money value={account.last30Days.charge} />
        </Stat>
        <Stat label={t("requests30")} to={rows}>
          <TokenCount value={account.last30Days.requests} exact />
        </Stat>
      </StatRow>
    </div>
  );
}

const requestTo = (id: string) => `/operator/requests/${encodeURIComponent(id)}`;

/** The ledger of one account, as the operator sees it: the same lines as its own people do. */
function AccountLedger({ accountId }: { readonly accountId: string }) {
  const filter = useLedgerFilter();
  const pages = useApiPages(
    "get /operator/accounts/{id}/entries",
    { params: { id: accountId }, query: filter.query },
    (page) => page.entries,
    { keep: true },
  );
  return <LedgerView filter={filter} pages={pages} requestTo={requestTo} />;
}
