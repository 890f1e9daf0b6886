/**
 * Incidents by cause: what is wrong now, when it is tried next, a test at once; and what was wrong, for how
 * long and what was done.
 */
import { CircleAlert, TriangleAlert } from "lucide-react";
import { useApiMutation } from "../../api/queries.ts";
import type { Answer } from "../../api/routes.ts";
import { formatDuration, formatRelative } from "../../format/time.ts";
import { operatorHealthMessages } from "../../i18n/en/pages/operator-health.ts";
import { statusMessages } from "../../i18n/en/status.ts";
import { useLanguage } from "../../i18n/language.ts";
import { useMessages } from "../../i18n/messages.ts";
import { serverText } from "../../i18n/server-text.ts";
import { Button, Link } from "../../ui/button.tsx";
import { Duration, When } from "../../ui/figures.tsx";
import { ErrorNote } from "../../ui/states.tsx";
import { Card } from "../../ui/surfaces.tsx";
import { faultText } from "./fault-text.tsx";

export type Incident = Answer<"get /operator/incidents">["incidents"][number];

/** Of a cause at an upstream one incident is open; until the server has kept it, its start moves. */
const openKeyOf = ({ upstream, cause }: Incident) => `${cause} ${upstream}`;
const pastKeyOf = (incident: Incident) => `${incident.startedAt} ${openKeyOf(incident)}`;

/** The models it affects, as far as they are named. */
function Models({ incident: { models, modelsCount } }: { readonly incident: Incident }) {
  const t = useMessages(statusMessages);
  const more = modelsCount - models.length;
  const named = models.join(", ");
  return <>{more > 0 ? t("more", { models: named, count: more }) : named}</>;
}

/** What the last test found. */
function TestResult({ upstream }: { readonly upstream: string }) {
  const t = useMessages(statusMessages);
  const language = useLanguage();
  const test = useApiMutation("post /operator/upstreams/{id}/test");
  const found = test.data;
  const took = found === undefined ? "" : formatDuration(found.tookMs, language);
  const reason = found === undefined ? "" : serverText(found.reason ?? "", language, found.reasonMessage);
  return (
    <div className="flex max-w-sm flex-col items-end gap-1">
      <Button
        size="small"
        busy={test.isPending}
        aria-label={`${t("testNow")}: ${upstream}`}
        onClick={() => test.mutate({ params: { id: upstream } })}
      >
        {t("testNow")}
      </Button>
      <div role="status" className="text-right text-small text-muted">
        {found !== undefined &&
          (found.isWorking
            ? found.models === null
              ? t("worksNoList", { took })
              : t("works", { took, count: found.models })
            : t("worksNot", { reason }))}
        {test.error !== null && <ErrorNote error={test.error} />}
      </div>
    </div>
  );
}

function OpenIncident({ incident }: { readonly incident: Incident }) {
  const t = useMessages(statusMessages);
  const tHealth = useMessages(operatorHealthMessages);
  const language = useLanguage();
  const { upstream, cause, state, modelsCount, fault, nextTryAt, startedAt } = incident;
  const Icon = state === "down" ? CircleAlert : TriangleAlert;
  const when = nextTryAt === null ? undefined : formatRelative(Date.parse(nextTryAt), Date.now(), language);
  const parts = [
    t("affected", { count: modelsCount }),
    ...(when === undefined ? [] : [t("nextTry", { when })]),
  ];
  return (
    <li className="flex flex-wrap items-start gap-x-3 gap-y-2 px-5 py-3">
      <Icon aria-hidden className={`mt-0.5 size-5 shrink-0 ${state === "down" ? "text-bad" : "text-warn"}`} />
      <div className="min-w-0 flex-1">
        <p className="font-medium">
          {t(`cause.${cause}`, { upstream })}: {parts.join(", ")}
        </p>
        <p className="text-muted">
          {t(`done.${state}`)} <Models incident={incident} />
        </p>
        <p className="text-small text-muted">
          {t("since")} <When at={startedAt} as="exact" />
          {fault !== null && ` · ${faultText(tHealth, fault)}`}
        </p>
      </div>
      <TestResult upstream={upstream} />
      <Link to={`/operator/upstreams/${encodeURIComponent(upstream)}`} variant="plain" size="small">
        {t("open")}
      </Link>
    </li>
  );
}

/** Incidents of now; nothing while there are none. */
export function OpenIncidents({ incidents }: { readonly incidents: readonly Incident[] }) {
  const t = useMessages(statusMessages);
  if (incidents.length === 0) return null;
  return (
    <Card title={t("openIncidents", { count: incidents.length })} flush>
      <ul className="divide-y divide-line border-t border-line">
        {incidents.map((incident) => (
          <OpenIncident key={openKeyOf(incident)} incident={incident} />
        ))}
      </ul>
    </Card>
  );
}

function PastIncident({ incident }: { readonly incident: Incident }) {
  const t = useMessages(statusMessages);
  const { upstream, cause, state, modelsCount, startedAt, endedAt } = incident;
  const tookMs = Date.parse(endedAt ?? startedAt) - Date.parse(startedAt);
  return (
    <li className="px-5 py-3">
      <p>
        {t(`over.${cause}`, { upstream })}: {t("affected", { count: modelsCount })}
      </p>
      <p className="text-muted">
        {t(`wasDone.${state}`)} <Models incident={incident} />
      </p>
      <p className="text-small text-muted">
        <When at={startedAt} as="exact" /> · <Duration ms={tookMs} />
      </p>
    </li>
  );
}

/** Incidents that are over. */
export function PastIncidents({ incidents }: { readonly incidents: readonly Incident[] }) {
  const t = useMessages(statusMessages);
  return (
    <Card title={t("pastIncidents")} flush>
      <p className="px-5 pb-3 text-muted">{t(incidents.length === 0 ? "noPast" : "pastText")}</p>
      {incidents.length > 0 && (
        <ul className="divide-y divide-line border-t border-line">
          {incidents.map((incident) => (
            <PastIncident key={pastKeyOf(incident)} incident={incident} />
          ))}
        </ul>
      )}
    </Card>
  );
}
