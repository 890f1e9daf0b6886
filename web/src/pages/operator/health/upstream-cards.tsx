/** Deployments and credentials as every process sees them: state, why, until when, what they count for now. */
import { useMemo, useState } from "react";
import { formatCount } from "../../../format/count.ts";
import { Link } from "../../../ui/button.tsx";
import { RadioGroup } from "../../../ui/choices.tsx";
import { type Column, DataTable } from "../../../ui/data-table.tsx";
import { Duration, TokenCount } from "../../../ui/figures.tsx";
import { useFilters } from "../../../ui/filter-bar.tsx";
import { EmptyState } from "../../../ui/states.tsx";
import { Card } from "../../../ui/surfaces.tsx";
import { operatorHealthWords } from "../../../words/pages/operator-health.ts";
import { useLanguage, useWords } from "../../../words/words.ts";
import { FaultCell, StateCell } from "./fault-text.tsx";
import type { CredentialRow, DeploymentRow } from "./troubles.ts";

const pageRows = 100;
const defaults = { deployments: "" };

function WeightNow({ row }: { readonly row: DeploymentRow }) {
  const say = useWords(operatorHealthWords);
  const now = Math.round(row.weightNow * 100) / 100;
  return (
    <span className="figures whitespace-nowrap">
      {now === row.weight ? row.weight : say("weightOf", { now, weight: row.weight })}
    </span>
  );
}

function FirstToken({ row }: { readonly row: DeploymentRow }) {
  const say = useWords(operatorHealthWords);
  const language = useLanguage();
  const p95 =
    row.p95FirstTokenMs === null ? undefined : say("p95", { ms: formatCount(row.p95FirstTokenMs, language) });
  return (
    <span title={p95}>
      <Duration ms={row.firstTokenMs} />
    </span>
  );
}

function useDeploymentColumns(isCluster: boolean): Column<DeploymentRow>[] {
  const say = useWords(operatorHealthWords);
  return useMemo(
    () => [
      { id: "model", header: say("model"), cell: (row) => row.model, sortBy: (row) => row.model },
      {
        id: "upstream",
        header: say("upstream"),
        cell: (row) => (
          <span>
            <Link to={`/operator/upstreams/${encodeURIComponent(row.upstream)}`}>{row.upstream}</Link>
            <span className="block text-[0.87rem] text-faint">{row.upstreamModel}</span>
          </span>
        ),
        sortBy: (row) => row.upstream,
      },
      {
        id: "state",
        header: say("state"),
        cell: (row) => <StateCell state={row.state} untilAt={row.untilAt} />,
        sortBy: (row) => row.state,
      },
      { id: "fault", header: say("lastFault"), cell: (row) => <FaultCell fault={row.lastFault} /> },
      {
        id: "priority",
        header: say("priority"),
        align: "end",
        cell: (row) => row.priority,
        sortBy: (row) => row.priority,
      },
      { id: "weight", header: say("weightNow"), align: "end", cell: (row) => <WeightNow row={row} /> },
      {
        id: "inFlight",
        header: say("inFlight"),
        align: "end",
        cell: (row) => <TokenCount value={row.inFlight} exact />,
      },
      {
        id: "firstToken",
        header: say("firstToken"),
        align: "end",
        cell: (row) => <FirstToken row={row} />,
        sortBy: (row) => row.firstTokenMs,
      },
      ...(isCluster
        ? [{ id: "process", header: say("process"), cell: (row: DeploymentRow) => row.process }]
        : []),
    ],
    [say, isCluster],
  );
}

interface RowsOf<Row> {
  readonly rows: readonly Row[];
  /** More than one process serves: the table names them. */
  readonly isCluster: boolean;
}

/** Shows those in trouble first; all on demand. */
export function DeploymentCard({ rows, isCluster }: RowsOf<DeploymentRow>) {
  const say = useWords(operatorHealthWords);
  const filters = useFilters(defaults);
  const [shown, setShown] = useState(pageRows);
  const columns = useDeploymentColumns(isCluster);
  const troubled = useMemo(() => rows.filter(({ state }) => state !== "healthy"), [rows]);
  const which = filters.values.deployments === "all" ? rows : troubled;
  const noneYet = <EmptyState title={say("noDeployments")}>{say("noDeploymentsText")}</EmptyState>;
  return (
    <Card
      title={say("upstreams")}
      flush
      action={
        <RadioGroup
          inline
          label={say("showWhich")}
          value={filters.values.deployments}
          choices={[
            { value: "", label: `${say("onlyTroubled")} (${troubled.length})` },
            { value: "all", label: `${say("allDeployments")} (${rows.length})` },
          ]}
          onChange={(deployments) => filters.set({ deployments })}
        />
      }
    >
      <DataTable
        label={say("upstreams")}
        columns={columns}
        rows={which.slice(0, shown)}
        rowId={(row) =>
          `${row.process}\n${row.upstream}\n${row.upstreamModel}\n${row.model}\n${row.priority}`
        }
        empty={rows.length === 0 ? noneYet : <EmptyState title={say("noneTroubled")} />}
        hasMore={which.length > shown}
        onMore={() => setShown(shown + pageRows)}
      />
    </Card>
  );
}

/** Secrets by their number only. */
export function CredentialCard({ rows, isCluster }: RowsOf<CredentialRow>) {
  const say = useWords(operatorHealthWords);
  const columns = useMemo(
    (): Column<CredentialRow>[] => [
      {
        id: "credential",
        header: say("credential"),
        cell: (row) => (
          <Link to={`/operator/upstreams/${encodeURIComponent(row.upstream)}`}>
            {row.upstream} · {say("credentialNumber", { number: row.number })}
          </Link>
        ),
      },
      {
        id: "state",
        header: say("state"),
        cell: (row) => <StateCell state={row.state} untilAt={row.untilAt} />,
        sortBy: (row) => row.state,
      },
      { id: "fault", header: say("lastFault"), cell: (row) => <FaultCell fault={row.lastFault} /> },
      ...(isCluster
        ? [{ id: "process", header: say("process"), cell: (row: CredentialRow) => row.process }]
        : []),
    ],
    [say, isCluster],
  );
  const [shown, setShown] = useState(pageRows);
  return (
    <Card title={say("credentials")} flush>
      <DataTable
        label={say("credentials")}
        columns={columns}
        rows={rows.slice(0, shown)}
        rowId={(row) => `${row.process}\n${row.upstream}\n${row.number}`}
        empty={<EmptyState title={say("noCredentials")}>{say("noCredentialsText")}</EmptyState>}
        hasMore={rows.length > shown}
        onMore={() => setShown(shown + pageRows)}
      />
    </Card>
  );
}
