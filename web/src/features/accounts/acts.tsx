/** What is done to an account as a whole: suspend, lift, close. Each asks first and says what will happen. */
import { useQueryClient } from "@tanstack/react-query";
import { Ellipsis } from "lucide-react";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { refreshAfter } from "../../api/queries.ts";
import { formatMoney } from "../../format/money.ts";
import { operatorAccountsMessages } from "../../i18n/en/pages/operator-accounts.ts";
import { shellMessages } from "../../i18n/en/shell.ts";
import { useMessages } from "../../i18n/messages.ts";
import { IconButton } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/overlays/dialog.tsx";
import { Menu } from "../../ui/overlays/menu.tsx";
import { toast } from "../../ui/overlays/toast.tsx";
import type { Account } from "./status.tsx";

const acts = {
  suspend: { status: "suspended", isDanger: true },
  activate: { status: "active", isDanger: false },
  close: { status: "closed", isDanger: true },
} as const;
type Act = keyof typeof acts;

/** A menu of what can be done now; nothing once it is closed. */
export function AccountActs({ account }: { readonly account: Account }) {
  const t = useMessages(operatorAccountsMessages);
  const tShell = useMessages(shellMessages);
  const client = useQueryClient();
  const [act, setAct] = useState<Act | null>(null);
  if (account.status === "closed") return null;
  const offered: readonly Act[] = account.status === "active" ? ["suspend", "close"] : ["activate", "close"];
  const change = async (chosen: Act) => {
    await call("patch /operator/accounts/{id}", {
      params: { id: account.id },
      body: { status: acts[chosen].status, revision: account.revision },
    });
    toast(t("statusDone"));
    await refreshAfter(client, "patch /operator/accounts/{id}");
  };
  return (
    <>
      <Menu
        trigger={
          <IconButton label={tShell("more")} variant="plain">
            <Ellipsis aria-hidden className="size-4" />
          </IconButton>
        }
        entries={offered.map((one) => ({
          label: t(one),
          danger: acts[one].isDanger,
          onPick: () => setAct(one),
        }))}
      />
      {act !== null && (
        <ConfirmDialog
          open
          onClose={() => setAct(null)}
          title={t(`${act}Title`, { name: account.name })}
          act={t(act)}
          danger={acts[act].isDanger}
          onAct={() => change(act)}
        >
          <p>{t(`${act}Text`, { balance: formatMoney(account.balance) })}</p>
        </ConfirmDialog>
      )}
    </>
  );
}
