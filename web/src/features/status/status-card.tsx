/** The last day of one model, for its page. */
import { useApiQuery } from "../../api/queries.ts";
import { statusMessages } from "../../i18n/en/status.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Link } from "../../ui/button.tsx";
import { Skeleton } from "../../ui/states.tsx";
import { Card } from "../../ui/surfaces.tsx";
import { StatusStrip, Uptime } from "./status-strip.tsx";

/** A page that stays open follows the day. */
const everyMs = 30_000;

export function StatusCard({ modelId }: { readonly modelId: string }) {
  const t = useMessages(statusMessages);
  const { data, error } = useApiQuery("get /status/{model}", { params: { model: modelId } }, { everyMs });
  // Without it the page still says everything else.
  if (data === undefined && error !== null) return null;
  return (
    <Card title={t("stripTitle")} action={<Link to="/status">{t("title")}</Link>}>
      {data === undefined ? (
        <Skeleton className="h-12 w-full" />
      ) : (
        <>
          <StatusStrip strip={data.strip} className="h-7" />
          <p className="mt-1 flex justify-between text-small text-faint">
            <span>{t("ago")}</span>
            <span>{t("now")}</span>
          </p>
          <p className="mt-2">
            <Uptime uptime={data.uptime} counted={data.counted} />
          </p>
        </>
      )}
    </Card>
  );
}
