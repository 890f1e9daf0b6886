/** The form of a model that is there. */
import type { ShownModelDocument } from "@plaza/contract/api/catalog.ts";
import { call } from "../../api/call.ts";
import type { Answer } from "../../api/routes.ts";
import { ConflictNote } from "../../forms/conflict-note.tsx";
import { useEdit } from "../../forms/use-edit.ts";
import { operatorModelsMessages } from "../../i18n/en/pages/operator-models.ts";
import { useMessages } from "../../i18n/messages.ts";
import { toast } from "../../ui/overlays/toast.tsx";
import { fieldText, fieldWord } from "./field-word.ts";
import { ModelForm } from "./form.tsx";
import { modelDocumentOf, modelFieldOf, modelRowNames, modelValuesOf } from "./values.ts";

interface EditModelProps {
  readonly model: ShownModelDocument;
  readonly catalog: Answer<"get /operator/catalog">;
}

async function readModel(id: string): Promise<ShownModelDocument> {
  const { models } = await call("get /operator/catalog");
  const found = models.find((one) => one.id === id);
  if (found === undefined) throw new Error(id);
  return found;
}

/** See above. */
export function EditModel({ model, catalog }: EditModelProps) {
  const t = useMessages(operatorModelsMessages);
  const edit = useEdit({
    thing: model,
    valuesOf: modelValuesOf,
    fieldOf: modelFieldOf,
    rowNames: modelRowNames,
    read: () => readModel(model.id),
    route: "put /operator/models/{id}",
    sent: (values, revision) => {
      const { id: _, ...document } = modelDocumentOf(values);
      return { params: { id: model.id }, body: { ...document, revision } };
    },
    onDone: () => toast(t("saved")),
  });
  return (
    <ModelForm
      form={edit.form}
      isNew={false}
      isReadOnly={model.source === "file"}
      upstreamIds={catalog.upstreams.map(({ id }) => id)}
      modelIds={catalog.models.map(({ id }) => id)}
      act={t("save")}
      note={
        <ConflictNote
          edit={edit}
          nameOf={(field) => fieldWord(t, field)}
          write={(field, value) => fieldText(t, field, value)}
        />
      }
    />
  );
}
