/**
 * Disables a model: it loses its price, so that it stays listed and is not callable. The notification takes
 * it back, unless another user has changed the model since.
 */
import type { ShownModelDocument } from "@plaza/contract/api/catalog.ts";
import { CirclePause } from "lucide-react";
import { useApiMutation } from "../../api/queries.ts";
import { operatorModelsMessages } from "../../i18n/en/pages/operator-models.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/overlays/dialog.tsx";
import { toast, toastError } from "../../ui/overlays/toast.tsx";
import { useErrorText } from "../../ui/states.tsx";
import { modelDocumentOf, modelValuesOf } from "./values.ts";

interface StopModelProps {
  readonly model: ShownModelDocument;
  /** The question is shown. */
  readonly isAsked: boolean;
  readonly onAsk: (isAsked: boolean) => void;
}

/** A button, for a model with a price. */
export function StopModel({ model, isAsked, onAsk }: StopModelProps) {
  const t = useMessages(operatorModelsMessages);
  const textOf = useErrorText();
  const change = useApiMutation("put /operator/models/{id}");
  if (model.price === null) return null;
  const send = async (isStopped: boolean, revision: number) => {
    const { id, ...document } = modelDocumentOf(modelValuesOf(model));
    return await change.mutateAsync({
      params: { id },
      body: { ...document, ...(isStopped ? { price: null, scheduledPrices: [] } : {}), revision },
    });
  };
  const stop = async () => {
    const { revision } = await send(true, model.revision);
    toast(t("stopped"), model.id, () =>
      send(false, revision).then(
        () => toast(t("resumed"), model.id),
        (error: unknown) => toastError(t("notResumed"), textOf(error)),
      ),
    );
  };
  return (
    <>
      <Button icon={<CirclePause aria-hidden className="size-4" />} onClick={() => onAsk(true)}>
        {t("stop")}
      </Button>
      <ConfirmDialog
        open={isAsked}
        onClose={() => onAsk(false)}
        title={t("stopTitle", { id: model.id })}
        act={t("stop")}
        danger
        onAct={stop}
      >
        <p>{t("stopText")}</p>
      </ConfirmDialog>
    </>
  );
}
