/** Who belongs to an account. */
import { UserPlus } from "lucide-react";
import { useMemo } from "react";
import { operatorAccountsMessages } from "../../i18n/en/pages/operator-accounts.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Link } from "../../ui/button.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { When } from "../../ui/figures.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { Badge, Card } from "../../ui/surfaces.tsx";
import type { Account } from "./status.tsx";

type Person = Account["people"][number];

/** See above. */
export function AccountPeople({ account }: { readonly account: Account }) {
  const t = useMessages(operatorAccountsMessages);
  const columns = useMemo(
    (): Column<Person>[] => [
      {
        id: "person",
        header: t("person"),
        cell: (person) => (
          <span className="block">
            <bdi>{person.name === "" ? person.email : person.name}</bdi>
            <span className="block text-small font-normal text-muted">{person.email}</span>
          </span>
        ),
        sortBy: (person) => person.name,
      },
      {
        id: "role",
        header: t("role"),
        cell: (person) => (
          <span className="flex flex-wrap gap-1.5">
            {t(`role.${person.role}`)}
            {person.status === "disabled" && <Badge tone="warn">{t("disabled")}</Badge>}
          </span>
        ),
      },
      { id: "seen", header: t("seen"), cell: (person) => <When at={person.seenAt} /> },
    ],
    [t],
  );
  const invite = (
    <Link
      to={`/operator/users?view=invite&account=${encodeURIComponent(account.id)}`}
      variant="plain"
      size="small"
      icon={<UserPlus aria-hidden className="size-4" />}
    >
      {t("invite")}
    </Link>
  );
  return (
    <Card title={t("people")} action={account.status === "closed" ? undefined : invite} flush>
      <DataTable
        label={t("people")}
        columns={columns}
        rows={account.people}
        rowId={(person) => person.id}
        rowTo={(person) => `/operator/users/${encodeURIComponent(person.id)}`}
        empty={<EmptyState title={t("noPeople")} />}
      />
    </Card>
  );
}
