import { Form, FormField } from "../../forms/form.tsx";
import { useAppForm } from "../../forms/use-app-form.ts";
import { profileMessages } from "../../i18n/en/profile.ts";
import { uiMessages } from "../../i18n/en/ui.ts";
import { useMessages } from "../../i18n/messages.ts";
import { takeSession, useSession } from "../../shell/session.ts";
import { Field } from "../../ui/inputs/field.tsx";
import { TextInput } from "../../ui/inputs/inputs.tsx";
import { toast } from "../../ui/overlays/toast.tsx";
import { Card } from "../../ui/surfaces.tsx";

/** See above. */
export function YouCard() {
  const t = useMessages(profileMessages);
  const ui = useMessages(uiMessages);
  const { user } = useSession();
  const form = useAppForm({
    initial: { name: user?.name ?? "" },
    route: "patch /profile",
    sent: ({ name }) => ({ body: { name } }),
    onDone: (session) => {
      takeSession(session);
      toast(t("saved"));
    },
  });
  return (
    <Card title={t("you")}>
      <Form form={form} act={ui("save")}>
        <div className="grid gap-5 sm:grid-cols-2">
          <FormField form={form} name="name" label={t("name")}>
            {(bind) => <TextInput {...bind} autoComplete="name" maxLength={200} />}
          </FormField>
          <Field label={t("email")} hint={t("emailHint")}>
            <TextInput type="email" value={user?.email ?? ""} onChange={() => undefined} disabled />
          </Field>
        </div>
      </Form>
    </Card>
  );
}
