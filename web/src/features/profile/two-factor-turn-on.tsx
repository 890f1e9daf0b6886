/** Turning two-factor on: the password, the QR code and a first code, then the recovery codes. */
import { useMemo, useState } from "react";
import { encode } from "uqr";
import type { Answer } from "../../api/routes.ts";
import { Form, FormField } from "../../forms/form.tsx";
import { useAppForm } from "../../forms/use-app-form.ts";
import { profileMessages } from "../../i18n/en/profile.ts";
import { useMessages } from "../../i18n/messages.ts";
import { reloadSession } from "../../shell/session.ts";
import { Copyable } from "../../ui/code.tsx";
import { PasswordInput, TextInput } from "../../ui/inputs/inputs.tsx";
import { Dialog } from "../../ui/overlays/dialog.tsx";
import { toast } from "../../ui/overlays/toast.tsx";
import { RecoveryCodes } from "./recovery-codes.tsx";

type Secret = Answer<"post /profile/two-factor">;
type Codes = Answer<"post /profile/two-factor/confirm">;

export interface TurnOnDialogProps {
  readonly onClose: () => void;
}

/** See above. */
export function TurnOnDialog({ onClose }: TurnOnDialogProps) {
  const t = useMessages(profileMessages);
  const [secret, setSecret] = useState<Secret | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  if (codes !== null) return <RecoveryCodes codes={codes} onClose={onClose} />;
  return (
    <Dialog open onClose={onClose} title={secret === null ? t("twoFactor") : t("scanTitle")}>
      {secret === null ? (
        <AskPassword onSecret={setSecret} />
      ) : (
        <Scan
          secret={secret}
          onCodes={({ recoveryCodes }) => {
            setCodes(recoveryCodes);
            toast(t("turnedOn"));
            void reloadSession();
          }}
        />
      )}
    </Dialog>
  );
}

function AskPassword({ onSecret }: { readonly onSecret: (secret: Secret) => void }) {
  const t = useMessages(profileMessages);
  const form = useAppForm({
    initial: { password: "" },
    route: "post /profile/two-factor",
    sent: (body) => ({ body }),
    onDone: onSecret,
  });
  return (
    <Form form={form} act={t("goOn")} guard={false}>
      <FormField form={form} name="password" label={t("confirmPassword")}>
        {(bind) => <PasswordInput {...bind} autoFocus />}
      </FormField>
    </Form>
  );
}

interface ScanProps {
  readonly secret: Secret;
  readonly onCodes: (codes: Codes) => void;
}

function Scan({ secret, onCodes }: ScanProps) {
  const t = useMessages(profileMessages);
  const form = useAppForm({
    initial: { code: "" },
    route: "post /profile/two-factor/confirm",
    sent: (body) => ({ body }),
    onDone: onCodes,
  });
  return (
    <div className="flex flex-col gap-4">
      <p className="text-muted">{t("scanText")}</p>
      <QrCode text={secret.address} />
      <p className="flex min-w-0 flex-wrap items-center justify-center gap-x-2">
        <span className="text-muted">{t("secret")}:</span> <Copyable text={secret.secret} />
      </p>
      <Form form={form} act={t("turnOn")} guard={false}>
        <FormField form={form} name="code" label={t("code")}>
          {(bind) => (
            <TextInput
              {...bind}
              inputMode="numeric"
              autoComplete="one-time-code"
              mono
              maxLength={10}
              autoFocus
            />
          )}
        </FormField>
      </Form>
    </div>
  );
}

/** Dark on light in both themes: that is what apps read. */
function QrCode({ text }: { readonly text: string }) {
  const t = useMessages(profileMessages);
  const { size, path } = useMemo(() => {
    const { size, data } = encode(text, { ecc: "M", border: 2 });
    const marks = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : "")));
    return { size, path: marks.join("") };
  }, [text]);
  return (
    <svg
      role="img"
      aria-label={t("qrLabel")}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="mx-auto size-48 rounded-lg"
    >
      <title>{t("qrLabel")}</title>
      <rect width={size} height={size} fill="#ffffff" />
      <path d={path} fill="#000000" />
    </svg>
  );
}
