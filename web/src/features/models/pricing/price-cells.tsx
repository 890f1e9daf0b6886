/** Cells of the list of models while prices are changed: a box to select it, and a field for each rate. */
import type { ShownModelDocument } from "@plaza/contract/api/catalog.ts";
import { useSyncExternalStore } from "react";
import { formatMoney } from "../../../format/money.ts";
import { operatorPricesMessages } from "../../../i18n/en/pages/operator-prices.ts";
import { useMessages } from "../../../i18n/messages.ts";
import { Checkbox } from "../../../ui/inputs/choices.tsx";
import { Field } from "../../../ui/inputs/field.tsx";
import { MoneyInput } from "../../../ui/inputs/inputs.tsx";
import { Badge } from "../../../ui/surfaces.tsx";
import { faultyRates, isEditable, isOutdated, type ListedRate, shownPriceOf, withRate } from "./draft.ts";
import { draftStore, selectionStore, useDraft } from "./use-pricing.ts";

/** Selects a model for a change of many; nothing for one that cannot be changed. */
export function SelectCell({ model }: { readonly model: ShownModelDocument }) {
  const t = useMessages(operatorPricesMessages);
  const isSelected = useSyncExternalStore(selectionStore.subscribe, () =>
    selectionStore.read().has(model.id),
  );
  if (!isEditable(model)) return null;
  return (
    <Checkbox
      label={<span className="sr-only">{t("select", { model: model.id })}</span>}
      value={isSelected}
      onChange={(isOn) =>
        selectionStore.change((former) => {
          const next = new Set(former);
          if (isOn) next.add(model.id);
          else next.delete(model.id);
          return next;
        })
      }
    />
  );
}

interface PriceCellProps {
  readonly model: ShownModelDocument;
  readonly rate: ListedRate;
}

/** A rate as a field, with what it was. */
export function PriceCell({ model, rate }: PriceCellProps) {
  const t = useMessages(operatorPricesMessages);
  const draft = useDraft(model.id);
  const text = shownPriceOf(draft === undefined ? new Map() : new Map([[model.id, draft]]), model)[rate];
  const before = (draft?.base ?? model).price?.[rate];
  const isChanged = draft !== undefined && text !== before;
  const isFaulty = draft !== undefined && faultyRates(draft).includes(rate);
  return (
    <span className="block w-32 text-left sm:ml-auto">
      <Field
        label={t(rate === "input" ? "inputOf" : "outputOf", { model: model.id })}
        hideLabel
        error={isFaulty ? t("notAmount") : undefined}
      >
        <span className={isChanged ? "block rounded-lg ring-2 ring-accent" : "block"}>
          <MoneyInput
            value={text}
            onChange={(next) => draftStore.change((drafts) => withRate(drafts, model, rate, next))}
          />
        </span>
      </Field>
      {isChanged && (
        <span className="block pt-1 text-tiny text-muted">
          {before === undefined ? t("wasNone") : t("was", { price: formatMoney(before) })}
        </span>
      )}
      {rate === "input" && draft !== undefined && isOutdated(draft, model) && (
        <Badge tone="warn">{t("changedMeanwhile")}</Badge>
      )}
    </span>
  );
}
