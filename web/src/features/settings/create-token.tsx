/** A new operator token: name, scopes, expiry; then its secret, once. */
import type { TokenScope } from "@plaza/contract/api/route.ts";
import { useState } from "react";
import { addDays, dayStartMs, isDay } from "../../format/zone.ts";
import { Form, FormField } from "../../forms/form.tsx";
import { useAppForm } from "../../forms/use-app-form.ts";
import { operatorUsersMessages } from "../../i18n/en/pages/operator-users.ts";
import { uiMessages } from "../../i18n/en/ui.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Button } from "../../ui/button.tsx";
import { useTimeZone } from "../../ui/figures.tsx";
import { Checkbox } from "../../ui/inputs/choices.tsx";
import { DateInput, TextInput } from "../../ui/inputs/inputs.tsx";
import { Dialog } from "../../ui/overlays/dialog.tsx";
import { ShownOnce } from "../../ui/shown-once.tsx";

/** All of them, in order; a missing one does not compile. */
const scopes = Object.keys({
  "accounts:read": true,
  "accounts:write": true,
  "catalog:read": true,
  "catalog:write": true,
  "usage:read": true,
  "health:read": true,
  "installation:write": true,
} satisfies Record<TokenScope, true>) as TokenScope[];

/** Open while it is drawn. */
export function CreateToken({ onClose }: { readonly onClose: () => void }) {
  const t = useMessages(operatorUsersMessages);
  const tUi = useMessages(uiMessages);
  const timeZone = useTimeZone();
  const [made, setMade] = useState<{ readonly name: string; readonly secret: string } | null>(null);
  const form = useAppForm({
    initial: { name: "", scopes: [] as readonly TokenScope[], expiresAt: "" },
    route: "post /operator/tokens",
    sent: ({ name, scopes: chosen, expiresAt: day }) => {
      const endMs = isDay(day) ? dayStartMs(addDays(day, 1), timeZone) : undefined;
      const expiresAt = endMs === undefined ? {} : { expiresAt: new Date(endMs).toISOString() };
      return { body: { name, scopes: [...chosen], ...expiresAt } };
    },
    onDone: ({ secret }, { name }) => setMade({ name, secret }),
  });
  if (made !== null) {
    return (
      <ShownOnce
        kind="secret"
        title={t("tokenCreated", { name: made.name })}
        text={made.secret}
        onClose={onClose}
      />
    );
  }
  return (
    <Dialog open onClose={onClose} title={t("tokenTitle")}>
      <Form
        form={form}
        guard={false}
        act={t("createToken")}
        also={
          <Button variant="quiet" onClick={onClose}>
            {tUi("cancel")}
          </Button>
        }
      >
        <FormField form={form} name="name" label={t("tokenName")} required>
          {(bind) => <TextInput {...bind} autoFocus />}
        </FormField>
        <FormField form={form} name="scopes" label={t("scopes")} required>
          {({ value, onChange }) => (
            <div className="flex flex-col gap-2">
              {scopes.map((scope) => (
                <Checkbox
                  key={scope}
                  label={<span className="font-mono text-[0.9em]">{scope}</span>}
                  hint={t(`scope.${scope}`)}
                  value={value.includes(scope)}
                  onChange={(has) => onChange(has ? [...value, scope] : value.filter((one) => one !== scope))}
                />
              ))}
            </div>
          )}
        </FormField>
        <FormField form={form} name="expiresAt" label={t("expiresAt")} hint={t("expiresHint")} optional>
          {(bind) => <DateInput {...bind} />}
        </FormField>
      </Form>
    </Dialog>
  );
}
