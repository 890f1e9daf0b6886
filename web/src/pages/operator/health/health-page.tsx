/** Health of the installation: one glance first, then processes, upstreams, the ledger and leases. Refreshes itself while it is seen. */
import { useMemo } from "react";
import { useAnswer } from "../../../api/queries.ts";
import { useSession } from "../../../shell/session.ts";
import { When } from "../../../ui/figures.tsx";
import { ErrorNote, Loaded } from "../../../ui/states.tsx";
import { PageHeader } from "../../../ui/surfaces.tsx";
import { operatorHealthWords } from "../../../words/pages/operator-health.ts";
import { useWords } from "../../../words/words.ts";
import { LedgerCard } from "./ledger-card.tsx";
import { HolderCard, ProcessCard } from "./process-card.tsx";
import { TroubleList } from "./trouble-list.tsx";
import { type Health, troublesOf } from "./troubles.ts";
import { CredentialCard, DeploymentCard } from "./upstream-cards.tsx";

/** Calm enough to read, soon enough to see an act take effect; a page in the background asks nothing. */
const everyMs = 5_000;

/** See above. */
export function HealthPage() {
  const say = useWords(operatorHealthWords);
  const health = useAnswer("get /operator/health", {}, { everyMs });
  return (
    <>
      <PageHeader title={say("title")}>
        {health.data !== undefined && (
          <span>
            {say("lead", {
              version: health.data.version,
              database: health.data.database === "sqlite" ? "SQLite" : "PostgreSQL",
            })}{" "}
            {say("asOf")} <When at={health.data.at} as="exact" />, {say("since")}{" "}
            <When at={health.data.startedAt} as="exact" />
          </span>
        )}
      </PageHeader>
      {health.data !== undefined && health.error !== null && (
        <div className="mb-4 flex flex-col gap-1">
          <p className="text-warn">{say("old")}</p>
          <ErrorNote error={health.error} />
        </div>
      )}
      <Loaded query={health}>{(value) => <HealthView health={value} />}</Loaded>
    </>
  );
}

function HealthView({ health }: { readonly health: Health }) {
  const { installation } = useSession();
  const catalog = useAnswer("get /operator/catalog", {});
  const troubles = useMemo(() => {
    const unreadable = (catalog.data?.upstreams ?? []).flatMap(({ id, credentialsFault }) =>
      credentialsFault === null ? [] : [{ upstream: id, text: credentialsFault }],
    );
    return troublesOf(health, { unreadable, demoOnly: installation.demoOnly });
  }, [health, catalog.data, installation.demoOnly]);
  const isCluster = health.processes.length > 1;
  return (
    <div className="flex flex-col gap-5">
      <TroubleList troubles={troubles} />
      <ProcessCard rows={health.processes} />
      <DeploymentCard rows={health.deployments} isCluster={isCluster} />
      <CredentialCard rows={health.credentials} isCluster={isCluster} />
      <LedgerCard check={health.ledgerCheck} />
      <HolderCard rows={health.holders} />
    </div>
  );
}
