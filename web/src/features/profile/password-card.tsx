import { Form, FormField } from "../../forms/form.tsx";
import { useAppForm } from "../../forms/use-app-form.ts";
import { profileMessages } from "../../i18n/en/profile.ts";
import { useMessages } from "../../i18n/messages.ts";
import { takeSession, useSession } from "../../shell/session.ts";
import { PasswordInput } from "../../ui/inputs/inputs.tsx";
import { toast } from "../../ui/overlays/toast.tsx";
import { Card } from "../../ui/surfaces.tsx";

const empty = { current: "", next: "" };

/** See above. */
export function PasswordCard() {
  const t = useMessages(profileMessages);
  const { user } = useSession();
  const hasPassword = user?.hasPassword === true;
  const form = useAppForm({
    initial: empty,
    route: "post /profile/password",
    sent: ({ current, next }) => ({ body: { next, ...(hasPassword ? { current } : {}) } }),
    onDone: (session) => {
      takeSession(session);
      form.reset(empty);
      toast(t("passwordChanged"), t("passwordChangedText"));
    },
  });
  return (
    <Card title={t("password")}>
      <p className="mb-4 text-muted">{hasPassword ? t("passwordSet") : t("passwordNone")}</p>
      <Form form={form} act={hasPassword ? t("changePassword") : t("setPassword")}>
        <input type="email" autoComplete="username" value={user?.email ?? ""} readOnly hidden />
        <div className="grid gap-5 sm:grid-cols-2">
          {hasPassword && (
            <FormField form={form} name="current" label={t("current")}>
              {(bind) => <PasswordInput {...bind} />}
            </FormField>
          )}
          <FormField form={form} name="next" label={t("next")} hint={t("nextHint")}>
            {(bind) => <PasswordInput {...bind} autoComplete="new-password" />}
          </FormField>
        </div>
      </Form>
    </Card>
  );
}
