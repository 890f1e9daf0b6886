/** The people of the account; owners change roles and remove. */
import { Ellipsis } from "lucide-react";
import { useMemo, useState } from "react";
import { useApiMutation, useApiPages } from "../../api/queries.ts";
import type { Answer } from "../../api/routes.ts";
import { membersMessages } from "../../i18n/en/pages/members.ts";
import { type KeyOf, type Translate, useMessages } from "../../i18n/messages.ts";
import { reloadSession, useSession } from "../../shell/session.ts";
import { IconButton } from "../../ui/button.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { When } from "../../ui/figures.tsx";
import { Checkbox } from "../../ui/inputs/choices.tsx";
import { ConfirmDialog } from "../../ui/overlays/dialog.tsx";
import { Menu } from "../../ui/overlays/menu.tsx";
import { toast } from "../../ui/overlays/toast.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { Badge, Card } from "../../ui/surfaces.tsx";

type Member = Answer<"get /members">["members"][number];
type Act = "owner" | "member" | "remove";
type TranslateMembers = Translate<KeyOf<typeof membersMessages>>;

interface Asked {
  readonly act: Act;
  readonly member: Member;
}

function columnsOf(
  t: TranslateMembers,
  ownId: string,
  ask: ((asked: Asked) => void) | undefined,
): readonly Column<Member>[] {
  const acts: Column<Member> = {
    id: "acts",
    header: t("actions"),
    align: "end",
    cell: (member) => (
      <Menu
        trigger={
          <IconButton label={t("acts", { name: member.name })} size="small">
            <Ellipsis aria-hidden className="size-4" />
          </IconButton>
        }
        entries={[
          member.role === "owner"
            ? { label: t("makeMember"), onPick: () => ask?.({ act: "member", member }) }
            : { label: t("makeOwner"), onPick: () => ask?.({ act: "owner", member }) },
          "line",
          { label: t("remove"), danger: true, onPick: () => ask?.({ act: "remove", member }) },
        ]}
      />
    ),
  };
  return [
    {
      id: "name",
      header: t("name"),
      sortBy: (member) => member.name,
      cell: (member) => (
        <span className="block max-w-80 min-w-0">
          <bdi className="font-medium">{member.name}</bdi> {member.id === ownId && <Badge>{t("you")}</Badge>}{" "}
          {member.status === "disabled" && <Badge tone="warn">{t("status.disabled")}</Badge>}
          <bdi className="block truncate text-small font-normal text-muted">{member.email}</bdi>
        </span>
      ),
    },
    {
      id: "role",
      header: t("role"),
      sortBy: (member) => member.role,
      cell: (member) => (
        <Badge tone={member.role === "owner" ? "accent" : "neutral"}>{t(`role.${member.role}`)}</Badge>
      ),
    },
    {
      id: "twoFactor",
      header: t("twoFactor"),
      cell: (member) => (member.hasTwoFactor ? t("on") : t("off")),
    },
    {
      id: "seen",
      header: t("lastSeen"),
      sortBy: (member) => member.seenAt,
      cell: (member) => <When at={member.seenAt} />,
    },
    {
      id: "joined",
      header: t("joined"),
      sortBy: (member) => member.createdAt,
      cell: (member) => <When at={member.createdAt} as="day" />,
    },
    ...(ask === undefined ? [] : [acts]),
  ];
}

/** See above. */
export function PeopleTable() {
  const t = useMessages(membersMessages);
  const { user, account } = useSession();
  const [asked, setAsked] = useState<Asked>();
  const [isOpen, setOpen] = useState(false);
  const isOwner = account?.role === "owner";
  const pages = useApiPages("get /members", {}, (page) => page.members);
  const columns = useMemo(() => {
    const ask = (next: Asked) => {
      setAsked(next);
      setOpen(true);
    };
    return columnsOf(t, user?.id ?? "", isOwner ? ask : undefined);
  }, [t, user?.id, isOwner]);
  return (
    <Card flush>
      <DataTable
        sortIn="sort"
        label={t("tab.people")}
        columns={columns}
        pages={pages}
        rowId={(member) => member.id}
        empty={<EmptyState title={t("noMembers")} />}
      />
      {asked !== undefined && (
        <AskDialog
          key={`${asked.act} ${asked.member.id}`}
          asked={asked}
          open={isOpen}
          onClose={() => setOpen(false)}
          isSelf={asked.member.id === user?.id}
        />
      )}
    </Card>
  );
}

interface AskDialogProps {
  readonly asked: Asked;
  readonly open: boolean;
  readonly onClose: () => void;
  readonly isSelf: boolean;
}

const words = {
  owner: { title: "ownerTitle", text: "ownerText", act: "makeOwner", done: "roleChanged" },
  member: { title: "memberTitle", text: "memberText", act: "makeMember", done: "roleChanged" },
  remove: { title: "removeTitle", text: "removeText", act: "remove", done: "removed" },
} as const;

function AskDialog({ asked: { act, member }, open, onClose, isSelf }: AskDialogProps) {
  const t = useMessages(membersMessages);
  const change = useApiMutation("patch /members/{id}");
  const remove = useApiMutation("delete /members/{id}");
  const [revokesKeys, setRevokesKeys] = useState(false);
  const { title, text, act: verb, done } = words[act];
  const params = { id: member.id };
  const doIt = async () => {
    if (act === "remove") {
      const { keys } = await remove.mutateAsync({ params, query: { keys: revokesKeys ? "revoke" : "keep" } });
      toast(t(done), keys.revoked > 0 ? t("keysRevoked", { count: keys.revoked }) : member.name);
    } else {
      await change.mutateAsync({ params, body: { role: act } });
      toast(t(done), member.name);
    }
    if (isSelf) await reloadSession();
  };
  return (
    <ConfirmDialog
      open={open}
      onClose={() => {
        setRevokesKeys(false);
        onClose();
      }}
      title={t(title, { name: member.name })}
      act={t(verb)}
      danger={act === "remove"}
      onAct={doIt}
    >
      <p>{t(text)}</p>
      {act === "remove" && member.keysMade > 0 && (
        <Checkbox
          label={t("revokeKeys", { count: member.keysMade })}
          hint={t("revokeKeysHint")}
          value={revokesKeys}
          onChange={setRevokesKeys}
        />
      )}
      {isSelf && act !== "owner" && <p className="font-medium text-ink">{t("selfText")}</p>}
    </ConfirmDialog>
  );
}
