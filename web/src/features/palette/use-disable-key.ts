/** Disables a key at once, and offers to take it back. */
import { useQueryClient } from "@tanstack/react-query";
import { call } from "../../api/call.ts";
import { refreshAfter } from "../../api/queries.ts";
import { paletteMessages } from "../../i18n/en/palette.ts";
import { useMessages } from "../../i18n/messages.ts";
import { toast, toastError } from "../../ui/overlays/toast.tsx";
import { useErrorText } from "../../ui/states.tsx";

/** The key is read first: what the palette lists may be old. Failures are shown; the promise never fails. */
export function useDisableKey(): (id: string) => Promise<void> {
  const t = useMessages(paletteMessages);
  const textOf = useErrorText();
  const client = useQueryClient();
  const set = async (id: string, status: "active" | "disabled") => {
    const { revision } = await call("get /keys/{id}", { params: { id } });
    const key = await call("patch /keys/{id}", { params: { id }, body: { status, revision } });
    void refreshAfter(client, "patch /keys/{id}");
    return key.name;
  };
  const failed = (error: unknown) => toastError(t("disableKey"), textOf(error));
  return async (id) => {
    try {
      const name = await set(id, "disabled");
      toast(t("keyDisabled"), name, () => {
        set(id, "active").then((enabled) => toast(t("keyEnabled"), enabled), failed);
      });
    } catch (error) {
      failed(error);
    }
  };
}
