/**
 * How one upstream is doing: its deployments and credentials as the processes see them, and the models on it.
 */

import type { ShownUpstreamDocument } from "@plaza/contract/api/catalog.ts";
import { useApiQuery } from "../../api/queries.ts";
import { operatorUpstreamsMessages } from "../../i18n/en/pages/operator-upstreams.ts";
import { useMessages } from "../../i18n/messages.ts";
import { pageTo } from "../../shell/page-search.ts";
import { Link } from "../../ui/button.tsx";
import { EmptyState, Loaded } from "../../ui/states.tsx";
import { Card } from "../../ui/surfaces.tsx";
import { everyMs } from "../health/troubles.ts";
import { CredentialCard, DeploymentCard } from "../health/upstream-cards.tsx";

/** Models named here; the list of models has them all. */
const namedMax = 60;

/** See the file's comment. */
export function UpstreamStateView({ upstream }: { readonly upstream: ShownUpstreamDocument }) {
  const t = useMessages(operatorUpstreamsMessages);
  return (
    <div className="flex flex-col gap-5">
      <p className="text-muted">{t("stateText")}</p>
      <StateCards id={upstream.id} />
      <Card
        title={t("usedBy")}
        action={
          upstream.models.length === 0 ? undefined : (
            <Link to={pageTo("/operator/models", { upstream: [upstream.id] })}>
              {t("modelCount", { count: upstream.models.length })}
            </Link>
          )
        }
      >
        {upstream.models.length === 0 ? (
          <p className="text-muted">{t("usedByNone")}</p>
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

function StateCards({ id }: { readonly id: string }) {
  const t = useMessages(operatorUpstreamsMessages);
  const options = { everyMs, keep: true };
  const query = { upstream: id, limit: 1 };
  const health = useApiQuery("get /operator/health", {}, options);
  const deployments = useApiQuery("get /operator/health/deployments", { query }, options);
  const credentials = useApiQuery("get /operator/health/credentials", { query }, options);
  const ofCredentials = credentials.data?.tally;
  const place = { upstream: id, isCluster: (health.data?.processes.length ?? 1) > 1 };
  return (
    <Loaded query={deployments}>
      {({ tally }) =>
        tally.all === 0 && ofCredentials?.all === 0 ? (
          <Card>
            <EmptyState title={t("noStates")} />
          </Card>
        ) : (
          <>
            <DeploymentCard tally={tally} {...place} />
            {ofCredentials !== undefined && <CredentialCard tally={ofCredentials} {...place} />}
          </>
        )
      }
    </Loaded>
  );
}
