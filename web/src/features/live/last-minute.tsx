/** What happened in the last minute, by name: errors of upstreams and of requests, models, processes. */
import type { LiveSnapshot } from "@plaza/contract/api/live.ts";
import { useMemo } from "react";
import { formatBytes } from "../../format/count.ts";
import { operatorLiveMessages } from "../../i18n/en/operator-live.ts";
import { operatorHealthMessages } from "../../i18n/en/pages/operator-health.ts";
import { useLanguage } from "../../i18n/language.ts";
import { useMessages } from "../../i18n/messages.ts";
import { BarList } from "../../ui/charts/bar-list.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Duration, TokenCount } from "../../ui/figures.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { Card } from "../../ui/surfaces.tsx";
import { wordOr } from "../health/fault-text.tsx";
import { useLive } from "./use-live.ts";
import { formatRate } from "./write.ts";

type UpstreamError = LiveSnapshot["upstreamErrors"][number];
type ProcessRow = LiveSnapshot["processes"][number];

const none: readonly never[] = [];

interface OfUpstream {
  readonly upstream: string;
  readonly count: number;
  readonly faults: readonly UpstreamError[];
}

/** The errors of each upstream together, most first. */
function byUpstream(errors: readonly UpstreamError[]): readonly OfUpstream[] {
  const groups = Map.groupBy(errors, ({ upstream }) => upstream);
  return [...groups]
    .map(([upstream, faults]) => ({
      upstream,
      faults,
      count: faults.reduce((sum, { count }) => sum + count, 0),
    }))
    .sort((one, other) => other.count - one.count);
}

/** Bars of failed upstream calls. */
export function UpstreamErrorsCard() {
  const t = useMessages(operatorLiveMessages);
  const health = useMessages(operatorHealthMessages);
  const errors = useLive(({ snapshot }) => snapshot?.upstreamErrors ?? none);
  return (
    <Card title={t("upstreamErrors")}>
      <BarList
        label={t("upstreamErrors")}
        nameHeader={t("name")}
        countHeader={t("perMinute")}
        colour={2}
        empty={t("noUpstreamErrors")}
        rows={byUpstream(errors).map(({ upstream, count, faults }) => ({
          key: upstream,
          name: upstream,
          note: faults
            .map(({ fault, count: of }) => `${wordOr(health, `fault.${fault}`, fault)} ${of}`)
            .join(", "),
          count,
        }))}
      />
    </Card>
  );
}

/** Bars of refused and failed requests. */
export function ErrorCodesCard() {
  const t = useMessages(operatorLiveMessages);
  const errors = useLive(({ snapshot }) => snapshot?.errors ?? none);
  return (
    <Card title={t("errorCodes")}>
      <BarList
        label={t("errorCodes")}
        nameHeader={t("name")}
        countHeader={t("perMinute")}
        colour={5}
        empty={t("noErrorCodes")}
        rows={errors.map(({ code, count }) => ({
          key: code,
          name: <span className="font-mono text-[0.9em]">{code}</span>,
          count,
        }))}
      />
    </Card>
  );
}

/** Bars of models. */
export function ModelsCard() {
  const t = useMessages(operatorLiveMessages);
  const models = useLive(({ snapshot }) => snapshot?.models ?? none);
  return (
    <Card title={t("models")}>
      <BarList
        label={t("models")}
        nameHeader={t("name")}
        countHeader={t("perMinute")}
        colour={1}
        empty={t("noModels")}
        rows={models.map(({ model, count }) => ({ key: model, name: model, count }))}
      />
    </Card>
  );
}

/** Who serves. */
export function ProcessesCard() {
  const t = useMessages(operatorLiveMessages);
  const language = useLanguage();
  const processes = useLive(({ snapshot }) => snapshot?.processes);
  const columns = useMemo(
    (): Column<ProcessRow>[] => [
      {
        id: "process",
        header: t("process"),
        phone: "head",
        cell: (row) => (
          <span className="font-mono text-[0.9em]" title={row.process}>
            {row.host} · {row.pid}
          </span>
        ),
      },
      {
        id: "rate",
        header: t("requestsPerSecond"),
        align: "end",
        cell: (row) => <span className="figures">{formatRate(row.requestsPerSecond, language)}</span>,
        sortBy: (row) => row.requestsPerSecond,
      },
      {
        id: "inFlight",
        header: t("inFlight"),
        align: "end",
        cell: (row) => <TokenCount value={row.inFlight} exact />,
        sortBy: (row) => row.inFlight,
      },
      {
        id: "streams",
        header: t("streams"),
        align: "end",
        cell: (row) => <TokenCount value={row.streams} exact />,
      },
      {
        id: "lag",
        header: t("loopLag"),
        align: "end",
        cell: (row) => <Duration ms={row.loopLagMs} />,
        sortBy: (row) => row.loopLagMs,
      },
      {
        id: "memory",
        header: t("memory"),
        align: "end",
        cell: (row) => <span className="figures">{formatBytes(row.rssBytes, language)}</span>,
        sortBy: (row) => row.rssBytes,
      },
    ],
    [t, language],
  );
  return (
    <Card title={t("processes")} flush>
      <DataTable
        label={t("processes")}
        columns={columns}
        rows={processes}
        rowId={(row) => row.process}
        skeletonRows={1}
        empty={<EmptyState title={t("noProcesses")} />}
      />
    </Card>
  );
}
