/** What may be done to a user's access. Each act asks first and says what will happen. */
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { refreshAfter } from "../../api/queries.ts";
import { operatorUsersMessages } from "../../i18n/en/pages/operator-users.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Button } from "../../ui/button.tsx";
import { useConfirm } from "../../ui/overlays/confirm.tsx";
import { toast } from "../../ui/overlays/toast.tsx";
import { ShownOnce } from "../../ui/shown-once.tsx";
import type { UserRow } from "./list.tsx";

type Act = "reset" | "endSessions" | "makeOperator" | "dropOperator" | "disable" | "enable";

const changes = {
  makeOperator: { isOperator: true },
  dropOperator: { isOperator: false },
  disable: { status: "disabled" },
  enable: { status: "active" },
} as const;

const dangers: readonly Act[] = ["dropOperator", "disable", "endSessions"];

interface UserAccessProps {
  readonly user: UserRow;
  /** Users cannot change their own status or role. */
  readonly isSelf: boolean;
}

function actsFor({ user, isSelf }: UserAccessProps): Act[] {
  const acts: Act[] = user.status === "active" ? ["reset", "endSessions"] : [];
  if (isSelf) return acts;
  acts.push(user.isOperator ? "dropOperator" : "makeOperator");
  acts.push(user.status === "active" ? "disable" : "enable");
  return acts;
}

/** Buttons and the question each asks. */
export function UserAccess(props: UserAccessProps) {
  const { user, isSelf } = props;
  const t = useMessages(operatorUsersMessages);
  const client = useQueryClient();
  const { ask, question } = useConfirm();
  const [link, setLink] = useState<{ readonly url: string; readonly expiresAt: string } | null>(null);
  const params = { id: user.id };
  const doIt = async (chosen: Act) => {
    if (chosen === "reset") {
      setLink(await call("post /operator/users/{id}/reset-link", { params }));
      return;
    }
    if (chosen === "endSessions") {
      const { ended } = await call("post /operator/users/{id}/end-sessions", { params });
      toast(t("ended", { count: ended }));
      return;
    }
    await call("patch /operator/users/{id}", {
      params,
      body: { ...changes[chosen], revision: user.revision },
    });
    toast(t("done"));
    await refreshAfter(client, "patch /operator/users/{id}");
  };
  return (
    <div className="mt-5 flex flex-wrap items-center gap-2 border-t border-line pt-4">
      {actsFor(props).map((one) => (
        <Button
          key={one}
          onClick={() =>
            ask({
              title: t(`${one}Title`, { email: user.email }),
              text: t(`${one}Text`),
              act: t(one),
              danger: dangers.includes(one),
              onAct: () => doIt(one),
            })
          }
        >
          {t(one)}
        </Button>
      ))}
      {isSelf && <span className="text-small text-muted">{t("ownHint")}</span>}
      {question}
      {link !== null && (
        <ShownOnce
          kind="link"
          title={t("resetLinkTitle", { email: user.email })}
          text={link.url}
          expiresAt={link.expiresAt}
          onClose={() => setLink(null)}
        />
      )}
    </div>
  );
}
