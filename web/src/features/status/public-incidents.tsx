/** Incidents of the last day in words for everyone: which models, since when, and nothing of upstreams. */
import type { Answer } from "../../api/routes.ts";
import { statusMessages } from "../../i18n/en/status.ts";
import { useMessages } from "../../i18n/messages.ts";
import { When } from "../../ui/figures.tsx";
import { Card, StatusBadge } from "../../ui/surfaces.tsx";

type Status = Answer<"get /status">;
type Incident = Status["incidents"][number];

function IncidentLine({ incident, names }: { readonly incident: Incident; readonly names: Names }) {
  const t = useMessages(statusMessages);
  const { state, models, modelsCount, startedAt, endedAt } = incident;
  const named = models.map((id) => names.get(id) ?? id).join(", ");
  const more = modelsCount - models.length;
  const subject = more > 0 ? t("more", { models: named, count: more }) : named;
  const isOver = endedAt !== null;
  const tone = isOver ? "neutral" : state === "down" ? "bad" : "warn";
  return (
    <li className="px-5 py-3">
      <p>
        <StatusBadge tone={tone}>
          <span className="whitespace-normal">
            {t(isOver ? `publicOver.${state}` : `public.${state}`, { models: subject })}
          </span>
        </StatusBadge>
      </p>
      <p className="text-small text-muted">
        {t("since")} <When at={startedAt} as="exact" />
        {isOver && (
          <>
            , {t("until")} <When at={endedAt} as="exact" />
          </>
        )}
      </p>
    </li>
  );
}

type Names = ReadonlyMap<string, string>;

export function PublicIncidents({ status: { incidents, models } }: { readonly status: Status }) {
  const t = useMessages(statusMessages);
  if (incidents.length === 0) return <p className="text-muted">{t("noIncidents")}</p>;
  const names: Names = new Map(models.map(({ id, name }) => [id, name]));
  return (
    <Card title={t("incidents")} flush>
      <ul className="divide-y divide-line border-t border-line">
        {incidents.map((incident) => (
          <IncidentLine
            key={`${incident.startedAt} ${incident.models.join()}`}
            incident={incident}
            names={names}
          />
        ))}
      </ul>
    </Card>
  );
}
