import type { Answer } from "../../api/routes.ts";
import { useAppForm } from "../../forms/use-app-form.ts";
import { operatorModelsMessages } from "../../i18n/en/pages/operator-models.ts";
import { uiMessages } from "../../i18n/en/ui.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Link } from "../../ui/button.tsx";
import { useGo } from "../../ui/navigation.tsx";
import { toast } from "../../ui/overlays/toast.tsx";
import { PageHeader } from "../../ui/surfaces.tsx";
import { ModelForm } from "./form.tsx";
import { emptyModel, modelDocumentOf, modelFieldOf } from "./values.ts";

/** Goes to the new model once it is there. */
export function NewModel({ catalog }: { readonly catalog: Answer<"get /operator/catalog"> }) {
  const t = useMessages(operatorModelsMessages);
  const tUi = useMessages(uiMessages);
  const go = useGo();
  const form = useAppForm({
    initial: emptyModel,
    fieldOf: modelFieldOf,
    route: "post /operator/models",
    sent: (values) => ({ body: modelDocumentOf(values) }),
    onDone: ({ id }) => {
      toast(t("created"));
      go(`/operator/models/${encodeURIComponent(id)}`);
    },
  });
  return (
    <>
      <PageHeader title={t("newTitle")} back={{ to: "/operator/models", label: t("back") }}>
        {t("newLead")}
      </PageHeader>
      <ModelForm
        form={form}
        isNew
        upstreamIds={catalog.upstreams.map(({ id }) => id)}
        modelIds={catalog.models.map(({ id }) => id)}
        act={t("create")}
        also={
          <Link to="/operator/models" variant="quiet">
            {tUi("cancel")}
          </Link>
        }
      />
    </>
  );
}
