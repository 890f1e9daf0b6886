/** Labels of the audit log's actions and outcomes. */
import type { Answer } from "../../api/routes.ts";
import { operatorAuditMessages } from "../../i18n/en/pages/operator-audit.ts";
import { type KeyOf, type Translate, useMessages } from "../../i18n/messages.ts";
import { StatusBadge, type Tone } from "../../ui/surfaces.tsx";

export type AuditEntry = Answer<"get /operator/audit">["entries"][number];
type Key = KeyOf<typeof operatorAuditMessages>;

/** Every act that has words. */
export const actionNames = Object.keys(operatorAuditMessages.en).flatMap((key) =>
  key.startsWith("act.") ? [key.slice("act.".length)] : [],
);

/** An action without a label keeps its name. */
export function actionText(t: Translate<Key>, action: string): string {
  return actionNames.includes(action) ? t(`act.${action}` as Key) : action;
}

/** "upstream main" as text; an id alone stays as it is. */
export function subjectText(t: Translate<Key>, subject: string): string {
  if (subject === "limits") return t("subject.limits");
  const [, kind, id = ""] = /^(upstream|model) (.+)$/s.exec(subject) ?? [];
  return kind === undefined ? subject : t(kind === "model" ? "subject.model" : "subject.upstream", { id });
}

const tones: Record<AuditEntry["outcome"], Tone> = { done: "good", refused: "bad", begun: "warn" };

/** How it ended. */
export function Outcome({ outcome }: { readonly outcome: AuditEntry["outcome"] }) {
  const t = useMessages(operatorAuditMessages);
  return (
    <StatusBadge tone={tones[outcome]} {...(outcome === "begun" ? { title: t("outcome.begun.help") } : {})}>
      {t(`outcome.${outcome}`)}
    </StatusBadge>
  );
}
