/** Invitations that are open, with a way to withdraw them. For owners. */
import { useMemo, useState } from "react";
import { useAnswer, useChange } from "../../api/queries.ts";
import type { Answer } from "../../api/routes.ts";
import { membersWords } from "../../i18n/en/pages/members.ts";
import { useWords } from "../../i18n/words.ts";
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
  const say = useWords(membersWords);
  const list = useAnswer("get /members/invitations", {});
  const withdraw = useChange("delete /members/invitations/{id}", { refreshes: ["/members/invitations"] });
  const [asked, setAsked] = useState<Invitation>();
  const [isOpen, setOpen] = useState(false);
  const columns = useMemo(
    (): readonly Column<Invitation>[] => [
      {
        id: "email",
        header: say("email"),
        sortBy: (row) => row.email,
        cell: (row) => <bdi>{row.email}</bdi>,
      },
      { id: "role", header: say("role"), cell: (row) => (row.role === null ? "–" : say(`role.${row.role}`)) },
      {
        id: "made",
        header: say("invitedAt"),
        sortBy: (row) => row.createdAt,
        cell: (row) => <When at={row.createdAt} />,
      },
      {
        id: "expires",
        header: say("expiresAt"),
        sortBy: (row) => row.expiresAt,
        cell: (row) => <When at={row.expiresAt} />,
      },
      {
        id: "acts",
        header: say("actions"),
        align: "end",
        cell: (row) => (
          <Button
            size="small"
            onClick={() => {
              setAsked(row);
              setOpen(true);
            }}
          >
            {say("withdraw")}
          </Button>
        ),
      },
    ],
    [say],
  );
  return (
    <Card flush>
      <DataTable
        label={say("tab.invitations")}
        columns={columns}
        rows={list.data?.invitations}
        rowId={(row) => row.id}
        error={list.error}
        onRetry={() => void list.refetch()}
        empty={<EmptyState title={say("noInvitations")}>{say("noInvitationsText")}</EmptyState>}
      />
      <ConfirmDialog
        open={isOpen}
        onClose={() => setOpen(false)}
        title={say("withdrawTitle", { email: asked?.email ?? "" })}
        act={say("withdraw")}
        danger
        onAct={async () => {
          if (asked === undefined) return;
          await withdraw.mutateAsync({ params: { id: asked.id } });
          toast(say("withdrawn"), asked.email);
        }}
      >
        <p>{say("withdrawText")}</p>
      </ConfirmDialog>
    </Card>
  );
}
