/** Invites a member: address and role, then the link, shown once. */
import { useState } from "react";
import type { Answer } from "../../api/routes.ts";
import { Form, FormField } from "../../forms/form.tsx";
import { useAppForm } from "../../forms/use-app-form.ts";
import { membersMessages } from "../../i18n/en/pages/members.ts";
import { uiMessages } from "../../i18n/en/ui.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/code.tsx";
import { When } from "../../ui/figures.tsx";
import { RadioGroup } from "../../ui/inputs/choices.tsx";
import { TextInput } from "../../ui/inputs/inputs.tsx";
import { Dialog } from "../../ui/overlays/dialog.tsx";

interface Made {
  readonly email: string;
  readonly link: Answer<"post /members/invitations">;
}

/** See above. */
export function InviteDialog({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  const t = useMessages(membersMessages);
  const [made, setMade] = useState<Made | null>(null);
  const close = () => {
    setMade(null);
    onClose();
  };
  return (
    <Dialog
      open={open}
      onClose={close}
      mustAnswer={made !== null}
      title={t(made === null ? "inviteTitle" : "linkTitle")}
      foot={
        made === null ? undefined : (
          <Button variant="primary" onClick={close}>
            {t("done")}
          </Button>
        )
      }
    >
      {made === null ? <InviteForm onMade={setMade} onCancel={close} /> : <InviteLink made={made} />}
    </Dialog>
  );
}

function InviteForm({
  onMade,
  onCancel,
}: {
  readonly onMade: (made: Made) => void;
  readonly onCancel: () => void;
}) {
  const t = useMessages(membersMessages);
  const tUi = useMessages(uiMessages);
  const form = useAppForm({
    initial: { email: "", role: "member" as "member" | "owner" },
    route: "post /members/invitations",
    sent: (values) => ({ body: values }),
    onDone: (link, { email }) => onMade({ email, link }),
  });
  return (
    <Form
      form={form}
      act={t("makeLink")}
      also={<Button onClick={onCancel}>{tUi("cancel")}</Button>}
      guard={false}
    >
      <FormField form={form} name="email" label={t("email")} required>
        {(bind) => <TextInput {...bind} type="email" autoFocus maxLength={254} />}
      </FormField>
      <FormField form={form} name="role" label={t("role")}>
        {(bind) => (
          <RadioGroup
            {...bind}
            choices={(["member", "owner"] as const).map((value) => ({
              value,
              label: t(`role.${value}`),
              hint: t(`roleText.${value}`),
            }))}
          />
        )}
      </FormField>
    </Form>
  );
}

function InviteLink({ made: { email, link } }: { readonly made: Made }) {
  const t = useMessages(membersMessages);
  return (
    <div className="flex flex-col gap-3">
      <p className="text-muted">{t("linkText", { email })}</p>
      <code className="rounded-xl border border-line bg-sunken p-3 font-mono text-small break-all">
        {link.url}
      </code>
      <div className="flex flex-wrap items-center gap-3">
        <CopyButton text={link.url} size="normal">
          {t("copyLink")}
        </CopyButton>
        <span className="text-small text-muted">
          {t("linkExpires")} <When at={link.expiresAt} />
        </span>
      </div>
    </div>
  );
}
