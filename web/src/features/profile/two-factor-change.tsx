/** Turning two-factor off, and new recovery codes: both ask for the password and a code. */
import { useState } from "react";
import { call } from "../../api/call.ts";
import { Form, FormField } from "../../forms/form.tsx";
import { type AppForm, useAppForm } from "../../forms/use-app-form.ts";
import { profileMessages } from "../../i18n/en/profile.ts";
import { useMessages } from "../../i18n/messages.ts";
import { reloadSession } from "../../shell/session.ts";
import { PasswordInput, TextInput } from "../../ui/inputs/inputs.tsx";
import { Dialog } from "../../ui/overlays/dialog.tsx";
import { toast } from "../../ui/overlays/toast.tsx";
import { RecoveryCodes } from "./recovery-codes.tsx";

interface Proof {
  readonly password: string;
  readonly code: string;
}

const noProof: Proof = { password: "", code: "" };

function ProofForm({ form, act }: { readonly form: AppForm<Proof>; readonly act: string }) {
  const t = useMessages(profileMessages);
  return (
    <Form form={form} act={act} guard={false}>
      <FormField form={form} name="password" label={t("confirmPassword")}>
        {(bind) => <PasswordInput {...bind} autoFocus />}
      </FormField>
      <FormField form={form} name="code" label={t("codeOrRecovery")}>
        {(bind) => <TextInput {...bind} autoComplete="one-time-code" mono maxLength={40} />}
      </FormField>
    </Form>
  );
}

export interface TwoFactorDialogProps {
  readonly onClose: () => void;
}

/** Turns it off. */
export function EndTwoFactorDialog({ onClose }: TwoFactorDialogProps) {
  const t = useMessages(profileMessages);
  const form = useAppForm({
    initial: noProof,
    route: "post /profile/two-factor/end",
    sent: (body) => ({ body }),
    onSubmit: async (body) => {
      await call("post /profile/two-factor/end", { body });
      await reloadSession();
    },
    onDone: () => {
      toast(t("turnedOff"));
      onClose();
    },
  });
  return (
    <Dialog open onClose={onClose} title={t("turnOffTitle")}>
      <ProofForm form={form} act={t("turnOff")} />
    </Dialog>
  );
}

/** Makes new recovery codes. */
export function NewCodesDialog({ onClose }: TwoFactorDialogProps) {
  const t = useMessages(profileMessages);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const form = useAppForm({
    initial: noProof,
    route: "post /profile/two-factor/recovery-codes",
    sent: (body) => ({ body }),
    onDone: ({ recoveryCodes }) => setCodes(recoveryCodes),
  });
  if (codes !== null) return <RecoveryCodes codes={codes} onClose={onClose} />;
  return (
    <Dialog open onClose={onClose} title={t("newCodesTitle")}>
      <p className="text-muted">{t("newCodesText")}</p>
      <ProofForm form={form} act={t("makeCodes")} />
    </Dialog>
  );
}
