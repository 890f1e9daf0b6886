/** A link for a new user: of an account, an operator, or both. Shown once. */
import { useState } from "react";
import type { Answer } from "../../api/routes.ts";
import { Form, FormField } from "../../forms/form.tsx";
import { useAppForm } from "../../forms/use-app-form.ts";
import { operatorUsersMessages } from "../../i18n/en/pages/operator-users.ts";
import { uiMessages } from "../../i18n/en/ui.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Button } from "../../ui/button.tsx";
import { Checkbox, RadioGroup } from "../../ui/inputs/choices.tsx";
import { TextInput } from "../../ui/inputs/inputs.tsx";
import { Combobox } from "../../ui/inputs/multi-select.tsx";
import { Dialog } from "../../ui/overlays/dialog.tsx";
import { ShownOnce } from "../../ui/shown-once.tsx";
import { useAccountChoices } from "../accounts/account-choices.ts";

type Link = Answer<"post /operator/users/invitations">;

interface InviteUserProps {
  /** Chosen at first; empty for none. */
  readonly accountId: string;
  readonly onClose: () => void;
}

/** Open while it is drawn: first the form, then the link. */
export function InviteUser({ accountId, onClose }: InviteUserProps) {
  const t = useMessages(operatorUsersMessages);
  const tUi = useMessages(uiMessages);
  const [made, setMade] = useState<{ readonly email: string; readonly link: Link } | null>(null);
  const form = useAppForm({
    initial: { email: "", accountId, role: "owner" as "owner" | "member", isOperator: false },
    route: "post /operator/users/invitations",
    sent: ({ email, accountId: account, role, isOperator }) => ({
      body: { email, isOperator, ...(account === "" ? {} : { accountId: account, role }) },
    }),
    onDone: (link, { email }) => setMade({ email, link }),
  });
  const accounts = useAccountChoices(form.values.accountId === "" ? [] : [form.values.accountId]);
  if (made !== null) {
    return (
      <ShownOnce
        kind="link"
        title={t("linkTitle", { email: made.email })}
        text={made.link.url}
        expiresAt={made.link.expiresAt}
        onClose={onClose}
      />
    );
  }
  return (
    <Dialog open onClose={onClose} title={t("inviteTitle")}>
      <Form
        form={form}
        guard={false}
        act={t("makeLink")}
        also={
          <Button variant="quiet" onClick={onClose}>
            {tUi("cancel")}
          </Button>
        }
      >
        <FormField form={form} name="email" label={t("email")} required>
          {(bind) => <TextInput {...bind} type="email" autoFocus />}
        </FormField>
        <FormField form={form} name="accountId" label={t("account")} hint={t("accountHint")}>
          {(bind) => <Combobox {...bind} {...accounts} emptyText={t("none")} />}
        </FormField>
        {form.values.accountId !== "" && (
          <FormField form={form} name="role" label={t("role")}>
            {(bind) => (
              <RadioGroup
                {...bind}
                inline
                choices={(["owner", "member"] as const).map((value) => ({
                  value,
                  label: t(`role.${value}`),
                }))}
              />
            )}
          </FormField>
        )}
        <Checkbox
          label={t("isOperator")}
          hint={t("isOperatorHint")}
          value={form.values.isOperator}
          onChange={(isOperator) => form.set({ isOperator })}
        />
      </Form>
    </Dialog>
  );
}
