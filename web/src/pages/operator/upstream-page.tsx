/** One upstream: how it is doing, its settings, more of its models, and its end. */
import type { ShownUpstreamDocument } from "@plaza/contract/api/catalog.ts";
import { useQueryClient } from "@tanstack/react-query";
import { Trash2 } from "lucide-react";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { refreshAfter, useApiQuery } from "../../api/queries.ts";
import { ConnectPanel } from "../../features/connect/panel.tsx";
import { SourceBadge, SourceNotice } from "../../features/models/source.tsx";
import { UpstreamStateView } from "../../features/upstreams/state-view.tsx";
import { operatorUpstreamsMessages } from "../../i18n/en/pages/operator-upstreams.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Button, Link } from "../../ui/button.tsx";
import { useFilters } from "../../ui/filter-bar.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { useGo, useParam } from "../../ui/navigation.tsx";
import { ConfirmDialog } from "../../ui/overlays/dialog.tsx";
import { toast } from "../../ui/overlays/toast.tsx";
import { EmptyState, Loaded } from "../../ui/states.tsx";
import { PageHeader } from "../../ui/surfaces.tsx";
import { Tabs } from "../../ui/tabs.tsx";

// Forms load after the page.
const { Part: EditUpstream } = lazyPart(() =>
  import("../../features/upstreams/edit-upstream.tsx").then((file) => file.EditUpstream),
);

const defaults = { view: "" };
/** See the file's comment. */
export function UpstreamPage() {
  const t = useMessages(operatorUpstreamsMessages);
  const id = useParam("id");
  const catalog = useApiQuery("get /operator/catalog", {});
  return (
    <Loaded query={catalog}>
      {({ upstreams }) => {
        const upstream = upstreams.find((one) => one.id === id);
        if (upstream !== undefined) return <UpstreamView key={id} upstream={upstream} />;
        return (
          <>
            <PageHeader title={id} back={{ to: "/operator/upstreams", label: t("back") }} />
            <EmptyState
              title={t("gone")}
              action={
                <Link to="/operator/upstreams" variant="plain">
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

interface OfUpstream {
  readonly upstream: ShownUpstreamDocument;
}

function UpstreamView({ upstream }: OfUpstream) {
  const t = useMessages(operatorUpstreamsMessages);
  const filters = useFilters(defaults);
  const isFile = upstream.source === "file";
  const tabs = [
    { value: "", label: t("tabState"), content: <UpstreamStateView upstream={upstream} /> },
    { value: "settings", label: t("tabEdit"), content: <EditUpstream upstream={upstream} /> },
    ...(isFile
      ? []
      : [
          {
            value: "more",
            label: t("tabMore"),
            content: <FindMore upstream={upstream} onDone={() => filters.set({ view: "" })} />,
          },
        ]),
  ];
  return (
    <>
      <PageHeader
        title={upstream.id}
        shown={
          <span className="flex flex-wrap items-center gap-2">
            {upstream.id} <SourceBadge source={upstream.source} />
          </span>
        }
        back={{ to: "/operator/upstreams", label: t("back") }}
        actions={isFile ? undefined : <RemoveUpstream upstream={upstream} />}
      >
        {upstream.preset ?? upstream.provider}
        {upstream.baseUrl !== "" && <span className="font-mono text-[0.9em]"> · {upstream.baseUrl}</span>}
      </PageHeader>
      <SourceNotice source={upstream.source} />
      <Tabs
        label={t("tabs")}
        value={filters.values.view}
        onChange={(view) => filters.set({ view })}
        tabs={tabs}
      />
    </>
  );
}

function FindMore({ upstream, onDone }: OfUpstream & { readonly onDone: () => void }) {
  const t = useMessages(operatorUpstreamsMessages);
  const client = useQueryClient();
  return (
    <ConnectPanel
      upstreamId={upstream.id}
      onConnected={({ added, joined }) => {
        toast(
          t("connected", { upstream: upstream.id }),
          t("connectedText", { added: added.length, joined: joined.length }),
        );
        void refreshAfter(client, "put /operator/upstreams/{id}");
        onDone();
      }}
    />
  );
}

function RemoveUpstream({ upstream }: OfUpstream) {
  const t = useMessages(operatorUpstreamsMessages);
  const [isOpen, setOpen] = useState(false);
  const go = useGo();
  const client = useQueryClient();
  const remove = async () => {
    await call("delete /operator/upstreams/{id}", {
      params: { id: upstream.id },
      query: { revision: upstream.revision },
    });
    toast(t("removed"));
    go("/operator/upstreams");
    await refreshAfter(client, "put /operator/upstreams/{id}");
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
        <p>{t("removeText")}</p>
        {upstream.models.length > 0 && (
          <div>
            <p className="text-warn">{t("removeUsed")}</p>
            <ul className="mt-1 max-h-40 list-disc overflow-y-auto pl-5">
              {upstream.models.map((id) => (
                <li key={id}>
                  <Link to={`/operator/models/${encodeURIComponent(id)}`}>{id}</Link>
                </li>
              ))}
            </ul>
          </div>
        )}
      </ConfirmDialog>
    </>
  );
}
