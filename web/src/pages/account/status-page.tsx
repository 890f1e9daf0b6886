/**
 * The status of all models at a glance, with the last day and its incidents; for visitors, too, where the
 * operator opened the plaza.
 */

import { CircleAlert, CircleCheck, TriangleAlert } from "lucide-react";
import { useApiQuery } from "../../api/queries.ts";
import type { Answer } from "../../api/routes.ts";
import { StatusModels } from "../../features/status/model-list.tsx";
import { PublicIncidents } from "../../features/status/public-incidents.tsx";
import { statusMessages } from "../../i18n/en/status.ts";
import { useMessages } from "../../i18n/messages.ts";
import { pageTo } from "../../shell/page-search.ts";
import { useSession } from "../../shell/session.ts";
import { Link } from "../../ui/button.tsx";
import { When } from "../../ui/figures.tsx";
import { Later } from "../../ui/later.tsx";
import { Loaded, Skeleton } from "../../ui/states.tsx";
import { Notice, PageHeader } from "../../ui/surfaces.tsx";

type Status = Answer<"get /status">;

const everyMs = 5_000;

const tones = { operational: "good", degraded: "warn", partial: "bad", outage: "bad" } as const;
const icons = {
  operational: CircleCheck,
  degraded: TriangleAlert,
  partial: CircleAlert,
  outage: CircleAlert,
} as const;

export function StatusPage() {
  const t = useMessages(statusMessages);
  const { user } = useSession();
  const status = useApiQuery("get /status", {}, { everyMs });
  return (
    <>
      <PageHeader
        title={t("title")}
        actions={
          user === null && (
            <Link to={pageTo("/sign-in", { back: "/keys" })} variant="primary">
              {t("getKey")}
            </Link>
          )
        }
      >
        {status.data !== undefined && (
          <span>
            {t("lead")} <When at={status.data.asOf} as="exact" />
          </span>
        )}
      </PageHeader>
      <Loaded query={status} skeleton={<Placeholder />}>
        {(value) => (
          <Later placeholder={<Placeholder />}>
            <StatusView status={value} />
          </Later>
        )}
      </Loaded>
    </>
  );
}

/** A notice, a line on incidents, and the list. */
function Placeholder() {
  return (
    <div className="flex flex-col gap-5">
      <Skeleton className="h-[4.3rem] w-full rounded-xl" />
      <Skeleton className="h-6 w-1/3" />
      <Skeleton className="h-[100dvh] w-full rounded-xl" />
    </div>
  );
}

function StatusView({ status }: { readonly status: Status }) {
  const t = useMessages(statusMessages);
  const Icon = icons[status.state];
  return (
    <div className="flex flex-col gap-5">
      {status.models.length > 0 && (
        <div role="status">
          <Notice tone={tones[status.state]} icon={<Icon />} title={t(`state.${status.state}`)}>
            {t(`stateText.${status.state}`)}
          </Notice>
        </div>
      )}
      <PublicIncidents status={status} />
      <StatusModels models={status.models} />
      <details className="text-muted">
        <summary className="cursor-pointer">{t("howTitle")}</summary>
        <p className="mt-2 max-w-3xl">{t("howText")}</p>
      </details>
    </div>
  );
}
