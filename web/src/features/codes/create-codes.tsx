/** Making a batch of codes: the form, then the codes, which are shown once. */
import { useState } from "react";
import type { Answer } from "../../api/routes.ts";
import { formatMoney } from "../../format/money.ts";
import { addDays, dayStartMs, isDay } from "../../format/zone.ts";
import { Form, FormField } from "../../forms/form.tsx";
import { useAppForm } from "../../forms/use-app-form.ts";
import { operatorCodesMessages } from "../../i18n/en/pages/operator-codes.ts";
import { uiMessages } from "../../i18n/en/ui.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Button } from "../../ui/button.tsx";
import { useTimeZone } from "../../ui/figures.tsx";
import { DateInput, MoneyInput, NumberInput, TextInput } from "../../ui/inputs/inputs.tsx";
import { Dialog } from "../../ui/overlays/dialog.tsx";
import { MadeCodes } from "./made-codes.tsx";
import { totalOf } from "./sheet.ts";

type Made = Answer<"post /operator/code-batches">;

/** Open while it is drawn. */
export function CreateCodes({ onClose }: { readonly onClose: () => void }) {
  const t = useMessages(operatorCodesMessages);
  const tUi = useMessages(uiMessages);
  const timeZone = useTimeZone();
  const [made, setMade] = useState<Made | null>(null);
  const form = useAppForm({
    initial: { count: 10 as number | null, amount: "", expiresAt: "", note: "" },
    route: "post /operator/code-batches",
    sent: ({ count, amount, expiresAt: day, note }) => {
      const endMs = isDay(day) ? dayStartMs(addDays(day, 1), timeZone) : undefined;
      const expiresAt = endMs === undefined ? {} : { expiresAt: new Date(endMs).toISOString() };
      return { body: { count: count ?? 0, amount: amount.trim(), note, ...expiresAt } };
    },
    onDone: setMade,
  });
  if (made !== null) return <MadeCodes made={made} onClose={onClose} />;
  const { count, amount } = form.values;
  const total = count === null || count < 1 ? undefined : totalOf(amount, count);
  return (
    <Dialog open onClose={onClose} title={t("createTitle")}>
      <Form
        form={form}
        guard={false}
        act={t("make")}
        also={
          <Button variant="quiet" onClick={onClose}>
            {tUi("cancel")}
          </Button>
        }
      >
        <div className="grid gap-4 sm:grid-cols-2">
          <FormField form={form} name="count" label={t("count")} required>
            {(bind) => <NumberInput {...bind} min={1} max={1_000} />}
          </FormField>
          <FormField form={form} name="amount" label={t("amount")} required>
            {(bind) => <MoneyInput {...bind} unit={t("each")} />}
          </FormField>
        </div>
        <FormField form={form} name="expiresAt" label={t("expires")} hint={t("expiresHint")} optional>
          {(bind) => <DateInput {...bind} />}
        </FormField>
        <FormField form={form} name="note" label={t("note")} hint={t("noteHint")} optional>
          {(bind) => <TextInput {...bind} maxLength={1_000} />}
        </FormField>
        {total !== undefined && (
          <p className="text-muted">
            {t("willMake", {
              count: count ?? 0,
              amount: formatMoney(amount.trim(), "exact"),
              total: formatMoney(total, "exact"),
            })}
          </p>
        )}
      </Form>
    </Dialog>
  );
}
