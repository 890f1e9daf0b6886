/** Accounts of the installation: balance, people, keys, what they used. */
import { Building2, Plus } from "lucide-react";
import { useMemo, useState } from "react";
import { usePages } from "../../../api/queries.ts";
import type { Answer } from "../../../api/routes.ts";
import { operatorAccountsWords } from "../../../i18n/en/pages/operator-accounts.ts";
import { useWords } from "../../../i18n/words.ts";
import { Button, Link } from "../../../ui/button.tsx";
import { type Column, DataTable } from "../../../ui/data-table.tsx";
import { Money, TokenCount, When } from "../../../ui/figures.tsx";
import { FilterBar, useFilters } from "../../../ui/filter-bar.tsx";
import { MultiSelect } from "../../../ui/multi-select.tsx";
import { EmptyState } from "../../../ui/states.tsx";
import { Badge, Card, PageHeader } from "../../../ui/surfaces.tsx";
import { last30DaysLink } from "../../requests/query.ts";
import { SearchBox } from "../parts/search-box.tsx";
import { CreateAccount } from "./create-account.tsx";
import { AccountStatus } from "./status.tsx";

type Row = Answer<"get /operator/accounts">["accounts"][number];

/** The rows behind an account's figures. */
const rowsOf = (row: Row) => last30DaysLink({ account: [row.id] }, "/operator/requests");

const defaults = { q: "", status: [] as readonly string[] };
const statuses = ["active", "suspended", "closed"] as const;

function useAccountColumns(): Column<Row>[] {
  const say = useWords(operatorAccountsWords);
  return useMemo(
    () => [
      {
        id: "account",
        header: say("account"),
        cell: (row) => <bdi className="block max-w-72">{row.name}</bdi>,
        sortBy: (row) => row.name,
      },
      { id: "status", header: say("status"), cell: (row) => <AccountStatus status={row.status} /> },
      {
        id: "balance",
        header: say("balance"),
        align: "end",
        cell: (row) => (
          <span className="inline-flex items-center gap-1.5">
            {row.isLow && row.status === "active" && <Badge tone="warn">{say("low")}</Badge>}
            <Money value={row.balance} />
          </span>
        ),
      },
      {
        id: "charge",
        header: say("charge30"),
        align: "end",
        cell: (row) => (
          <Link to={rowsOf(row)}>
            <Money value={row.last30Days.charge} />
          </Link>
        ),
      },
      {
        id: "requests",
        header: say("requests30"),
        align: "end",
        cell: (row) => (
          <Link to={rowsOf(row)}>
            <TokenCount value={row.last30Days.requests} exact />
          </Link>
        ),
      },
      {
        id: "people",
        header: say("people"),
        align: "end",
        cell: (row) => <TokenCount value={row.users} exact />,
      },
      { id: "keys", header: say("keys"), align: "end", cell: (row) => <TokenCount value={row.keys} exact /> },
      { id: "created", header: say("created"), cell: (row) => <When at={row.createdAt} as="day" /> },
    ],
    [say],
  );
}

/** See above. */
export function AccountsPage() {
  const say = useWords(operatorAccountsWords);
  const filters = useFilters(defaults);
  const { values, set } = filters;
  const [isCreating, setCreating] = useState(false);
  const status = statuses.filter((one) => values.status.includes(one));
  const query = {
    ...(values.q.trim() === "" ? {} : { search: values.q.trim() }),
    ...(status.length === 0 ? {} : { status }),
  };
  const pages = usePages("get /operator/accounts", { query }, (page) => page.accounts, { keep: true });
  const create = (
    <Button look="primary" icon={<Plus aria-hidden className="size-4" />} onClick={() => setCreating(true)}>
      {say("create")}
    </Button>
  );
  return (
    <>
      <PageHeader title={say("title")} actions={create}>
        {say("lead")}
      </PageHeader>
      <FilterBar isFiltered={filters.isFiltered} onClear={filters.clear}>
        <SearchBox label={say("search")} value={values.q} onChange={(q) => set({ q })} />
        <MultiSelect
          label={say("status")}
          className="sm:w-40"
          value={values.status}
          onChange={(next) => set({ status: next })}
          choices={statuses.map((value) => ({ value, label: say(`status.${value}`) }))}
        />
      </FilterBar>
      <Card flush>
        <DataTable
          label={say("title")}
          columns={useAccountColumns()}
          pages={pages}
          rowId={(row) => row.id}
          rowTo={(row) => `/operator/accounts/${encodeURIComponent(row.id)}`}
          empty={
            filters.isFiltered ? (
              <EmptyState title={say("noMatchTitle")} />
            ) : (
              <EmptyState icon={<Building2 />} title={say("emptyTitle")} action={create}>
                {say("emptyText")}
              </EmptyState>
            )
          }
        />
      </Card>
      {isCreating && <CreateAccount onClose={() => setCreating(false)} />}
    </>
  );
}
