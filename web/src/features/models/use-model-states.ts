/** Disables and enables models, one or many, and offers to take it back. */
import { useQueryClient } from "@tanstack/react-query";
import { call } from "../../api/call.ts";
import { refreshAfter } from "../../api/queries.ts";
import { operatorModelsMessages } from "../../i18n/en/pages/operator-models.ts";
import { useMessages } from "../../i18n/messages.ts";
import { toast, toastError } from "../../ui/overlays/toast.tsx";
import { useErrorText } from "../../ui/states.tsx";

/** A model as it was read. */
interface Read {
  readonly id: string;
  readonly revision: number;
}

const namedMax = 3;

/**
 * Changes one model after the other. Each that is refused is shown; the promise never fails. What another
 * user did since is not undone.
 */
export function useModelStates(): (models: readonly Read[], disabled: boolean) => Promise<void> {
  const t = useMessages(operatorModelsMessages);
  const textOf = useErrorText();
  const client = useQueryClient();
  return async function set(models, disabled) {
    const changed: Read[] = [];
    for (const { id, revision } of models) {
      try {
        const body = { disabled, revision };
        changed.push(await call("patch /operator/models/{id}", { params: { id }, body }));
      } catch (error) {
        toastError(t(disabled ? "notDisabled" : "notEnabled", { id }), textOf(error));
      }
    }
    await refreshAfter(client, "patch /operator/models/{id}");
    if (changed.length === 0) return;
    const named = changed.slice(0, namedMax).map(({ id }) => id);
    toast(
      t(disabled ? "disabledDone" : "enabledDone", { count: changed.length }),
      changed.length > namedMax ? `${named.join(", ")} …` : named.join(", "),
      () => set(changed, !disabled),
    );
  };
}
