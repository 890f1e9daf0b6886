/** Every model with its status, its last day and its share of answers; those with a problem come first. */
import { memo, useMemo, useState } from "react";
import type { Answer } from "../../api/routes.ts";
import { statusMessages } from "../../i18n/en/status.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Button, Link } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { Card } from "../../ui/surfaces.tsx";
import { ModelStatus } from "../plaza/model-facts.tsx";
import { StatusStrip, Uptime } from "./status-strip.tsx";

type Model = Answer<"get /status">["models"][number];

/** Shown at first. */
const firstMax = 60;

const ranks: Readonly<Record<Model["status"], number>> = {
  down: 0,
  degraded: 1,
  available: 2,
  unpriced: 2,
  unserved: 2,
};

/** Drawn again only when its model changed since the last look. */
const Row = memo(function Row({ model }: { readonly model: Model }) {
  return (
    <li className="grid items-center gap-x-6 gap-y-2 px-5 py-3 md:grid-cols-[minmax(0,1fr)_7rem_16rem_15rem]">
      <span className="min-w-0 truncate" dir="auto">
        <Link to={`/models/${encodeURIComponent(model.id)}`}>{model.name}</Link>
      </span>
      <ModelStatus model={model} />
      <StatusStrip strip={model.strip} />
      <Uptime uptime={model.uptime} counted={model.counted} />
    </li>
  );
});

export function StatusModels({ models }: { readonly models: readonly Model[] }) {
  const t = useMessages(statusMessages);
  const [isWhole, setIsWhole] = useState(false);
  const sorted = useMemo(
    () => models.toSorted((one, other) => ranks[one.status] - ranks[other.status]),
    [models],
  );
  const shown = isWhole ? sorted : sorted.slice(0, firstMax);
  const more = sorted.length - shown.length;
  return (
    <Card title={t("models")} flush>
      {models.length === 0 ? (
        <EmptyState title={t("noModels")}>{t("noModelsText")}</EmptyState>
      ) : (
        <ul className="divide-y divide-line border-t border-line">
          {shown.map((model) => (
            <Row key={model.id} model={model} />
          ))}
          {more > 0 && (
            <li className="px-5 py-3">
              <Button onClick={() => setIsWhole(true)}>{t("showAll", { count: more })}</Button>
            </li>
          )}
        </ul>
      )}
    </Card>
  );
}
