/** The list of users with its filters. */
import { useMemo } from "react";
import { useApiPages } from "../../api/queries.ts";
import type { Answer } from "../../api/routes.ts";
import { operatorUsersMessages } from "../../i18n/en/pages/operator-users.ts";
import { useMessages } from "../../i18n/messages.ts";
import { useSession } from "../../shell/session.ts";
import type { Column } from "../../ui/data-table.tsx";
import { When } from "../../ui/figures.tsx";
import { useFilters } from "../../ui/filter-bar.tsx";
import { Select } from "../../ui/inputs/choices.tsx";
import { SearchBox } from "../../ui/inputs/search-box.tsx";
import { ResourceList } from "../../ui/resource-list.tsx";
import { Badge, StatusBadge } from "../../ui/surfaces.tsx";

export type UserRow = Answer<"get /operator/users">["users"][number];

const defaults = { q: "", status: "", rights: "" };

function UserName({ user }: { readonly user: UserRow }) {
  const t = useMessages(operatorUsersMessages);
  const session = useSession();
  return (
    <span className="block">
      <span className="flex flex-wrap items-center gap-x-1.5">
        <bdi>{user.name === "" ? user.email : user.name}</bdi>
        {user.id === session.user?.id && <Badge>{t("you")}</Badge>}
        {user.isOperator && <Badge tone="accent">{t("operator")}</Badge>}
      </span>
      <span className="block text-small font-normal text-muted">{user.email}</span>
    </span>
  );
}

function SignInCell({ user }: { readonly user: UserRow }) {
  const t = useMessages(operatorUsersMessages);
  if (!user.hasPassword) return <span className="text-muted">{t("noPassword")}</span>;
  return (
    <span className={user.hasTwoFactor ? "" : "text-faint"}>
      {t(user.hasTwoFactor ? "twoFactor" : "noTwoFactor")}
    </span>
  );
}

function useUserColumns(): Column<UserRow>[] {
  const t = useMessages(operatorUsersMessages);
  return useMemo(
    () => [
      {
        id: "user",
        header: t("user"),
        cell: (user) => <UserName user={user} />,
        sortBy: (user) => user.name,
      },
      {
        id: "status",
        header: t("status"),
        cell: (user) => (
          <StatusBadge tone={user.status === "active" ? "good" : "warn"}>
            {t(`status.${user.status}`)}
          </StatusBadge>
        ),
      },
      {
        id: "account",
        header: t("account"),
        cell: (user) =>
          user.account === null ? (
            <span className="text-faint">{t("noAccount")}</span>
          ) : (
            <span>
              <bdi>{user.account.name}</bdi>{" "}
              <span className="text-muted">({t(`role.${user.account.role}`)})</span>
            </span>
          ),
      },
      { id: "signIn", header: t("signIn"), cell: (user) => <SignInCell user={user} /> },
      {
        id: "seen",
        header: t("seen"),
        cell: (user) => <When at={user.seenAt} />,
        sortBy: (user) => user.seenAt,
      },
      { id: "created", header: t("created"), cell: (user) => <When at={user.createdAt} as="day" /> },
    ],
    [t],
  );
}

/** See above. */
export function UserList() {
  const t = useMessages(operatorUsersMessages);
  const { values, set, isFiltered, clear } = useFilters(defaults);
  const status = (["active", "disabled"] as const).find((one) => one === values.status);
  const query = {
    ...(values.q.trim() === "" ? {} : { search: values.q.trim() }),
    ...(status === undefined ? {} : { status }),
    ...(values.rights === "" ? {} : { isOperator: values.rights === "operators" ? "true" : "false" }),
  };
  const pages = useApiPages("get /operator/users", { query }, (page) => page.users, { keep: true });
  return (
    <ResourceList
      title={t("title")}
      isFiltered={isFiltered}
      onClear={clear}
      filters={[
        <SearchBox key="q" label={t("search")} value={values.q} onChange={(q) => set({ q })} />,
        <Select
          key="status"
          label={t("status")}
          className="sm:w-40"
          value={values.status}
          onChange={(status) => set({ status })}
          choices={[
            { value: "", label: t("anyStatus") },
            { value: "active", label: t("status.active") },
            { value: "disabled", label: t("status.disabled") },
          ]}
        />,
        <Select
          key="rights"
          label={t("rights")}
          className="sm:w-44"
          value={values.rights}
          onChange={(rights) => set({ rights })}
          choices={[
            { value: "", label: t("anyRights") },
            { value: "operators", label: t("onlyOperators") },
            { value: "others", label: t("onlyOthers") },
          ]}
        />,
      ]}
      columns={useUserColumns()}
      pages={pages}
      rowId={(user) => user.id}
      rowTo={(user) => `/operator/users/${encodeURIComponent(user.id)}`}
      none={{ title: t("emptyTitle") }}
    />
  );
}
