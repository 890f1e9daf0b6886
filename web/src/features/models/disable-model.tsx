/** Disables a model once that is confirmed, or enables it again. Knows no page. */
import type { ShownModelDocument } from "@plaza/contract/api/catalog.ts";
import { Ban, CircleCheck } from "lucide-react";
import { useState } from "react";
import { operatorModelsMessages } from "../../i18n/en/pages/operator-models.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/overlays/dialog.tsx";
import { useModelStates } from "./use-model-states.ts";

interface DisableModelProps {
  readonly model: ShownModelDocument;
  /** The question is shown. */
  readonly isAsked: boolean;
  readonly onAsk: (isAsked: boolean) => void;
}

/** A button. */
export function DisableModel({ model, isAsked, onAsk }: DisableModelProps) {
  const t = useMessages(operatorModelsMessages);
  const set = useModelStates();
  const [isBusy, setBusy] = useState(false);
  const enable = () => {
    setBusy(true);
    void set([model], false).finally(() => setBusy(false));
  };
  return (
    <>
      {model.disabled ? (
        <Button icon={<CircleCheck aria-hidden className="size-4" />} busy={isBusy} onClick={enable}>
          {t("enable")}
        </Button>
      ) : (
        <Button icon={<Ban aria-hidden className="size-4" />} onClick={() => onAsk(true)}>
          {t("disable")}
        </Button>
      )}
      <ConfirmDialog
        open={isAsked && !model.disabled}
        onClose={() => onAsk(false)}
        title={t("disableTitle", { id: model.id })}
        act={t("disable")}
        danger
        onAct={() => set([model], true)}
      >
        <p>{t("disableText")}</p>
      </ConfirmDialog>
    </>
  );
}
