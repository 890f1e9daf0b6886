/** Accounts of the installation: balance, people, keys, what they used. */
import { Building2 } from "lucide-react";
import { useMemo } from "react";
import { useApiPages } from "../../api/queries.ts";
import type { Answer } from "../../api/routes.ts";
import { CreateAccount } from "../../features/accounts/create-account.tsx";
import { AccountStatus } from "../../features/accounts/status.tsx";
import { last30DaysLink } from "../../features/requests/query.ts";
import { operatorAccountsMessages } from "../../i18n/en/pages/operator-accounts.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Link } from "../../ui/button.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { Money, TokenCount, When } from "../../ui/figures.tsx";
import { useFilters } from "../../ui/filter-bar.tsx";
import { MultiSelect } from "../../ui/inputs/multi-select.tsx";
import { SearchBox } from "../../ui/inputs/search-box.tsx";
import { ResourceList } from "../../ui/resource-list.tsx";
import { Badge } from "../../ui/surfaces.tsx";

type Row = Answer<"get /operator/accounts">["accounts"][number];

/** The rows behind an account's figures. */
const rowsOf = (row: Row) => last30DaysLink({ account: [row.id] }, "/operator/requests");

const defaults = { q: "", status: [] as readonly string[] };
const createDefaults = { new: "" };
const statuses = ["active", "suspended", "closed"] as const;

function useAccountColumns(): Column<Row>[] {
  const t = useMessages(operatorAccountsMessages);
  return useMemo(
    () => [
      {
        id: "account",
        header: t("account"),
        cell: (row) => <bdi className="block max-w-72">{row.name}</bdi>,
        sortBy: (row) => row.name,
      },
      { id: "status", header: t("status"), cell: (row) => <AccountStatus status={row.status} /> },
      {
        id: "balance",
        header: t("balance"),
        align: "end",
        cell: (row) => (
          <span className="inline-flex items-center gap-1.5">
            {row.isLow && row.status === "active" && <Badge tone="warn">{t("low")}</Badge>}
            <Money value={row.balance} />
          </span>
        ),
      },
      {
        id: "charge",
        header: t("charge30"),
        align: "end",
        cell: (row) => (
          <Link to={rowsOf(row)}>
            <Money value={row.last30Days.charge} />
          </Link>
        ),
      },
      {
        id: "requests",
        header: t("requests30"),
        align: "end",
        cell: (row) => (
          <Link to={rowsOf(row)}>
            <TokenCount value={row.last30Days.requests} exact />
          </Link>
        ),
      },
      {
        id: "people",
        header: t("people"),
        align: "end",
        cell: (row) => <TokenCount value={row.users} exact />,
      },
      { id: "keys", header: t("keys"), align: "end", cell: (row) => <TokenCount value={row.keys} exact /> },
      { id: "created", header: t("created"), cell: (row) => <When at={row.createdAt} as="day" /> },
    ],
    [t],
  );
}

/** With `?new=1` the form for a new account is open. */
export function AccountsPage() {
  const t = useMessages(operatorAccountsMessages);
  const filters = useFilters(defaults);
  const { values, set } = filters;
  const creating = useFilters(createDefaults);
  const status = statuses.filter((one) => values.status.includes(one));
  const query = {
    ...(values.q.trim() === "" ? {} : { search: values.q.trim() }),
    ...(status.length === 0 ? {} : { status }),
  };
  const pages = useApiPages("get /operator/accounts", { query }, (page) => page.accounts, { keep: true });
  return (
    <ResourceList
      title={t("title")}
      lead={t("lead")}
      create={{ label: t("create"), onPress: () => creating.set({ new: "1" }) }}
      isFiltered={filters.isFiltered}
      onClear={filters.clear}
      filters={[
        <SearchBox key="q" label={t("search")} value={values.q} onChange={(q) => set({ q })} />,
        <MultiSelect
          key="status"
          label={t("status")}
          emptyText={t("allStatuses")}
          className="sm:w-40"
          value={values.status}
          onChange={(next) => set({ status: next })}
          choices={statuses.map((value) => ({ value, label: t(`status.${value}`) }))}
        />,
      ]}
      columns={useAccountColumns()}
      pages={pages}
      rowId={(row) => row.id}
      rowTo={(row) => `/operator/accounts/${encodeURIComponent(row.id)}`}
      noMatch={t("noMatchTitle")}
      none={{ title: t("emptyTitle"), text: t("emptyText"), icon: <Building2 /> }}
    >
      {creating.isFiltered && <CreateAccount onClose={creating.clear} />}
    </ResourceList>
  );
}
