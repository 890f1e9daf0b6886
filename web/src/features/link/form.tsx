import type { Answer } from "../../api/routes.ts";
import { Form, FormField } from "../../forms/form.tsx";
import { useAppForm } from "../../forms/use-app-form.ts";
import { linkMessages } from "../../i18n/en/link.ts";
import { useMessages } from "../../i18n/messages.ts";
import { takeSession } from "../../shell/session.ts";
import { PasswordInput, TextInput } from "../../ui/inputs/inputs.tsx";
import { useGo } from "../../ui/navigation.tsx";

/** The server's data on a link. */
export type LinkFacts = Answer<"get /links/{token}">;

/** Signs in and continues: after setup to the first upstream, else to the start page. */
export function LinkForm({ token, link }: { readonly token: string; readonly link: LinkFacts }) {
  const t = useMessages(linkMessages);
  const go = useGo();
  const asksEmail = link.email === null;
  const asksName = link.kind !== "reset";
  const form = useAppForm({
    initial: { name: "", email: link.email ?? "", password: "" },
    route: "post /links/{token}",
    sent: ({ name, email, password }) => ({
      params: { token },
      body: { password, ...(asksName ? { name } : {}), ...(asksEmail ? { email } : {}) },
    }),
    onDone: (session) => {
      takeSession(session);
      go(link.kind === "setup" ? "/start" : "/", { replace: true });
    },
  });
  return (
    <Form form={form} guard={false} act={t(`${link.kind}.act`)} isActWide>
      {asksName && (
        <FormField form={form} name="name" label={t("name")} required>
          {(bind) => <TextInput {...bind} autoComplete="name" maxLength={200} autoFocus />}
        </FormField>
      )}
      <FormField
        form={form}
        name="email"
        label={t("email")}
        hint={asksEmail ? t("emailHint") : undefined}
        required
      >
        {(bind) => (
          <TextInput {...bind} type="email" autoComplete="username" maxLength={254} disabled={!asksEmail} />
        )}
      </FormField>
      <FormField form={form} name="password" label={t("password")} hint={t("passwordHint")} required>
        {(bind) => <PasswordInput {...bind} autoComplete="new-password" autoFocus={!asksName} />}
      </FormField>
    </Form>
  );
}
