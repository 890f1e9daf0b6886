/** Invitations that are open, and how to make one useless. */
import { useMemo, useState } from "react";
import { useApiMutation, useApiPages } from "../../api/queries.ts";
import type { Answer } from "../../api/routes.ts";
import { operatorUsersMessages } from "../../i18n/en/pages/operator-users.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Button } from "../../ui/button.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { When } from "../../ui/figures.tsx";
import { ConfirmDialog } from "../../ui/overlays/dialog.tsx";
import { toast } from "../../ui/overlays/toast.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { Badge, Card } from "../../ui/surfaces.tsx";

type Invitation = Answer<"get /operator/users/invitations">["invitations"][number];

/** See above. */
export function InvitationList() {
  const t = useMessages(operatorUsersMessages);
  const [withdrawing, setWithdrawing] = useState<Invitation | null>(null);
  const pages = useApiPages("get /operator/users/invitations", {}, (page) => page.invitations);
  const withdraw = useApiMutation("delete /operator/users/invitations/{id}");
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
          <Button size="small" variant="quiet" onClick={() => setWithdrawing(row)}>
            {t("withdraw")}
          </Button>
        ),
      },
    ],
    [t],
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
      {withdrawing !== null && (
        <ConfirmDialog
          open
          onClose={() => setWithdrawing(null)}
          title={t("withdrawTitle", { email: withdrawing.email })}
          act={t("withdraw")}
          danger
          onAct={async () => {
            await withdraw.mutateAsync({ params: { id: withdrawing.id } });
            toast(t("withdrawn"));
          }}
        >
          <p>{t("withdrawText")}</p>
        </ConfirmDialog>
      )}
    </>
  );
}
