/** Users of the installation, invitations that are open, and the way to invite. */

import { UserPlus } from "lucide-react";
import { InvitationList } from "../../features/users/invitation-list.tsx";
import { UserList } from "../../features/users/list.tsx";
import { operatorUsersMessages } from "../../i18n/en/pages/operator-users.ts";
import { useMessages } from "../../i18n/messages.ts";
import { pageTo } from "../../shell/page-search.ts";
import { Link } from "../../ui/button.tsx";
import { useFilters } from "../../ui/filter-bar.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { PageHeader } from "../../ui/surfaces.tsx";
import { Tabs } from "../../ui/tabs.tsx";

// Forms load after the page.
const { Part: InviteUser } = lazyPart(() =>
  import("../../features/users/invite-user.tsx").then((file) => file.InviteUser),
);

const defaults = { view: "", account: "" };

/** With `?view=invite` the form is open; `account` is chosen in it. */
export function UsersPage() {
  const t = useMessages(operatorUsersMessages);
  const { values, set } = useFilters(defaults);
  const isInviting = values.view === "invite";
  return (
    <>
      <PageHeader
        title={t("title")}
        actions={
          <Link
            to={pageTo("/operator/users", { view: "invite" })}
            variant="primary"
            icon={<UserPlus aria-hidden className="size-4" />}
          >
            {t("invite")}
          </Link>
        }
      >
        {t("lead")}
      </PageHeader>
      <Tabs
        label={t("tabs")}
        value={values.view === "invitations" ? "invitations" : ""}
        onChange={(view) => set({ view })}
        tabs={[
          { value: "", label: t("tabUsers"), content: <UserList /> },
          { value: "invitations", label: t("tabInvitations"), content: <InvitationList /> },
        ]}
      />
      {isInviting && <InviteUser accountId={values.account} onClose={() => set({ view: "", account: "" })} />}
    </>
  );
}
