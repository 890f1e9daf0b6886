import { X } from "lucide-react";
import { call } from "../../api/call.ts";
import { ConflictNote } from "../../forms/conflict-note.tsx";
import { Form, FormField } from "../../forms/form.tsx";
import { useEdit } from "../../forms/use-edit.ts";
import { operatorUsersMessages } from "../../i18n/en/pages/operator-users.ts";
import { uiMessages } from "../../i18n/en/ui.ts";
import { useMessages } from "../../i18n/messages.ts";
import { IconButton } from "../../ui/button.tsx";
import { RadioGroup } from "../../ui/inputs/choices.tsx";
import { Combobox } from "../../ui/inputs/multi-select.tsx";
import { toast } from "../../ui/overlays/toast.tsx";
import { Card } from "../../ui/surfaces.tsx";
import { useAccountChoices } from "../accounts/account-choices.ts";
import type { UserRow } from "./list.tsx";

interface Belonging {
  readonly accountId: string;
  readonly role: "owner" | "member";
}

function valuesOf({ account }: UserRow): Belonging {
  return { accountId: account?.id ?? "", role: account?.role ?? "member" };
}

/** See above. */
export function UserAccount({ user }: { readonly user: UserRow }) {
  const t = useMessages(operatorUsersMessages);
  const tUi = useMessages(uiMessages);
  const edit = useEdit({
    thing: user,
    valuesOf,
    read: () => call("get /operator/users/{id}", { params: { id: user.id } }),
    route: "patch /operator/users/{id}",
    sent: ({ accountId, role }, revision) => ({
      params: { id: user.id },
      body: accountId === "" ? { accountId: null, revision } : { accountId, role, revision },
    }),
    onDone: () => toast(t("saved")),
  });
  const { form } = edit;
  const accounts = useAccountChoices(form.values.accountId === "" ? [] : [form.values.accountId]);
  return (
    <Card title={t("changeAccount")}>
      <Form form={form} act={t("save")}>
        <ConflictNote edit={edit} nameOf={(field) => t(field === "role" ? "role" : "account")} />
        <div className="flex max-w-lg items-end gap-2">
          <FormField form={form} name="accountId" label={t("account")} className="flex-1">
            {(bind) => <Combobox {...bind} {...accounts} emptyText={t("noAccount")} />}
          </FormField>
          {form.values.accountId !== "" && (
            <IconButton
              label={tUi("remove", { what: t("account") })}
              onClick={() => form.set({ accountId: "" })}
            >
              <X aria-hidden className="size-4" />
            </IconButton>
          )}
        </div>
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
      </Form>
    </Card>
  );
}
