/** Changes the prices of all selected models in one step; nothing is saved by it. */
import type { ShownModelDocument } from "@plaza/contract/api/catalog.ts";
import { usdFault } from "@plaza/contract/money.ts";
import { Form, FormField } from "../../../forms/form.tsx";
import { useAppForm } from "../../../forms/use-app-form.ts";
import { operatorPricesMessages } from "../../../i18n/en/pages/operator-prices.ts";
import { uiMessages } from "../../../i18n/en/ui.ts";
import { useMessages } from "../../../i18n/messages.ts";
import { Button } from "../../../ui/button.tsx";
import { RadioGroup } from "../../../ui/inputs/choices.tsx";
import { MoneyInput, TextInput } from "../../../ui/inputs/inputs.tsx";
import { Dialog } from "../../../ui/overlays/dialog.tsx";
import { type BulkChange, withBulk } from "./draft.ts";
import { draftStore } from "./use-pricing.ts";

interface BulkValues {
  readonly kind: BulkChange["kind"];
  readonly input: string;
  readonly output: string;
  readonly percent: string;
}

interface BulkDialogProps {
  readonly models: readonly ShownModelDocument[];
  readonly onClose: () => void;
}

const kinds = ["set", "scale", "cost"] as const;
const initial: BulkValues = { kind: "scale", input: "", output: "", percent: "" };

function changeOf({ kind, input, output, percent }: BulkValues): BulkChange {
  return kind === "set"
    ? { kind, input, output }
    : kind === "scale"
      ? { kind, percent: percent.trim() }
      : { kind };
}

/** Open while it is drawn. */
export function BulkDialog({ models, onClose }: BulkDialogProps) {
  const t = useMessages(operatorPricesMessages);
  const tUi = useMessages(uiMessages);
  const form = useAppForm({
    initial,
    check: ({ kind, input, output, percent }) => {
      if (kind === "scale")
        return usdFault(percent.trim()) === undefined ? [] : [{ path: "percent", message: t("notPercent") }];
      if (kind === "cost") return [];
      if (input.trim() === "" && output.trim() === "") return [{ path: "input", message: t("needsRate") }];
      return Object.entries({ input, output })
        .filter(([, text]) => text.trim() !== "" && usdFault(text.trim()) !== undefined)
        .map(([path]) => ({ path, message: t("notAmount") }));
    },
    onSubmit: async (values) => draftStore.change((drafts) => withBulk(drafts, models, changeOf(values))),
    onDone: onClose,
  });
  const { kind } = form.values;
  return (
    <Dialog open onClose={onClose} title={t("bulkTitle")}>
      <Form
        form={form}
        guard={false}
        act={t("apply")}
        also={
          <Button variant="quiet" onClick={onClose}>
            {tUi("cancel")}
          </Button>
        }
      >
        <p className="text-muted">
          {t("selected", { count: models.length })}. {t("applyNote")}
        </p>
        <FormField form={form} name="kind" label={t("bulkKind")}>
          {(bind) => (
            <RadioGroup
              {...bind}
              choices={kinds.map((value) => ({
                value,
                label: t(`bulk.${value}`),
                hint: t(`bulk.${value}.hint`),
              }))}
            />
          )}
        </FormField>
        {kind === "scale" && (
          <FormField form={form} name="percent" label={t("percent")} hint={t("percentHint")} required>
            {(bind) => <TextInput {...bind} inputMode="decimal" maxLength={12} />}
          </FormField>
        )}
        {kind === "set" && (
          <div className="grid gap-4 sm:grid-cols-2">
            {(["input", "output"] as const).map((name) => (
              <FormField key={name} form={form} name={name} label={t(name)}>
                {(bind) => <MoneyInput {...bind} />}
              </FormField>
            ))}
          </div>
        )}
      </Form>
    </Dialog>
  );
}
