/** Edits a key. */
import { useRef } from "react";
import { call } from "../../api/call.ts";
import { ConflictNote } from "../../forms/conflict-note.tsx";
import { Form } from "../../forms/form.tsx";
import { useEdit } from "../../forms/use-edit.ts";
import { keysMessages } from "../../i18n/en/pages/keys.ts";
import { useMessages } from "../../i18n/messages.ts";
import { useTimeZone } from "../../ui/figures.tsx";
import { toast } from "../../ui/overlays/toast.tsx";
import { Card } from "../../ui/surfaces.tsx";
import { MainKeyFields, RestrictionFields, useFaultMessages } from "./form.tsx";
import { type ApiKey, bodyOf, differing, faultsOf, settingOf, valuesOfKey } from "./form-values.ts";

/** `apiKey` as it is on the server, as far as known. */
export function KeySettings({ apiKey }: { readonly apiKey: ApiKey }) {
  const t = useMessages(keysMessages);
  const zone = useTimeZone();
  const faultMessages = useFaultMessages();
  // What was read last: only what differs from it is sent, so that the audit log names what changed.
  const latest = useRef(apiKey);
  if (apiKey.revision > latest.current.revision) latest.current = apiKey;
  const params = { id: apiKey.id };
  const edit = useEdit({
    thing: apiKey,
    valuesOf: (key: ApiKey) => valuesOfKey(key, zone),
    check: (values) => faultsOf(values, faultMessages),
    read: async () => {
      latest.current = await call("get /keys/{id}", { params });
      return latest.current;
    },
    route: "patch /keys/{id}",
    sent: (values, revision) => {
      const body = bodyOf(values, zone, Date.now());
      const names = differing(valuesOfKey(latest.current, zone), values);
      return { params, body: { ...Object.fromEntries(names.map((name) => [name, body[name]])), revision } };
    },
    settled: (_, saved) => {
      latest.current = saved;
      // An expiry in days is a time once it is saved.
      return valuesOfKey(saved, zone);
    },
    onDone: ({ name }) => toast(t("saved"), name),
  });
  return (
    <Card title={t("settings")}>
      <Form form={edit.form} act={t("save")}>
        <ConflictNote edit={edit} nameOf={(field) => t(settingOf(field))} />
        <MainKeyFields form={edit.form} />
        <RestrictionFields form={edit.form} />
      </Form>
    </Card>
  );
}
