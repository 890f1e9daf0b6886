/** Invitations that are open, with a way to withdraw them. For owners. */
import { useMemo } from "react";
import { useApiMutation, useApiQuery } from "../../api/queries.ts";
import type { Answer } from "../../api/routes.ts";
import { membersMessages } from "../../i18n/en/pages/members.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Button } from "../../ui/button.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { When } from "../../ui/figures.tsx";
import { useConfirm } from "../../ui/overlays/confirm.tsx";
import { toast } from "../../ui/overlays/toast.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { Card } from "../../ui/surfaces.tsx";

type Invitation = Answer<"get /members/invitations">["invitations"][number];

/** See above. */
export function InvitationsTable() {
  const t = useMessages(membersMessages);
  const list = useApiQuery("get /members/invitations", {});
  const { mutateAsync } = useApiMutation("delete /members/invitations/{id}");
  const { ask, question } = useConfirm();
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
            onClick={() =>
              ask({
                title: t("withdrawTitle", { email: row.email }),
                text: t("withdrawText"),
                act: t("withdraw"),
                danger: true,
                onAct: async () => {
                  await mutateAsync({ params: { id: row.id } });
                  toast(t("withdrawn"), row.email);
                },
              })
            }
          >
            {t("withdraw")}
          </Button>
        ),
      },
    ],
    [t, ask, mutateAsync],
  );
  return (
    <Card flush>
      <DataTable
        sortIn="sort"
        label={t("tab.invitations")}
        columns={columns}
        rows={list.data?.invitations}
        rowId={(row) => row.id}
        error={list.error}
        onRetry={() => void list.refetch()}
        empty={<EmptyState title={t("noInvitations")}>{t("noInvitationsText")}</EmptyState>}
      />
      {question}
    </Card>
  );
}
