/**
 * Deployments and credentials as every process sees them: state, why, until when, what they count for now.
 */
import { useMemo } from "react";
import { useApiPages } from "../../api/queries.ts";
import { formatCount } from "../../format/count.ts";
import { formatDuration } from "../../format/time.ts";
import { operatorHealthMessages } from "../../i18n/en/pages/operator-health.ts";
import { useLanguage } from "../../i18n/language.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Link } from "../../ui/button.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Duration, TokenCount } from "../../ui/figures.tsx";
import { useFilters } from "../../ui/filter-bar.tsx";
import { RadioGroup } from "../../ui/inputs/choices.tsx";
import { SearchBox } from "../../ui/inputs/search-box.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { Card } from "../../ui/surfaces.tsx";
import { FaultCell, StateCell } from "./fault-text.tsx";
import { type CredentialRow, type DeploymentRow, everyMs, type Health } from "./troubles.ts";

const pageRows = 25;
/** Fewer are looked through at a glance. */
const manyCredentials = 10;
const defaults = { deployments: "", deployment: "", credential: "" };

function WeightNow({ row }: { readonly row: DeploymentRow }) {
  const t = useMessages(operatorHealthMessages);
  const now = Math.round(row.weightNow * 100) / 100;
  return (
    <span className="figures whitespace-nowrap">
      {now === row.weight ? row.weight : t("weightOf", { now, weight: row.weight })}
    </span>
  );
}

function FirstToken({ row }: { readonly row: DeploymentRow }) {
  const t = useMessages(operatorHealthMessages);
  const language = useLanguage();
  const p95Ms = row.p95FirstTokenMs;
  const p95 = p95Ms === null ? undefined : t("p95", { duration: formatDuration(p95Ms, language) });
  return (
    <span title={p95}>
      <Duration ms={row.firstTokenMs} />
    </span>
  );
}

function useDeploymentColumns(isCluster: boolean): Column<DeploymentRow>[] {
  const t = useMessages(operatorHealthMessages);
  return useMemo(
    () => [
      { id: "model", header: t("model"), cell: (row) => row.model, sortBy: (row) => row.model },
      {
        id: "upstream",
        header: t("upstream"),
        cell: (row) => (
          <span>
            <Link to={`/operator/upstreams/${encodeURIComponent(row.upstream)}`}>{row.upstream}</Link>
            <span className="block text-small text-faint">{row.upstreamModel}</span>
          </span>
        ),
        sortBy: (row) => row.upstream,
      },
      {
        id: "state",
        header: t("state"),
        cell: (row) => <StateCell state={row.state} untilAt={row.untilAt} />,
        sortBy: (row) => row.state,
      },
      { id: "fault", header: t("lastFault"), cell: (row) => <FaultCell fault={row.lastFault} /> },
      {
        id: "priority",
        header: t("priority"),
        align: "end",
        cell: (row) => row.priority,
        sortBy: (row) => row.priority,
      },
      { id: "weight", header: t("weightNow"), align: "end", cell: (row) => <WeightNow row={row} /> },
      {
        id: "inFlight",
        header: t("inFlight"),
        align: "end",
        cell: (row) => <TokenCount value={row.inFlight} exact />,
      },
      {
        id: "firstToken",
        header: t("firstToken"),
        align: "end",
        cell: (row) => <FirstToken row={row} />,
        sortBy: (row) => row.firstTokenMs,
      },
      ...(isCluster
        ? [{ id: "process", header: t("process"), cell: (row: DeploymentRow) => row.process }]
        : []),
    ],
    [t, isCluster],
  );
}

interface TallyOf {
  /** How many there are in all; the rows are asked for by page. */
  readonly tally: Health["deployments"];
  /** More than one process serves: the table names them. */
  readonly isCluster: boolean;
  /** Only of this one; absent: of all. */
  readonly upstream?: string;
}

/** Shows those in trouble first; all on demand. */
export function DeploymentCard({ tally, isCluster, upstream }: TallyOf) {
  const t = useMessages(operatorHealthMessages);
  const language = useLanguage();
  const { values, set } = useFilters(defaults);
  const isAll = values.deployments === "all";
  const search = values.deployment.trim();
  const columns = useDeploymentColumns(isCluster);
  // Without issues there is nothing to load.
  const isEmpty = tally.all === 0 || (!isAll && tally.troubled === 0);
  const query = {
    limit: pageRows,
    ...(upstream === undefined ? {} : { upstream }),
    ...(isAll ? {} : { troubled: "true" }),
    ...(search === "" ? {} : { search }),
  };
  const pages = useApiPages("get /operator/health/deployments", { query }, (page) => page.deployments, {
    everyMs,
    keep: true,
    enabled: !isEmpty,
  });
  const noneYet = <EmptyState title={t("noDeployments")}>{t("noDeploymentsText")}</EmptyState>;
  return (
    <Card
      title={t("upstreams")}
      flush
      action={
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <SearchBox
            className="sm:w-60"
            label={t("searchDeployments")}
            value={values.deployment}
            onChange={(deployment) => set({ deployment })}
          />
          <RadioGroup
            inline
            label={t("showWhich")}
            value={values.deployments}
            choices={[
              { value: "", label: `${t("onlyTroubled")} (${formatCount(tally.troubled, language)})` },
              { value: "all", label: `${t("allDeployments")} (${formatCount(tally.all, language)})` },
            ]}
            onChange={(deployments) => set({ deployments })}
          />
        </div>
      }
    >
      <DataTable
        label={t("upstreams")}
        columns={columns}
        pages={isEmpty ? { ...pages, rows: [], hasMore: false } : pages}
        rowId={(row) =>
          `${row.process}\n${row.upstream}\n${row.upstreamModel}\n${row.model}\n${row.priority}`
        }
        empty={
          tally.all === 0 ? (
            noneYet
          ) : (
            <EmptyState title={t(isEmpty || search === "" ? "noneTroubled" : "noneFound")} />
          )
        }
      />
    </Card>
  );
}

function useCredentialColumns(isCluster: boolean): Column<CredentialRow>[] {
  const t = useMessages(operatorHealthMessages);
  return useMemo(
    () => [
      {
        id: "credential",
        header: t("credential"),
        cell: (row) => (
          <Link to={`/operator/upstreams/${encodeURIComponent(row.upstream)}`}>
            {row.upstream} · {t("credentialNumber", { number: row.number })}
          </Link>
        ),
      },
      {
        id: "state",
        header: t("state"),
        cell: (row) => <StateCell state={row.state} untilAt={row.untilAt} />,
        sortBy: (row) => row.state,
      },
      { id: "fault", header: t("lastFault"), cell: (row) => <FaultCell fault={row.lastFault} /> },
      ...(isCluster
        ? [{ id: "process", header: t("process"), cell: (row: CredentialRow) => row.process }]
        : []),
    ],
    [t, isCluster],
  );
}

/** Secrets by their number only. */
export function CredentialCard({ tally, isCluster, upstream }: TallyOf) {
  const t = useMessages(operatorHealthMessages);
  const { values, set } = useFilters(defaults);
  const search = values.credential.trim();
  const columns = useCredentialColumns(isCluster);
  const query = {
    limit: pageRows,
    ...(upstream === undefined ? {} : { upstream }),
    ...(search === "" ? {} : { search }),
  };
  const pages = useApiPages("get /operator/health/credentials", { query }, (page) => page.credentials, {
    everyMs,
    keep: true,
    enabled: tally.all > 0,
  });
  const none =
    tally.all === 0 ? (
      <EmptyState title={t("noCredentials")}>{t("noCredentialsText")}</EmptyState>
    ) : (
      <EmptyState title={t("noneFound")} />
    );
  return (
    <Card
      title={t("credentials")}
      flush
      action={
        tally.all > manyCredentials &&
        upstream === undefined && (
          <SearchBox
            className="sm:w-60"
            label={t("searchCredentials")}
            value={values.credential}
            onChange={(credential) => set({ credential })}
          />
        )
      }
    >
      <DataTable
        label={t("credentials")}
        columns={columns}
        pages={tally.all === 0 ? { ...pages, rows: [], hasMore: false } : pages}
        rowId={(row) => `${row.process}\n${row.upstream}\n${row.number}`}
        empty={none}
      />
    </Card>
  );
}
