/** The form of an upstream that is there. */
import type { ShownUpstreamDocument } from "@plaza/contract/api/catalog.ts";
import { call } from "../../api/call.ts";
import { ConflictNote } from "../../forms/conflict-note.tsx";
import { useEdit } from "../../forms/use-edit.ts";
import { operatorUpstreamsMessages } from "../../i18n/en/pages/operator-upstreams.ts";
import { useMessages } from "../../i18n/messages.ts";
import { toast } from "../../ui/overlays/toast.tsx";
import { fieldText, fieldWord } from "./field-word.ts";
import { UpstreamForm } from "./form.tsx";
import {
  savedValues,
  upstreamChangeOf,
  upstreamFieldOf,
  upstreamRowNames,
  upstreamValuesOf,
} from "./values.ts";

async function readUpstream(id: string): Promise<ShownUpstreamDocument> {
  const { upstreams } = await call("get /operator/catalog");
  const found = upstreams.find((one) => one.id === id);
  if (found === undefined) throw new Error(id);
  return found;
}

/** See above. */
export function EditUpstream({ upstream }: { readonly upstream: ShownUpstreamDocument }) {
  const t = useMessages(operatorUpstreamsMessages);
  const edit = useEdit({
    thing: upstream,
    valuesOf: upstreamValuesOf,
    fieldOf: upstreamFieldOf,
    rowNames: upstreamRowNames,
    read: () => readUpstream(upstream.id),
    route: "put /operator/upstreams/{id}",
    sent: (values, revision) => ({
      params: { id: upstream.id },
      body: { ...upstreamChangeOf(values, upstream), revision },
    }),
    settled: savedValues,
    onDone: () => toast(t("saved")),
  });
  return (
    <UpstreamForm
      form={edit.form}
      upstream={upstream}
      note={<ConflictNote edit={edit} nameOf={(field) => fieldWord(t, field)} write={fieldText} />}
    />
  );
}
