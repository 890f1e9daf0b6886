/** Which configuration file was applied last, and what was changed in the console since. */
import { useApiQuery } from "../../api/queries.ts";
import { operatorAuditMessages } from "../../i18n/en/pages/operator-audit.ts";
import { operatorSettingsMessages } from "../../i18n/en/pages/operator-settings.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Link } from "../../ui/button.tsx";
import { When } from "../../ui/figures.tsx";
import { Card, Facts } from "../../ui/surfaces.tsx";
import { actionText, subjectText } from "../audit/entry.tsx";

/** Shows nothing where no file was applied. */
export function LastApply() {
  const t = useMessages(operatorSettingsMessages);
  const audit = useMessages(operatorAuditMessages);
  const { data } = useApiQuery("get /operator/last-apply", {});
  if (data === undefined || data.applied === null) return null;
  const { applied, changes, hasMore } = data;
  return (
    <Card title={t("apply")}>
      <Facts
        rows={[
          [t("applyFile"), <bdi key="file">{applied.file ?? "–"}</bdi>],
          [t("applyBy"), <bdi key="by">{applied.by}</bdi>],
          [t("applyAt"), <When key="at" at={applied.at} />],
        ]}
      />
      <h3 className="mt-4 mb-2 font-semibold">{t("applySince")}</h3>
      {changes.length === 0 ? (
        <p className="text-muted">{t("applyNone")}</p>
      ) : (
        <ul aria-label={t("applySince")} className="flex flex-col gap-1">
          {changes.map(({ action, subject, at, times }) => (
            <li key={`${action} ${subject}`}>
              {actionText(audit, action)}
              {subject !== null && (
                <>
                  {": "}
                  <bdi>{subjectText(audit, subject)}</bdi>
                </>
              )}{" "}
              <span className="text-muted">
                {times > 1 && `${t("applyTimes", { count: times })} · `}
                <When at={at} />
              </span>
            </li>
          ))}
        </ul>
      )}
      <p className="mt-3 text-small text-muted">
        {t("applyDiff")}{" "}
        <code className="font-mono">plaza apply {applied.file ?? "plaza.yaml"} --dry-run</code>
      </p>
      <p className="mt-1 text-small">
        <Link to="/operator/audit">{hasMore ? t("applyMore") : t("applyLog")}</Link>
      </p>
    </Card>
  );
}
