/** Enables, disables and revokes a key; asks for confirmation when something is lost. Knows no page. */
import { useState } from "react";
import { useApiMutation } from "../../api/queries.ts";
import { keysMessages } from "../../i18n/en/pages/keys.ts";
import { useMessages } from "../../i18n/messages.ts";
import { ConfirmDialog } from "../../ui/overlays/dialog.tsx";
import { toast, toastError } from "../../ui/overlays/toast.tsx";
import { useErrorText } from "../../ui/states.tsx";
import type { ApiKey } from "./form-values.ts";

type Act = "switchOff" | "revoke";

/** What can be done to keys, and the dialog that asks; put `dialog` on the page once. */
export interface KeyActs {
  readonly ask: (act: Act, key: ApiKey) => void;
  readonly switchOn: (key: ApiKey) => void;
  readonly dialog: React.ReactNode;
}

/** See `KeyActs`. */
export function useKeyActs(): KeyActs {
  const t = useMessages(keysMessages);
  const textOf = useErrorText();
  const change = useApiMutation("patch /keys/{id}");
  const revoke = useApiMutation("post /keys/{id}/revoke");
  const [asked, setAsked] = useState<{ readonly act: Act; readonly key: ApiKey }>();
  const [isOpen, setOpen] = useState(false);

  const setStatus = async (key: ApiKey, status: "active" | "disabled"): Promise<void> => {
    const changed = await change.mutateAsync({
      params: { id: key.id },
      body: { status, revision: key.revision },
    });
    const isOn = status === "active";
    // With the revision of this change: what another user did since is not undone.
    toast(t(isOn ? "switchedOn" : "switchedOff"), key.name, () =>
      setStatus(changed, isOn ? "disabled" : "active").catch((error: unknown) =>
        toastError(t(isOn ? "switchOff" : "switchOn"), textOf(error)),
      ),
    );
  };
  const act = async () => {
    if (asked === undefined) return;
    if (asked.act === "switchOff") return await setStatus(asked.key, "disabled");
    await revoke.mutateAsync({ params: { id: asked.key.id } });
    toast(t("revoked"), asked.key.name);
  };
  const switchOn = (key: ApiKey) =>
    void setStatus(key, "active").catch((error: unknown) => toastError(t("switchOn"), textOf(error)));

  const name = asked?.key.name ?? "";
  const isRevoke = asked?.act === "revoke";
  return {
    ask: (next, key) => {
      setAsked({ act: next, key });
      setOpen(true);
    },
    switchOn,
    dialog: (
      <ConfirmDialog
        open={isOpen}
        onClose={() => setOpen(false)}
        title={t(isRevoke ? "revokeTitle" : "switchOffTitle", { name })}
        act={t(isRevoke ? "revoke" : "switchOff")}
        danger={isRevoke}
        onAct={act}
      >
        <p>{t(isRevoke ? "revokeText" : "switchOffText")}</p>
      </ConfirmDialog>
    ),
  };
}
