/** The account's people; for owners also invitations and the audit log. */
import { UserPlus } from "lucide-react";
import { AuditTable } from "../../features/members/audit-table.tsx";
import { InvitationsTable } from "../../features/members/invitations-table.tsx";
import { PeopleTable } from "../../features/members/people-table.tsx";
import { membersMessages } from "../../i18n/en/pages/members.ts";
import { useMessages } from "../../i18n/messages.ts";
import { useSession } from "../../shell/session.ts";
import { Button } from "../../ui/button.tsx";
import { useFilters } from "../../ui/filter-bar.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { PageHeader } from "../../ui/surfaces.tsx";
import { Tabs } from "../../ui/tabs.tsx";

// Forms load after the page.
const { Part: InviteDialog } = lazyPart(() =>
  import("../../features/members/invite-dialog.tsx").then((file) => file.InviteDialog),
);

const defaults = { tab: "people", new: "" };
const tabNames = ["people", "invitations", "audit"] as const;

/** With `?new=1` the invitation is open. */
export function MembersPage() {
  const t = useMessages(membersMessages);
  const { account } = useSession();
  const isOwner = account?.role === "owner";
  const { values, set } = useFilters(defaults);
  return (
    <>
      <PageHeader
        title={t("title")}
        actions={
          isOwner && (
            <Button
              variant="primary"
              icon={<UserPlus aria-hidden className="size-4" />}
              onClick={() => set({ new: "1" })}
            >
              {t("invite")}
            </Button>
          )
        }
      >
        {t("lead", { account: account?.name ?? "" })}
      </PageHeader>
      {isOwner ? <OwnersViews /> : <PeopleTable />}
      {isOwner && <InviteDialog open={values.new !== ""} onClose={() => set({ new: "" })} />}
    </>
  );
}

const contents = { people: <PeopleTable />, invitations: <InvitationsTable />, audit: <AuditTable /> };

function OwnersViews() {
  const t = useMessages(membersMessages);
  const { values, set } = useFilters(defaults);
  const tab = tabNames.find((name) => name === values.tab) ?? "people";
  return (
    <Tabs
      label={t("views")}
      value={tab}
      onChange={(next) => set({ tab: next })}
      tabs={tabNames.map((value) => ({ value, label: t(`tab.${value}`), content: contents[value] }))}
    />
  );
}
