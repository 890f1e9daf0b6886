/** In the first run only: an account for an operator who has none, and money for it. */
import { useRef } from "react";
import { call } from "../../api/call.ts";
import { Form, FormField } from "../../forms/form.tsx";
import { useAppForm } from "../../forms/use-app-form.ts";
import { startMessages } from "../../i18n/en/start.ts";
import { useMessages } from "../../i18n/messages.ts";
import { reloadSession, useSession } from "../../shell/session.ts";
import { MoneyInput, TextInput } from "../../ui/inputs/inputs.tsx";
import { Notice } from "../../ui/surfaces.tsx";

export interface TopUpFormProps {
  readonly accountId: string;
  readonly onDone: () => void;
}

/** Adds to the balance, as the operator may. */
export function TopUpForm({ accountId, onDone }: TopUpFormProps) {
  const t = useMessages(startMessages);
  const form = useAppForm({
    initial: { amount: "5" },
    route: "post /operator/accounts/{id}/entries",
    sent: ({ amount }) => ({
      params: { id: accountId },
      body: { kind: "topup" as const, amount, reason: t("topUpNote") },
    }),
    onDone,
  });
  return (
    <section className="flex flex-col gap-4">
      <Notice tone="warn" title={t("lowTitle")}>
        {t("lowText")}
      </Notice>
      <Form form={form} act={t("topUp")} guard={false}>
        <FormField form={form} name="amount" label={t("amount")} className="max-w-48">
          {(bind) => <MoneyInput {...bind} />}
        </FormField>
      </Form>
    </section>
  );
}

/** Makes an account and puts the signed-in operator into it as its owner. */
export function AccountForm() {
  const t = useMessages(startMessages);
  const { user } = useSession();
  const made = useRef<string | null>(null);
  const form = useAppForm({
    initial: { name: user?.name ?? "", balance: "5" },
    onSubmit: async (given) => {
      // A retry after an error continues with the account of the first attempt.
      made.current ??= (await call("post /operator/accounts", { body: given })).id;
      const found = await call("get /operator/users", { query: { search: user?.email } });
      const me = found.users.find((one) => one.id === user?.id);
      if (me === undefined) throw new Error("The signed-in user is not in the list of users.");
      await call("patch /operator/users/{id}", {
        params: { id: me.id },
        body: { accountId: made.current, role: "owner", revision: me.revision },
      });
      await reloadSession();
    },
  });
  return (
    <section className="flex flex-col gap-4">
      <Notice tone="accent" title={t("accountTitle")}>
        {t("accountText")}
      </Notice>
      <Form form={form} act={t("makeAccount")} guard={false}>
        <FormField form={form} name="name" label={t("accountName")} required>
          {(bind) => <TextInput {...bind} maxLength={200} />}
        </FormField>
        <FormField form={form} name="balance" label={t("accountBalance")} className="max-w-48">
          {(bind) => <MoneyInput {...bind} />}
        </FormField>
      </Form>
    </section>
  );
}
