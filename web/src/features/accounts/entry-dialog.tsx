import { useState } from "react";
import { formatMoney, nanosOf } from "../../format/money.ts";
import { Form, FormField } from "../../forms/form.tsx";
import { type AppForm, useAppForm } from "../../forms/use-app-form.ts";
import { operatorAccountsMessages } from "../../i18n/en/pages/operator-accounts.ts";
import { uiMessages } from "../../i18n/en/ui.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Button } from "../../ui/button.tsx";
import { useTimeZone } from "../../ui/figures.tsx";
import { RadioGroup } from "../../ui/inputs/choices.tsx";
import { DateInput, MoneyInput, TextArea, TextInput } from "../../ui/inputs/inputs.tsx";
import { Dialog } from "../../ui/overlays/dialog.tsx";
import { toast } from "../../ui/overlays/toast.tsx";
import { Notice } from "../../ui/surfaces.tsx";
import { type EntryValues, entryBodyOf, newReference, takesAway } from "./entry-values.ts";
import type { Account } from "./status.tsx";

const referenceBytes = 6;

/** `crypto.randomUUID` is missing on plain http, where the console may be. */
function freshReference(): string {
  return newReference(Date.now(), crypto.getRandomValues(new Uint8Array(referenceBytes)));
}

interface EntryDialogProps {
  readonly account: Account;
  readonly onClose: () => void;
}

/** Open while it is drawn. */
export function EntryDialog({ account, onClose }: EntryDialogProps) {
  const t = useMessages(operatorAccountsMessages);
  const tUi = useMessages(uiMessages);
  const timeZone = useTimeZone();
  const [initial] = useState(
    (): EntryValues => ({
      kind: "topup",
      direction: "add",
      amount: "",
      reason: "",
      reference: freshReference(),
      requestId: "",
      expiresAt: "",
    }),
  );
  const form = useAppForm({
    initial,
    check: ({ kind, reason }) =>
      kind === "adjustment" && reason.trim() === "" ? [{ path: "reason", message: t("needsReason") }] : [],
    route: "post /operator/accounts/{id}/entries",
    sent: (values) => ({ params: { id: account.id }, body: entryBodyOf(values, timeZone) }),
    onDone: ({ isNew, balance }) => {
      toast(t(isNew ? "lineAdded" : "lineThere", { balance: formatMoney(balance) }));
      onClose();
    },
  });
  return (
    <Dialog open onClose={onClose} title={t("entryTitle")}>
      <Form
        form={form}
        guard={false}
        act={t("addLine")}
        also={
          <Button variant="quiet" onClick={onClose}>
            {tUi("cancel")}
          </Button>
        }
      >
        <KindFields form={form} />
        <FormField
          form={form}
          name="reason"
          label={t("reason")}
          hint={t("reasonHint")}
          required={form.values.kind === "adjustment"}
          optional={form.values.kind !== "adjustment"}
        >
          {(bind) => <TextArea {...bind} rows={2} maxLength={1_000} />}
        </FormField>
        <FormField form={form} name="reference" label={t("reference")} hint={t("referenceHint")} optional>
          {(bind) => <TextInput {...bind} mono maxLength={200} />}
        </FormField>
        <WhatHappens values={form.values} name={account.name} />
      </Form>
    </Dialog>
  );
}

function KindFields({ form }: { readonly form: AppForm<EntryValues> }) {
  const t = useMessages(operatorAccountsMessages);
  const { kind } = form.values;
  return (
    <>
      <FormField form={form} name="kind" label={t("kind")}>
        {(bind) => (
          <RadioGroup
            {...bind}
            choices={(["topup", "adjustment", "refund"] as const).map((value) => ({
              value,
              label: t(`kind.${value}`),
              hint: t(`kind.${value}.hint`),
            }))}
          />
        )}
      </FormField>
      {kind === "adjustment" && (
        <FormField form={form} name="direction" label={t("direction")}>
          {(bind) => (
            <RadioGroup
              {...bind}
              inline
              choices={(["add", "take"] as const).map((value) => ({
                value,
                label: t(`direction.${value}`),
              }))}
            />
          )}
        </FormField>
      )}
      <FormField form={form} name="amount" label={t("amount")} required>
        {(bind) => <MoneyInput {...bind} />}
      </FormField>
      {kind === "refund" && (
        <FormField form={form} name="requestId" label={t("requestId")} hint={t("requestIdHint")} optional>
          {(bind) => <TextInput {...bind} mono maxLength={100} />}
        </FormField>
      )}
      {kind === "topup" && (
        <FormField form={form} name="expiresAt" label={t("expires")} hint={t("expiresHint")} optional>
          {(bind) => <DateInput {...bind} />}
        </FormField>
      )}
    </>
  );
}

function WhatHappens({ values, name }: { readonly values: EntryValues; readonly name: string }) {
  const t = useMessages(operatorAccountsMessages);
  const nanos = nanosOf(values.amount);
  if (nanos === undefined || nanos <= 0n) return null;
  const isTaking = takesAway(values);
  return (
    <Notice tone={isTaking ? "warn" : "neutral"}>
      {t(isTaking ? "willTake" : "willAdd", { name, amount: formatMoney(values.amount.trim(), "exact") })}
    </Notice>
  );
}
