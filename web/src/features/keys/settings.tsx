/** Edits a key. Shows changes of other users and keeps the user's own input. */
import { useEffect, useState } from "react";
import { isApiError } from "../../api/error.ts";
import { useApiMutation } from "../../api/queries.ts";
import { Form } from "../../forms/form.tsx";
import { useForm } from "../../forms/use-form.ts";
import { keysMessages } from "../../i18n/en/pages/keys.ts";
import { useMessages } from "../../i18n/messages.ts";
import { useTimeZone } from "../../ui/figures.tsx";
import { toast } from "../../ui/overlays/toast.tsx";
import { Card } from "../../ui/surfaces.tsx";
import { KeyConflict } from "./conflict.tsx";
import { MainKeyFields, RestrictionFields, useFaultMessages } from "./form.tsx";
import { type ApiKey, bodyOf, differing, faultsOf, type KeyFormValues, valuesOfKey } from "./form-values.ts";

export interface KeySettingsProps {
  /** As it is on the server, as far as known. */
  readonly apiKey: ApiKey;
  /** Asks the server again. */
  readonly reload: () => Promise<unknown>;
}

/** See `KeySettingsProps`. */
export function KeySettings({ apiKey, reload }: KeySettingsProps) {
  const t = useMessages(keysMessages);
  const zone = useTimeZone();
  const faultMessages = useFaultMessages();
  const change = useApiMutation("patch /keys/{id}");
  // What the form's changes are changes of.
  const [base, setBase] = useState(apiKey);
  const baseValues = valuesOfKey(base, zone);
  const form = useForm<KeyFormValues>({
    initial: baseValues,
    check: (values) => faultsOf(values, faultMessages),
    onSubmit: async (values) => {
      const body = bodyOf(values, zone, Date.now());
      const changed = Object.fromEntries(differing(baseValues, values).map((name) => [name, body[name]]));
      try {
        return await change.mutateAsync({
          params: { id: base.id },
          body: { ...changed, revision: base.revision },
        });
      } catch (thrown) {
        if (isApiError(thrown, "changed_meanwhile")) await reload();
        throw thrown;
      }
    },
    onDone: (saved: ApiKey) => {
      startFrom(saved);
      toast(t("saved"), saved.name);
    },
  });
  const startFrom = (key: ApiKey, values?: KeyFormValues) => {
    setBase(key);
    form.reset(valuesOfKey(key, zone));
    if (values !== undefined) form.set(values);
  };
  const isOld = apiKey.revision > base.revision && !form.isBusy;
  const isUntouched = differing(baseValues, form.values).length === 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only news from the server start the form over.
  useEffect(() => {
    if (isOld && isUntouched) startFrom(apiKey);
  }, [isOld, isUntouched, apiKey]);
  const shown = isApiError(form.error, "changed_meanwhile") ? { ...form, error: null } : form;
  return (
    <Card title={t("settings")}>
      <Form form={shown} act={t("save")}>
        {isOld && !isUntouched && (
          <KeyConflict
            base={baseValues}
            theirs={valuesOfKey(apiKey, zone)}
            mine={form.values}
            onSettle={(values) => startFrom(apiKey, values)}
          />
        )}
        <MainKeyFields form={form} />
        <RestrictionFields form={form} />
      </Form>
    </Card>
  );
}
