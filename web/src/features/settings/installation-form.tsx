/** Name, public plaza, low-balance default. */

import { call } from "../../api/call.ts";
import type { Answer } from "../../api/routes.ts";
import { ConflictNote } from "../../forms/conflict-note.tsx";
import { Form, FormField } from "../../forms/form.tsx";
import { useEdit } from "../../forms/use-edit.ts";
import { operatorSettingsMessages } from "../../i18n/en/pages/operator-settings.ts";
import { useMessages } from "../../i18n/messages.ts";
import { reloadSession } from "../../shell/session.ts";
import { Switch } from "../../ui/inputs/choices.tsx";
import { MoneyInput, TextInput } from "../../ui/inputs/inputs.tsx";
import { toast } from "../../ui/overlays/toast.tsx";
import { Card } from "../../ui/surfaces.tsx";

type Settings = Answer<"get /operator/settings">;

function valuesOf({ name, plazaIsPublic, lowBalance }: Settings) {
  return { name, plazaIsPublic, lowBalance: lowBalance ?? "" };
}

/** See above. */
export function InstallationForm({ settings }: { readonly settings: Settings }) {
  const t = useMessages(operatorSettingsMessages);
  const edit = useEdit({
    thing: settings,
    valuesOf,
    read: () => call("get /operator/settings"),
    route: "put /operator/settings",
    sent: ({ lowBalance, ...values }, revision) => ({
      body: { ...values, lowBalance: lowBalance.trim() === "" ? null : lowBalance.trim(), revision },
    }),
    onDone: () => {
      toast(t("saved"));
      // The menu shows the name, guards of routes the public plaza.
      void reloadSession();
    },
  });
  const { form } = edit;
  return (
    <Card>
      <Form form={form} act={t("save")} className="flex max-w-xl flex-col gap-5">
        <ConflictNote edit={edit} nameOf={(field) => t(field as keyof ReturnType<typeof valuesOf>)} />
        <FormField form={form} name="name" label={t("name")} hint={t("nameHint")} required>
          {(bind) => <TextInput {...bind} />}
        </FormField>
        <Switch
          label={t("plazaIsPublic")}
          hint={t("plazaIsPublicHint")}
          value={form.values.plazaIsPublic}
          onChange={(plazaIsPublic) => form.set({ plazaIsPublic })}
        />
        <FormField form={form} name="lowBalance" label={t("lowBalance")} hint={t("lowBalanceHint")}>
          {(bind) => <MoneyInput {...bind} placeholder={t("noWarning")} />}
        </FormField>
      </Form>
    </Card>
  );
}
