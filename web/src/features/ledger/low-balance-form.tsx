/** Below which balance the account's people are warned. Owners change it, members see it. */

import { useState } from "react";
import { isApiError } from "../../api/error.ts";
import { useApiMutation } from "../../api/queries.ts";
import type { Answer } from "../../api/routes.ts";
import { formatMoney, nanosOf } from "../../format/money.ts";
import { Form, FormField } from "../../forms/form.tsx";
import { useForm } from "../../forms/use-form.ts";
import { billingMessages } from "../../i18n/en/pages/billing.ts";
import { useMessages } from "../../i18n/messages.ts";
import { useSession } from "../../shell/session.ts";
import { MoneyInput } from "../../ui/inputs/inputs.tsx";
import { toast } from "../../ui/overlays/toast.tsx";
import { Notice } from "../../ui/surfaces.tsx";

type Balance = Answer<"get /balance">;

/** `balance` as it is on the server; `reload` asks again. */
export interface LowBalanceFormProps {
  readonly balance: Balance;
  readonly reload: () => Promise<{ data: Balance | undefined }>;
}

/** See above. */
export function LowBalanceForm({ balance, reload }: LowBalanceFormProps) {
  const t = useMessages(billingMessages);
  const { account } = useSession();
  const [base, setBase] = useState(balance.account);
  const [isStale, setStale] = useState(false);
  const change = useApiMutation("patch /account");
  const textOf = (amount: string | null) => (amount === null ? t("noWarning") : formatMoney(amount));
  const form = useForm({
    initial: { lowBalance: base.lowBalance ?? "" },
    check: ({ lowBalance }) =>
      lowBalance.trim() === "" || (nanosOf(lowBalance) ?? -1n) >= 0n
        ? []
        : [{ path: "lowBalance", message: t("amountWrong") }],
    onSubmit: async ({ lowBalance }) => {
      const given = lowBalance.trim();
      try {
        return await change.mutateAsync({
          body: { lowBalance: given === "" ? null : given, revision: base.revision },
        });
      } catch (thrown) {
        if (isApiError(thrown, "changed_meanwhile")) {
          const { data } = await reload();
          if (data !== undefined) setBase(data.account);
          setStale(true);
        }
        throw thrown;
      }
    },
    onDone: (saved: Balance) => {
      setBase(saved.account);
      setStale(false);
      toast(t("saved"));
    },
  });
  if (account?.role !== "owner") {
    return (
      <p>
        {t("warnBelow")}: {textOf(balance.lowBalance)}
        <span className="block text-small text-muted">{t("onlyOwners")}</span>
      </p>
    );
  }
  const isOwnUnset = balance.account.lowBalance === null && balance.lowBalance !== null;
  const shown = isApiError(form.error, "changed_meanwhile") ? { ...form, error: null } : form;
  return (
    <Form form={shown} act={t("save")}>
      {isStale && <Notice tone="warn">{t("conflict", { amount: textOf(base.lowBalance) })}</Notice>}
      <FormField
        form={form}
        name="lowBalance"
        label={t("warnBelow")}
        hint={isOwnUnset ? t("warningHintIs", { amount: textOf(balance.lowBalance) }) : t("warningHint")}
      >
        {(bind) => <MoneyInput {...bind} />}
      </FormField>
    </Form>
  );
}
