/** One model of the catalog: its form, its price history, and its end. */
import type { ShownModelDocument } from "@plaza/contract/api/catalog.ts";
import { useQueryClient } from "@tanstack/react-query";
import { Trash2 } from "lucide-react";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { useFreshStatus } from "../../api/fresh-status.ts";
import { refreshAfter, useApiQuery } from "../../api/queries.ts";
import type { Answer } from "../../api/routes.ts";
import { ModelStatusBadge } from "../../features/models/columns.tsx";
import { PriceHistory } from "../../features/models/price-history.tsx";
import { SourceBadge, SourceNotice } from "../../features/models/source.tsx";
import { operatorModelsMessages } from "../../i18n/en/pages/operator-models.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Button, Link } from "../../ui/button.tsx";
import { Copyable } from "../../ui/code.tsx";
import { useFilters } from "../../ui/filter-bar.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { useGo, useParam } from "../../ui/navigation.tsx";
import { ConfirmDialog } from "../../ui/overlays/dialog.tsx";
import { toast } from "../../ui/overlays/toast.tsx";
import { EmptyState, Loaded } from "../../ui/states.tsx";
import { PageHeader } from "../../ui/surfaces.tsx";
import { Tabs } from "../../ui/tabs.tsx";

// Forms load after the page.
const { Part: EditModel } = lazyPart(() =>
  import("../../features/models/edit-model.tsx").then((file) => file.EditModel),
);

type Catalog = Answer<"get /operator/catalog">;

// Seldom pressed: loads after the page.
const { Part: DisableModel } = lazyPart(() =>
  import("../../features/models/disable-model.tsx").then((file) => file.DisableModel),
);

const defaults = { view: "", stop: "" };

/** With `?stop=1` it asks whether to disable the model. See the file's comment. */
export function OperatorModelPage() {
  const t = useMessages(operatorModelsMessages);
  const id = useParam("id");
  const catalog = useApiQuery("get /operator/catalog", {});
  return (
    <Loaded query={catalog}>
      {(value) => {
        const model = value.models.find((one) => one.id === id);
        if (model !== undefined) return <ModelView key={id} model={model} catalog={value} />;
        return (
          <>
            <PageHeader title={id} back={{ to: "/operator/models", label: t("back") }} />
            <EmptyState
              title={t("gone")}
              action={
                <Link to="/operator/models" variant="plain">
                  {t("toList")}
                </Link>
              }
            />
          </>
        );
      }}
    </Loaded>
  );
}

interface ModelViewProps {
  readonly model: ShownModelDocument;
  readonly catalog: Catalog;
}

function ModelView({ model, catalog }: ModelViewProps) {
  const t = useMessages(operatorModelsMessages);
  const filters = useFilters(defaults);
  // Beside the form's model, which must not change because a deployment does.
  const { status } = useFreshStatus(model);
  return (
    <>
      <PageHeader
        title={model.name}
        shown={
          <span className="flex flex-wrap items-center gap-2">
            {model.name} <ModelStatusBadge status={status} /> <SourceBadge source={model.source} />
          </span>
        }
        back={{ to: "/operator/models", label: t("back") }}
        actions={
          <>
            {!model.disabled && (
              <Link to={`/models/${encodeURIComponent(model.id)}`} variant="plain">
                {t("asCallers")}
              </Link>
            )}
            {model.source !== "file" && (
              <DisableModel
                model={model}
                isAsked={filters.values.stop !== ""}
                onAsk={(isAsked) => filters.set({ stop: isAsked ? "1" : "" })}
              />
            )}
            {model.source !== "file" && <RemoveModel model={model} catalog={catalog} />}
          </>
        }
      >
        <Copyable text={model.id} />
      </PageHeader>
      <SourceNotice source={model.source} />
      <Tabs
        label={t("tabs")}
        value={filters.values.view}
        onChange={(view) => filters.set({ view })}
        tabs={[
          { value: "", label: t("tabEdit"), content: <EditModel model={model} catalog={catalog} /> },
          { value: "history", label: t("tabHistory"), content: <PriceHistory id={model.id} /> },
        ]}
      />
    </>
  );
}

function RemoveModel({ model, catalog }: ModelViewProps) {
  const t = useMessages(operatorModelsMessages);
  const [isOpen, setOpen] = useState(false);
  const go = useGo();
  const client = useQueryClient();
  const users = catalog.models.filter(({ fallbacks }) => fallbacks.includes(model.id)).map(({ id }) => id);
  const remove = async () => {
    await call("delete /operator/models/{id}", {
      params: { id: model.id },
      query: { revision: model.revision },
    });
    toast(t("removed"));
    go("/operator/models");
    await refreshAfter(client, "put /operator/models/{id}");
  };
  return (
    <>
      <Button icon={<Trash2 aria-hidden className="size-4" />} onClick={() => setOpen(true)}>
        {t("remove")}
      </Button>
      <ConfirmDialog
        open={isOpen}
        onClose={() => setOpen(false)}
        title={t("removeTitle")}
        act={t("remove")}
        danger
        onAct={remove}
      >
        <p>{t("removeText", { id: model.id })}</p>
        {users.length > 0 && (
          <p className="text-warn">{t("removeFallbacks", { models: users.join(", ") })}</p>
        )}
      </ConfirmDialog>
    </>
  );
}
