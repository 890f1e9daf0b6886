/** Serving processes: how late, how full, how busy. And the leases they hold. */
import { type ReactNode, useMemo } from "react";
import { formatBytes, formatCount } from "../../format/count.ts";
import { operatorHealthMessages } from "../../i18n/en/pages/operator-health.ts";
import { useLanguage } from "../../i18n/language.ts";
import { useMessages } from "../../i18n/messages.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Duration, Money, TokenCount, Unknown, When } from "../../ui/figures.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { Card, StatusBadge } from "../../ui/surfaces.tsx";
import { type Health, selfLimitText } from "./troubles.ts";

type ProcessRow = Health["processes"][number];
type HolderRow = Health["holders"][number];

function ProcessState({ row }: { readonly row: ProcessRow }) {
  const t = useMessages(operatorHealthMessages);
  const language = useLanguage();
  const why = selfLimitText(t, row.selfLimit, language);
  const refused = row.refused ?? 0;
  return (
    <span className="block">
      <ProcessBadge row={row} />
      {why !== "" && <Aside>{why}</Aside>}
      {refused > 0 && (
        <Aside>{t("process.refused", { count: refused, shown: formatCount(refused, language) })}</Aside>
      )}
    </span>
  );
}

function Aside({ children }: { readonly children: ReactNode }) {
  return <span className="block max-w-64 text-small text-muted">{children}</span>;
}

function ProcessBadge({ row }: { readonly row: ProcessRow }) {
  const t = useMessages(operatorHealthMessages);
  if (row.isLimiting === true) return <StatusBadge tone="bad">{t("process.overloaded")}</StatusBadge>;
  if (row.isBehind === null) return <Unknown />;
  return row.isBehind ? (
    <StatusBadge tone="bad">{t("process.behind")}</StatusBadge>
  ) : (
    <StatusBadge tone="good">{t("process.well")}</StatusBadge>
  );
}

function Bytes({ value }: { readonly value: number | null }) {
  const language = useLanguage();
  return value === null ? (
    <Unknown />
  ) : (
    <span className="figures whitespace-nowrap">{formatBytes(value, language)}</span>
  );
}

/** Who serves. */
export function ProcessCard({ rows }: { readonly rows: readonly ProcessRow[] }) {
  const t = useMessages(operatorHealthMessages);
  const columns = useMemo(
    (): Column<ProcessRow>[] => [
      {
        id: "process",
        header: t("process"),
        cell: (row) => (
          <span className="font-mono text-[0.9em]" title={row.pid === null ? undefined : `pid ${row.pid}`}>
            {row.process}
          </span>
        ),
        sortBy: (row) => row.process,
      },
      { id: "state", header: t("state"), cell: (row) => <ProcessState row={row} /> },
      {
        id: "lag",
        header: t("loopLag"),
        align: "end",
        cell: (row) => <Duration ms={row.loopLagMs} />,
        sortBy: (row) => row.loopLagMs,
      },
      { id: "heap", header: t("heap"), align: "end", cell: (row) => <Bytes value={row.heapBytes} /> },
      { id: "rss", header: t("memory"), align: "end", cell: (row) => <Bytes value={row.rssBytes} /> },
      {
        id: "inFlight",
        header: t("inFlight"),
        align: "end",
        cell: (row) => <TokenCount value={row.inFlight} exact />,
      },
      {
        id: "version",
        header: t("version"),
        cell: (row) => <span className="whitespace-nowrap">{row.version ?? <Unknown />}</span>,
      },
      {
        id: "started",
        header: t("started"),
        cell: (row) => (row.startedAt === null ? <Unknown /> : <When at={row.startedAt} />),
      },
      { id: "at", header: t("lastReport"), cell: (row) => <When at={row.at} /> },
    ],
    [t],
  );
  return (
    <Card title={t("processes")} flush>
      <DataTable
        label={t("processes")}
        columns={columns}
        rows={rows}
        rowId={(row) => row.process}
        empty={<EmptyState title={t("noProcessesYet")} />}
      />
    </Card>
  );
}

/** What is lent to whom. */
export function HolderCard({ rows }: { readonly rows: readonly HolderRow[] }) {
  const t = useMessages(operatorHealthMessages);
  const columns = useMemo(
    (): Column<HolderRow>[] => [
      {
        id: "process",
        header: t("process"),
        cell: (row) => <span className="font-mono text-[0.9em]">{row.process}</span>,
      },
      {
        id: "state",
        header: t("state"),
        cell: (row) => (
          <StatusBadge tone={row.isAlive ? "good" : "neutral"}>
            {t(row.isAlive ? "holderAlive" : "holderGone")}
          </StatusBadge>
        ),
      },
      {
        id: "leases",
        header: t("leases"),
        align: "end",
        cell: (row) => <TokenCount value={row.leases} exact />,
      },
      { id: "leased", header: t("leased"), align: "end", cell: (row) => <Money value={row.leased} /> },
      { id: "started", header: t("started"), cell: (row) => <When at={row.startedAt} /> },
      { id: "expires", header: t("expires"), cell: (row) => <When at={row.expiresAt} /> },
    ],
    [t],
  );
  return (
    <Card title={t("holders")} flush>
      <p className="px-5 pb-3 text-muted">{t("holdersText")}</p>
      <DataTable
        label={t("holders")}
        columns={columns}
        rows={rows}
        rowId={(row) => row.process}
        empty={<EmptyState title={t("noHolders")} />}
      />
    </Card>
  );
}
