/** Below which balance the account's people are warned. Owners change it, members see it. */
import { call } from "../../api/call.ts";
import type { Answer } from "../../api/routes.ts";
import { formatMoney } from "../../format/money.ts";
import { ConflictNote } from "../../forms/conflict-note.tsx";
import { Form, FormField } from "../../forms/form.tsx";
import { useEdit } from "../../forms/use-edit.ts";
import { billingMessages } from "../../i18n/en/pages/billing.ts";
import { useMessages } from "../../i18n/messages.ts";
import { useSession } from "../../shell/session.ts";
import { MoneyInput } from "../../ui/inputs/inputs.tsx";
import { toast } from "../../ui/overlays/toast.tsx";

type Balance = Answer<"get /balance">;

/** See above. */
export function LowBalanceForm({ balance }: { readonly balance: Balance }) {
  const t = useMessages(billingMessages);
  const { account } = useSession();
  const edit = useEdit({
    thing: balance.account,
    valuesOf: ({ lowBalance }) => ({ lowBalance: lowBalance ?? "" }),
    read: async () => (await call("get /balance")).account,
    route: "patch /account",
    sent: ({ lowBalance }, revision) => ({
      body: { lowBalance: lowBalance.trim() === "" ? null : lowBalance.trim(), revision },
    }),
    revisionOf: ({ account }) => account.revision,
    onDone: () => toast(t("saved")),
  });
  const { form } = edit;
  const textOf = (amount: string | null) => (amount === null ? t("noWarning") : formatMoney(amount));
  if (account?.role !== "owner") {
    return (
      <p>
        {t("warnBelow")}: {textOf(balance.lowBalance)}
        <span className="block text-small text-muted">{t("onlyOwners")}</span>
      </p>
    );
  }
  const isOwnUnset = balance.account.lowBalance === null && balance.lowBalance !== null;
  return (
    <Form form={form} act={t("save")}>
      <ConflictNote edit={edit} nameOf={() => t("warnBelow")} />
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
