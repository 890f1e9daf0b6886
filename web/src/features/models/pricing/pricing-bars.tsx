/** Bars around the list of models while prices are changed: what is selected above, what to save below. */
import type { ShownModelDocument } from "@plaza/contract/api/catalog.ts";
import { useState, useSyncExternalStore } from "react";
import { operatorPricesMessages } from "../../../i18n/en/pages/operator-prices.ts";
import { useMessages } from "../../../i18n/messages.ts";
import { Button } from "../../../ui/button.tsx";
import { ConfirmDialog } from "../../../ui/overlays/dialog.tsx";
import { useModelStates } from "../use-model-states.ts";
import { BulkDialog } from "./bulk-dialog.tsx";
import { faultyRates, isEditable, isOutdated } from "./draft.ts";
import { PreviewDialog } from "./preview-dialog.tsx";
import { draftStore, selectionStore, useDrafts, useSavePrices, useUnsavedWarning } from "./use-pricing.ts";

/** `shown`: the models that the list's filters leave. */
export function SelectionBar({ shown }: { readonly shown: readonly ShownModelDocument[] }) {
  const t = useMessages(operatorPricesMessages);
  const selected = useSyncExternalStore(selectionStore.subscribe, selectionStore.read);
  const [isOpen, setOpen] = useState(false);
  const editable = shown.filter(isEditable);
  const chosen = editable.filter(({ id }) => selected.has(id));
  const drafts = useDrafts();
  const setStates = useModelStates();
  // A change beside an unsaved price would make that one outdated.
  const isUnsaved = chosen.some(({ id }) => drafts.has(id));
  const enabled = chosen.filter(({ disabled }) => !disabled);
  const disabled = chosen.filter((model) => model.disabled);
  const select = (ids: readonly string[]) => selectionStore.change(() => new Set(ids));
  return (
    <div className="flex flex-wrap items-center gap-2 border-b border-line px-5 py-2.5">
      <span className="mr-auto text-small text-muted" aria-live="polite">
        {chosen.length === 0 ? t("lead") : t("selected", { count: chosen.length })}
      </span>
      {editable.length > chosen.length && (
        <Button size="small" variant="quiet" onClick={() => select(editable.map(({ id }) => id))}>
          {t("selectAll", { count: editable.length })}
        </Button>
      )}
      {chosen.length > 0 && (
        <>
          <Button size="small" variant="quiet" onClick={() => select([])}>
            {t("clear")}
          </Button>
          <Button size="small" onClick={() => setOpen(true)}>
            {t("changeSelected")}
          </Button>
          {!isUnsaved && enabled.length > 0 && (
            <Button size="small" onClick={() => void setStates(enabled, true)}>
              {t("disableSelected")}
            </Button>
          )}
          {!isUnsaved && disabled.length > 0 && (
            <Button size="small" onClick={() => void setStates(disabled, false)}>
              {t("enableSelected")}
            </Button>
          )}
        </>
      )}
      {isOpen && <BulkDialog models={chosen} onClose={() => setOpen(false)} />}
    </div>
  );
}

/** Sticks to the window's lower edge while there is something to save. */
export function SaveBar({ models }: { readonly models: readonly ShownModelDocument[] }) {
  const t = useMessages(operatorPricesMessages);
  const drafts = useDrafts();
  const { save, isBusy } = useSavePrices(models);
  const [dialog, setDialog] = useState<"preview" | "discard" | null>(null);
  useUnsavedWarning(drafts.size > 0);
  const faulty = [...drafts.values()].filter((draft) => faultyRates(draft).length > 0).length;
  const outdated = [...drafts].filter(([id, draft]) =>
    isOutdated(
      draft,
      models.find((one) => one.id === id),
    ),
  ).length;
  const close = () => setDialog(null);
  return (
    <>
      {drafts.size > 0 && (
        <section
          aria-label={t("changes", { count: drafts.size })}
          className="sticky bottom-[calc(var(--bottom-bar)+0.75rem)] z-20 mt-4 flex flex-wrap items-center gap-2 rounded-xl border border-line bg-raised px-5 py-3 shadow-float max-sm:px-4 max-sm:*:flex-1"
        >
          <span className="mr-auto min-w-0 max-sm:basis-full">
            <span role="status" className="font-medium">
              {t("changes", { count: drafts.size })}
            </span>
            {faulty > 0 && (
              <span className="block text-small text-bad">{t("faulty", { count: faulty })}</span>
            )}
            {outdated > 0 && (
              <span className="block text-small text-warn">{t("outdated", { count: outdated })}</span>
            )}
          </span>
          <Button variant="quiet" disabled={isBusy} onClick={() => setDialog("discard")}>
            {t("discard")}
          </Button>
          <Button disabled={isBusy} onClick={() => setDialog("preview")}>
            {t("preview")}
          </Button>
          <Button
            variant="primary"
            busy={isBusy}
            disabled={faulty > 0 || outdated === drafts.size}
            onClick={() => void save()}
          >
            {t("save")}
          </Button>
        </section>
      )}
      {dialog === "preview" && drafts.size > 0 && <PreviewDialog models={models} onClose={close} />}
      <ConfirmDialog
        open={dialog === "discard"}
        onClose={close}
        title={t("discardTitle")}
        act={t("discard")}
        danger
        onAct={() => draftStore.change(() => new Map())}
      >
        <p>{t("discardText")}</p>
      </ConfirmDialog>
    </>
  );
}
