/** Accounts and keys that have limits of their own, page by page. */
import { useMemo } from "react";
import { useApiPages } from "../../api/queries.ts";
import type { Answer } from "../../api/routes.ts";
import { formatCount } from "../../format/count.ts";
import { formatMoney } from "../../format/money.ts";
import { operatorLimitsMessages } from "../../i18n/en/pages/operator-limits.ts";
import { useLanguage } from "../../i18n/language.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Link } from "../../ui/button.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { Card } from "../../ui/surfaces.tsx";
import { AccountStatus } from "../accounts/status.tsx";
import { KeyStatus } from "../keys/cells.tsx";
import { type Limits, limitColumns } from "./columns.tsx";

type AccountRow = Answer<"get /operator/accounts">["accounts"][number];
type KeyRow = Answer<"get /operator/limits/keys">["keys"][number];

const accountPage = (id: string) => `/operator/accounts/${encodeURIComponent(id)}`;
/** The tab of the account's keys, with this one in it. */
const keyPage = ({ account, name }: KeyRow) =>
  `${accountPage(account.id)}?view=keys&key=${encodeURIComponent(name)}`;

interface LimitedProps {
  /** A part of a name, or an id; "" for all. */
  readonly search: string;
}

const searched = (search: string) => (search === "" ? {} : { search });

/** The limits of a closed account have no effect. */
export function LimitedAccounts({ search, limits }: LimitedProps & { readonly limits: Limits }) {
  const t = useMessages(operatorLimitsMessages);
  const language = useLanguage();
  const query = { hasOwnLimits: "true", status: ["active", "suspended"], ...searched(search) };
  const pages = useApiPages("get /operator/accounts", { query }, (page) => page.accounts, { keep: true });
  const columns = useMemo(
    (): Column<AccountRow>[] => [
      {
        id: "account",
        header: t("account"),
        cell: (row) => <bdi className="block max-w-72">{row.name}</bdi>,
        sortBy: (row) => row.name,
      },
      { id: "status", header: t("status"), cell: (row) => <AccountStatus status={row.status} /> },
      ...limitColumns<AccountRow>(t, (name) => {
        const ofEvery = limits[name];
        return (
          <span title={t("ofEvery")}>{ofEvery === null ? t("none") : formatCount(ofEvery, language)}</span>
        );
      }),
    ],
    [t, language, limits],
  );
  return (
    <Card title={t("accounts")} flush>
      {pages.rows?.length !== 0 && <p className="px-5 pb-3 text-muted">{t("greyText")}</p>}
      <DataTable
        sortIn="accountSort"
        label={t("accounts")}
        columns={columns}
        pages={pages}
        rowId={(row) => row.id}
        rowTo={(row) => accountPage(row.id)}
        skeletonRows={2}
        empty={
          search === "" ? (
            <EmptyState title={t("noAccounts")}>{t("noAccountsText")}</EmptyState>
          ) : (
            <EmptyState title={t("noneFound")} />
          )
        }
      />
    </Card>
  );
}

function Budget({ budget }: Pick<KeyRow, "budget">) {
  const t = useMessages(operatorLimitsMessages);
  if (budget === null) return <span className="text-faint">{t("none")}</span>;
  const amount = formatMoney(budget.amount);
  return (
    <span className="block whitespace-nowrap">
      {t(budget.period === "day" ? "budgetDay" : "budgetMonth", { amount })}
      <span className="block text-small text-muted">
        {t("budgetSpent", { spent: formatMoney(budget.spent) })}
      </span>
    </span>
  );
}

/** Budgets, too: who is refused for one asks the same question. */
export function LimitedKeys({ search }: LimitedProps) {
  const t = useMessages(operatorLimitsMessages);
  const query = searched(search);
  const pages = useApiPages("get /operator/limits/keys", { query }, (page) => page.keys, { keep: true });
  const columns = useMemo(
    (): Column<KeyRow>[] => [
      {
        id: "key",
        header: t("key"),
        cell: (row) => (
          <span className="block max-w-60">
            <bdi className="block truncate">{row.name}</bdi>
            <span className="block font-mono text-small font-normal whitespace-nowrap text-muted">
              {row.visiblePrefix}…
            </span>
          </span>
        ),
        sortBy: (row) => row.name,
      },
      {
        id: "account",
        header: t("account"),
        cell: (row) => (
          <Link to={accountPage(row.account.id)}>
            <bdi>{row.account.name}</bdi>
          </Link>
        ),
        sortBy: (row) => row.account.name,
      },
      { id: "status", header: t("status"), cell: (row) => <KeyStatus status={row.status} /> },
      ...limitColumns<KeyRow>(t, () => <span title={t("ofAccount")}>–</span>),
      { id: "budget", header: t("budget"), align: "end", cell: (row) => <Budget budget={row.budget} /> },
    ],
    [t],
  );
  return (
    <Card title={t("keys")} flush>
      <DataTable
        sortIn="keySort"
        label={t("keys")}
        columns={columns}
        pages={pages}
        rowId={(row) => row.id}
        rowTo={keyPage}
        skeletonRows={2}
        empty={
          search === "" ? (
            <EmptyState title={t("noKeys")}>{t("noKeysText")}</EmptyState>
          ) : (
            <EmptyState title={t("noneFound")} />
          )
        }
      />
    </Card>
  );
}
