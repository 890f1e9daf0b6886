/** A new account, with a balance to begin with. */

import { Form, FormField } from "../../forms/form.tsx";
import { useAppForm } from "../../forms/use-app-form.ts";
import { operatorAccountsMessages } from "../../i18n/en/pages/operator-accounts.ts";
import { uiMessages } from "../../i18n/en/ui.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Button } from "../../ui/button.tsx";
import { MoneyInput, TextInput } from "../../ui/inputs/inputs.tsx";
import { useGo } from "../../ui/navigation.tsx";
import { Dialog } from "../../ui/overlays/dialog.tsx";
import { toast } from "../../ui/overlays/toast.tsx";

/** Open while it is drawn; goes to the account once it is there. */
export function CreateAccount({ onClose }: { readonly onClose: () => void }) {
  const t = useMessages(operatorAccountsMessages);
  const tUi = useMessages(uiMessages);
  const go = useGo();
  const form = useAppForm({
    initial: { name: "", balance: "" },
    route: "post /operator/accounts",
    sent: ({ name, balance }) => ({
      body: { name, ...(balance.trim() === "" ? {} : { balance: balance.trim() }) },
    }),
    onDone: ({ id }) => {
      toast(t("createdToast"));
      go(`/operator/accounts/${encodeURIComponent(id)}`);
    },
  });
  return (
    <Dialog open onClose={onClose} title={t("createTitle")}>
      <Form
        form={form}
        guard={false}
        act={t("create")}
        also={
          <Button variant="quiet" onClick={onClose}>
            {tUi("cancel")}
          </Button>
        }
      >
        <FormField form={form} name="name" label={t("name")} required>
          {(bind) => <TextInput {...bind} autoFocus />}
        </FormField>
        <FormField form={form} name="balance" label={t("startBalance")} hint={t("startBalanceHint")} optional>
          {(bind) => <MoneyInput {...bind} />}
        </FormField>
      </Form>
    </Dialog>
  );
}
