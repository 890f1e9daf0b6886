/** Invitations that are open, and how to make one useless. */
import { useMemo } from "react";
import { useApiMutation, useApiPages } from "../../api/queries.ts";
import type { Answer } from "../../api/routes.ts";
import { operatorUsersMessages } from "../../i18n/en/pages/operator-users.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Button } from "../../ui/button.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { When } from "../../ui/figures.tsx";
import { useConfirm } from "../../ui/overlays/confirm.tsx";
import { toast } from "../../ui/overlays/toast.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { Badge, Card } from "../../ui/surfaces.tsx";

type Invitation = Answer<"get /operator/users/invitations">["invitations"][number];

/** See above. */
export function InvitationList() {
  const t = useMessages(operatorUsersMessages);
  const { ask, question } = useConfirm();
  const pages = useApiPages("get /operator/users/invitations", {}, (page) => page.invitations);
  const { mutateAsync } = useApiMutation("delete /operator/users/invitations/{id}");
  const columns = useMemo(
    (): Column<Invitation>[] => [
      { id: "email", header: t("email"), cell: (row) => row.email },
      {
        id: "account",
        header: t("account"),
        cell: (row) => (
          <span className="flex flex-wrap items-center gap-1.5">
            {row.account !== null && <bdi>{row.account.name}</bdi>}
            {row.role !== null && <span className="text-muted">({t(`role.${row.role}`)})</span>}
            {row.isOperator && <Badge tone="accent">{t("operator")}</Badge>}
          </span>
        ),
      },
      { id: "created", header: t("created"), cell: (row) => <When at={row.createdAt} /> },
      { id: "expires", header: t("expires"), cell: (row) => <When at={row.expiresAt} /> },
      {
        id: "act",
        header: "",
        align: "end",
        cell: (row) => (
          <Button
            size="small"
            variant="quiet"
            onClick={() =>
              ask({
                title: t("withdrawTitle", { email: row.email }),
                text: t("withdrawText"),
                act: t("withdraw"),
                danger: true,
                onAct: async () => {
                  await mutateAsync({ params: { id: row.id } });
                  toast(t("withdrawn"));
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
    <>
      <p className="mb-3 text-muted">{t("invitationsText")}</p>
      <Card flush>
        <DataTable
          label={t("tabInvitations")}
          columns={columns}
          pages={pages}
          rowId={(row) => row.id}
          empty={<EmptyState title={t("noInvitations")} />}
        />
      </Card>
      {question}
    </>
  );
}
