/** How one upstream is doing: its deployments and credentials as the processes see them, and the models on it. */
import type { ShownUpstreamDocument } from "@plaza/contract/api/catalog.ts";
import { useMemo } from "react";
import { useAnswer } from "../../../api/queries.ts";
import { Link } from "../../../ui/button.tsx";
import { EmptyState, Loaded } from "../../../ui/states.tsx";
import { Card } from "../../../ui/surfaces.tsx";
import { operatorUpstreamsWords } from "../../../words/pages/operator-upstreams.ts";
import { useWords } from "../../../words/words.ts";
import type { CredentialRow, DeploymentRow } from "../health/troubles.ts";
import { CredentialCard, DeploymentCard } from "../health/upstream-cards.tsx";
import type { States } from "./upstream-standing.ts";

const everyMs = 5_000;
/** Models named here; the list of models has them all. */
const namedMax = 60;

function rowsOf(states: States, id: string): { deployments: DeploymentRow[]; credentials: CredentialRow[] } {
  const deployments: DeploymentRow[] = [];
  const credentials: CredentialRow[] = [];
  for (const { process, upstreams } of states.processes) {
    for (const upstream of upstreams.filter((one) => one.id === id)) {
      const where = { process, upstream: id, provider: upstream.provider };
      deployments.push(...upstream.deployments.map((one) => ({ ...where, ...one })));
      credentials.push(...upstream.credentials.map((one) => ({ ...where, ...one })));
    }
  }
  return { deployments, credentials };
}

/** See the file's comment. */
export function UpstreamStateView({ upstream }: { readonly upstream: ShownUpstreamDocument }) {
  const say = useWords(operatorUpstreamsWords);
  const states = useAnswer("get /operator/upstream-states", {}, { everyMs });
  return (
    <div className="flex flex-col gap-5">
      <p className="text-muted">{say("stateText")}</p>
      <Loaded query={states}>{(value) => <StateCards states={value} id={upstream.id} />}</Loaded>
      <Card
        title={say("usedBy")}
        action={
          upstream.models.length === 0 ? undefined : (
            <Link to={`/operator/models?upstream=${encodeURIComponent(upstream.id)}`}>
              {say("modelCount", { count: upstream.models.length })}
            </Link>
          )
        }
      >
        {upstream.models.length === 0 ? (
          <p className="text-muted">{say("usedByNone")}</p>
        ) : (
          <ul className="flex flex-wrap gap-x-4 gap-y-1">
            {upstream.models.slice(0, namedMax).map((id) => (
              <li key={id}>
                <Link to={`/operator/models/${encodeURIComponent(id)}`}>{id}</Link>
              </li>
            ))}
          </ul>
        )}
      </Card>
    </div>
  );
}

function StateCards({ states, id }: { readonly states: States; readonly id: string }) {
  const say = useWords(operatorUpstreamsWords);
  const { deployments, credentials } = useMemo(() => rowsOf(states, id), [states, id]);
  if (deployments.length === 0 && credentials.length === 0) {
    return (
      <Card>
        <EmptyState title={say("noStates")} />
      </Card>
    );
  }
  const isCluster = states.processes.length > 1;
  return (
    <>
      <DeploymentCard rows={deployments} isCluster={isCluster} />
      <CredentialCard rows={credentials} isCluster={isCluster} />
    </>
  );
}
