/**
 * Health of the installation: one glance first, then processes, upstreams, the ledger and
 * leases. Refreshes itself while it is seen.
 */
import { useMemo } from "react";
import { isApiError } from "../../api/error.ts";
import { useApiQuery } from "../../api/queries.ts";
import { OpenIncidents, PastIncidents } from "../../features/health/incident-list.tsx";
import { LedgerCard } from "../../features/health/ledger-card.tsx";
import { HolderCard, ProcessCard } from "../../features/health/process-card.tsx";
import { TroubleList } from "../../features/health/trouble-list.tsx";
import { besideIncidents, everyMs, type Health, troublesOf } from "../../features/health/troubles.ts";
import { CredentialCard, DeploymentCard } from "../../features/health/upstream-cards.tsx";
import { operatorHealthMessages } from "../../i18n/en/pages/operator-health.ts";
import { useMessages } from "../../i18n/messages.ts";
import { useSession } from "../../shell/session.ts";
import { When } from "../../ui/figures.tsx";
import { ErrorNote, Loaded } from "../../ui/states.tsx";
import { Notice, PageHeader } from "../../ui/surfaces.tsx";

/** See above. */
export function HealthPage() {
  const t = useMessages(operatorHealthMessages);
  const health = useApiQuery("get /operator/health", {}, { everyMs });
  return (
    <>
      <PageHeader title={t("title")}>
        {health.data !== undefined && (
          <span>
            {t("lead", {
              version: health.data.version,
              database: health.data.database === "sqlite" ? "SQLite" : "PostgreSQL",
            })}{" "}
            {t("asOf")} <When at={health.data.at} as="exact" />, {t("since")}{" "}
            <When at={health.data.startedAt} as="exact" />
          </span>
        )}
      </PageHeader>
      {health.data !== undefined && health.error !== null && (
        <div className="mb-4">
          <Notice tone="warn" title={t("old")}>
            {isApiError(health.error, "network_lost") ? undefined : <ErrorNote error={health.error} />}
          </Notice>
        </div>
      )}
      <Loaded query={health}>{(value) => <HealthView health={value} isOld={health.error !== null} />}</Loaded>
    </>
  );
}

interface HealthViewProps {
  readonly health: Health;
  /** The last reading failed: that all is well is then not said. */
  readonly isOld: boolean;
}

function HealthView({ health, isOld }: HealthViewProps) {
  const { installation } = useSession();
  const catalog = useApiQuery("get /operator/catalog", {});
  const incidents = useApiQuery("get /operator/incidents", {}, { everyMs });
  const troubles = useMemo(() => {
    const unreadable = (catalog.data?.upstreams ?? []).flatMap(({ id, credentialsFault }) =>
      credentialsFault === null ? [] : [{ upstream: id, text: credentialsFault }],
    );
    return troublesOf(health, { unreadable, demoOnly: installation.demoOnly });
  }, [health, catalog.data, installation.demoOnly]);
  const all = incidents.data?.incidents ?? [];
  const now = all.filter(({ endedAt }) => endedAt === null);
  const past = all.filter(({ endedAt }) => endedAt !== null);
  const shown = besideIncidents(troubles, now);
  const isCluster = health.processes.length > 1;
  return (
    <div className="flex flex-col gap-5">
      <OpenIncidents incidents={now} />
      {(shown.length > 0 || (!isOld && now.length === 0 && incidents.data !== undefined)) && (
        <TroubleList troubles={shown} more={health.moreTroubles} />
      )}
      <ProcessCard rows={health.processes} />
      <DeploymentCard tally={health.deployments} isCluster={isCluster} />
      <CredentialCard tally={health.credentials} isCluster={isCluster} />
      <LedgerCard check={health.ledgerCheck} />
      <HolderCard rows={health.holders} />
      {incidents.data !== undefined && <PastIncidents incidents={past} />}
    </div>
  );
}
