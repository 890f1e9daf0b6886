/** One user: where they belong, and what may be done to their access. */

import { useApiQuery } from "../../api/queries.ts";
import { UserAccess } from "../../features/users/access.tsx";
import { UserAccount } from "../../features/users/account.tsx";
import type { UserRow } from "../../features/users/list.tsx";
import { operatorUsersMessages } from "../../i18n/en/pages/operator-users.ts";
import { useMessages } from "../../i18n/messages.ts";
import { pageTo } from "../../shell/page-search.ts";
import { useSession } from "../../shell/session.ts";
import { Link } from "../../ui/button.tsx";
import { When } from "../../ui/figures.tsx";
import { useParam } from "../../ui/navigation.tsx";
import { Loaded } from "../../ui/states.tsx";
import { Badge, Card, Facts, PageHeader, StatusBadge } from "../../ui/surfaces.tsx";

/** See above. */
export function UserPage() {
  const t = useMessages(operatorUsersMessages);
  const id = useParam("id");
  const user = useApiQuery("get /operator/users/{id}", { params: { id } });
  return (
    <>
      {user.data === undefined && (
        <PageHeader title={id} back={{ to: "/operator/users", label: t("back") }} />
      )}
      <Loaded query={user}>{(value) => <UserView key={id} user={value} />}</Loaded>
    </>
  );
}

function UserView({ user }: { readonly user: UserRow }) {
  const t = useMessages(operatorUsersMessages);
  const session = useSession();
  const name = user.name === "" ? user.email : user.name;
  return (
    <>
      <PageHeader
        title={name}
        shown={
          <span className="flex flex-wrap items-center gap-2">
            <bdi>{name}</bdi>
            {user.isOperator && <Badge tone="accent">{t("operator")}</Badge>}
          </span>
        }
        back={{ to: "/operator/users", label: t("back") }}
      >
        <span className="flex flex-wrap items-center gap-x-4">
          <StatusBadge tone={user.status === "active" ? "good" : "warn"}>
            {t(`status.${user.status}`)}
          </StatusBadge>
          <span>{user.email}</span>
          <Link to={pageTo("/operator/audit", { actor: user.id })}>{t("auditLink")}</Link>
        </span>
      </PageHeader>
      <div className="flex max-w-4xl flex-col gap-5">
        <Card title={t("access")}>
          <Facts
            rows={[
              [t("created"), <When key="created" at={user.createdAt} as="exact" />],
              [t("seen"), <When key="seen" at={user.seenAt} />],
              [
                t("signIn"),
                user.hasPassword ? t(user.hasTwoFactor ? "twoFactor" : "noTwoFactor") : t("noPassword"),
              ],
            ]}
          />
          <UserAccess user={user} isSelf={user.id === session.user?.id} />
        </Card>
        <UserAccount user={user} />
      </div>
    </>
  );
}
