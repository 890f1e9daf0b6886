/** The changed prices and the selected models of this console, and how they are saved. */
import type { ShownModelDocument } from "@plaza/contract/api/catalog.ts";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState, useSyncExternalStore } from "react";
import { call } from "../../../api/call.ts";
import { refreshAfter } from "../../../api/queries.ts";
import { operatorPricesMessages } from "../../../i18n/en/pages/operator-prices.ts";
import { useMessages } from "../../../i18n/messages.ts";
import { toast, toastError } from "../../../ui/overlays/toast.tsx";
import { useErrorText } from "../../../ui/states.tsx";
import { createStore, type Drafts, documentOf, faultyRates, isOutdated, withoutDrafts } from "./draft.ts";

/** Prices changed and not saved. */
export const draftStore = createStore<Drafts>(new Map());
/** Ids of selected models. */
export const selectionStore = createStore<ReadonlySet<string>>(new Set());

/** All of them. */
export function useDrafts(): Drafts {
  return useSyncExternalStore(draftStore.subscribe, draftStore.read);
}

/** Those of this model; another one's change draws nothing anew. */
export function useDraft(id: string) {
  return useSyncExternalStore(draftStore.subscribe, () => draftStore.read().get(id));
}

/** Warns before the console is closed while something is not saved. */
export function useUnsavedWarning(isChanged: boolean): void {
  useEffect(() => {
    if (!isChanged) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  }, [isChanged]);
}

/** Saves what can be saved, one model after the other; what is refused stays a change. */
export function useSavePrices(models: readonly ShownModelDocument[]) {
  const t = useMessages(operatorPricesMessages);
  const textOf = useErrorText();
  const client = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    const saved: string[] = [];
    for (const [id, draft] of draftStore.read()) {
      const model = models.find((one) => one.id === id);
      if (faultyRates(draft).length > 0 || isOutdated(draft, model)) continue;
      try {
        await call("put /operator/models/{id}", { params: { id }, body: documentOf(draft) });
        saved.push(id);
      } catch (error) {
        toastError(t("notSaved", { model: id }), textOf(error));
      }
    }
    // First what is there now, so that no old price is shown in between.
    await refreshAfter(client, "put /operator/models/{id}");
    draftStore.change((drafts) => withoutDrafts(drafts, saved));
    if (saved.length > 0) toast(t("saved", { count: saved.length }), t("savedText"));
    setBusy(false);
  };
  return { save, isBusy };
}
