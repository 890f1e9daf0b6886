/** Invitations that are open, with a way to withdraw them. For owners. */
import { useMemo, useState } from "react";
import { useApiMutation, useApiQuery } from "../../api/queries.ts";
import type { Answer } from "../../api/routes.ts";
import { membersMessages } from "../../i18n/en/pages/members.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Button } from "../../ui/button.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { When } from "../../ui/figures.tsx";
import { ConfirmDialog } from "../../ui/overlays/dialog.tsx";
import { toast } from "../../ui/overlays/toast.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { Card } from "../../ui/surfaces.tsx";

type Invitation = Answer<"get /members/invitations">["invitations"][number];

/** See above. */
export function InvitationsTable() {
  const t = useMessages(membersMessages);
  const list = useApiQuery("get /members/invitations", {});
  const withdraw = useApiMutation("delete /members/invitations/{id}");
  const [asked, setAsked] = useState<Invitation>();
  const [isOpen, setOpen] = useState(false);
  const columns = useMemo(
    (): readonly Column<Invitation>[] => [
      {
        id: "email",
        header: t("email"),
        sortBy: (row) => row.email,
        cell: (row) => <bdi>{row.email}</bdi>,
      },
      { id: "role", header: t("role"), cell: (row) => (row.role === null ? "–" : t(`role.${row.role}`)) },
      {
        id: "made",
        header: t("invitedAt"),
        sortBy: (row) => row.createdAt,
        cell: (row) => <When at={row.createdAt} />,
      },
      {
        id: "expires",
        header: t("expiresAt"),
        sortBy: (row) => row.expiresAt,
        cell: (row) => <When at={row.expiresAt} />,
      },
      {
        id: "acts",
        header: t("actions"),
        align: "end",
        cell: (row) => (
          <Button
            size="small"
            onClick={() => {
              setAsked(row);
              setOpen(true);
            }}
          >
            {t("withdraw")}
          </Button>
        ),
      },
    ],
    [t],
  );
  return (
    <Card flush>
      <DataTable
        label={t("tab.invitations")}
        columns={columns}
        rows={list.data?.invitations}
        rowId={(row) => row.id}
        error={list.error}
        onRetry={() => void list.refetch()}
        empty={<EmptyState title={t("noInvitations")}>{t("noInvitationsText")}</EmptyState>}
      />
      <ConfirmDialog
        open={isOpen}
        onClose={() => setOpen(false)}
        title={t("withdrawTitle", { email: asked?.email ?? "" })}
        act={t("withdraw")}
        danger
        onAct={async () => {
          if (asked === undefined) return;
          await withdraw.mutateAsync({ params: { id: asked.id } });
          toast(t("withdrawn"), asked.email);
        }}
      >
        <p>{t("withdrawText")}</p>
      </ConfirmDialog>
    </Card>
  );
}
