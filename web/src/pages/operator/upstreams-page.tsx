/** Upstreams with how they are doing; with `?view=connect` the way to a new one. */
import type { ShownUpstreamDocument } from "@plaza/contract/api/catalog.ts";
import { useQueryClient } from "@tanstack/react-query";
import { Network } from "lucide-react";
import { useMemo } from "react";
import { refreshAfter, useApiQuery } from "../../api/queries.ts";
import type { Connected } from "../../features/connect/choosing.ts";
import { ConnectPanel } from "../../features/connect/panel.tsx";
import { SourceBadge } from "../../features/models/source.tsx";
import { type Standing, standingOf } from "../../features/upstreams/standing.ts";
import { StandingBadge } from "../../features/upstreams/standing-badge.tsx";
import { operatorUpstreamsMessages } from "../../i18n/en/pages/operator-upstreams.ts";
import { useMessages } from "../../i18n/messages.ts";
import { reloadSession } from "../../shell/session.ts";
import type { Column } from "../../ui/data-table.tsx";
import { TokenCount } from "../../ui/figures.tsx";
import { useFilters } from "../../ui/filter-bar.tsx";
import { useGo } from "../../ui/navigation.tsx";
import { toast } from "../../ui/overlays/toast.tsx";
import { ResourceList } from "../../ui/resource-list.tsx";
import { PageHeader } from "../../ui/surfaces.tsx";

const viewDefaults = { view: "" };
const statesEveryMs = 5_000;

/** See the file's comment. */
export function UpstreamsPage() {
  const { values } = useFilters(viewDefaults);
  return values.view === "connect" ? <ConnectView /> : <UpstreamList />;
}

function ConnectView() {
  const t = useMessages(operatorUpstreamsMessages);
  const go = useGo();
  const client = useQueryClient();
  const done = ({ upstream, added, joined }: Connected) => {
    toast(t("connected", { upstream }), t("connectedText", { added: added.length, joined: joined.length }));
    void refreshAfter(client, "post /operator/connect");
    // The note that only the demo answers goes with the first upstream.
    void reloadSession();
    go(`/operator/upstreams/${encodeURIComponent(upstream)}`);
  };
  return (
    <>
      <PageHeader title={t("connectTitle")} back={{ to: "/operator/upstreams", label: t("back") }}>
        {t("connectLead")}
      </PageHeader>
      <ConnectPanel onConnected={done} />
    </>
  );
}

interface Row {
  readonly upstream: ShownUpstreamDocument;
  readonly standing: Standing;
}

function useUpstreamColumns(): Column<Row>[] {
  const t = useMessages(operatorUpstreamsMessages);
  return useMemo(
    () => [
      {
        id: "upstream",
        header: t("upstream"),
        cell: ({ upstream }) => (
          <span className="flex flex-wrap items-center gap-x-2">
            {upstream.id} <SourceBadge source={upstream.source} />
          </span>
        ),
        sortBy: ({ upstream }) => upstream.id,
      },
      {
        id: "protocol",
        header: t("protocol"),
        cell: ({ upstream }) => (
          <span className="block">
            {upstream.preset ?? upstream.provider}
            <span className="block font-mono text-[0.87em] break-all text-muted">{upstream.baseUrl}</span>
          </span>
        ),
        sortBy: ({ upstream }) => upstream.preset ?? upstream.provider,
      },
      {
        id: "state",
        header: t("state"),
        cell: ({ upstream, standing }) => <StandingBadge upstream={upstream} standing={standing} />,
        sortBy: ({ standing }) => standing.kind,
      },
      {
        id: "inFlight",
        header: t("inFlight"),
        align: "end",
        cell: ({ standing }) => <TokenCount value={standing.inFlight} exact />,
        sortBy: ({ standing }) => standing.inFlight,
      },
      {
        id: "models",
        header: t("models"),
        align: "end",
        cell: ({ upstream }) =>
          upstream.models.length === 0 ? (
            <span className="text-faint">{t("noModels")}</span>
          ) : (
            t("modelCount", { count: upstream.models.length })
          ),
        sortBy: ({ upstream }) => upstream.models.length,
      },
    ],
    [t],
  );
}

function UpstreamList() {
  const t = useMessages(operatorUpstreamsMessages);
  const catalog = useApiQuery("get /operator/catalog", {});
  const states = useApiQuery("get /operator/upstream-states", {}, { everyMs: statesEveryMs });
  const columns = useUpstreamColumns();
  const rows = useMemo(
    () =>
      catalog.data?.upstreams.map(
        (upstream): Row => ({
          upstream,
          standing: standingOf(states.data?.upstreams, upstream.id),
        }),
      ),
    [catalog.data, states.data],
  );
  return (
    <ResourceList
      title={t("title")}
      lead={t("lead")}
      create={{ label: t("connect"), to: "/operator/upstreams?view=connect" }}
      columns={columns}
      rows={rows}
      error={catalog.error}
      onRetry={() => void catalog.refetch()}
      rowId={({ upstream }) => upstream.id}
      rowTo={({ upstream }) => `/operator/upstreams/${encodeURIComponent(upstream.id)}`}
      none={{ title: t("emptyTitle"), text: t("emptyText"), icon: <Network /> }}
    />
  );
}
