/** One line of the audit log in full. */

import { operatorAuditMessages } from "../../i18n/en/pages/operator-audit.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Link } from "../../ui/button.tsx";
import { Copyable } from "../../ui/code.tsx";
import { When } from "../../ui/figures.tsx";
import { Drawer } from "../../ui/overlays/dialog.tsx";
import { Facts } from "../../ui/surfaces.tsx";
import { type DetailLine, detailLines } from "./detail.ts";
import { type AuditEntry, actionText, Outcome } from "./entry.tsx";

interface AuditDrawerProps {
  /** null: closed. */
  readonly entry: AuditEntry | null;
  readonly onClose: () => void;
}

/** See above. */
export function AuditDrawer({ entry, onClose }: AuditDrawerProps) {
  const t = useMessages(operatorAuditMessages);
  return (
    <Drawer
      open={entry !== null}
      onClose={onClose}
      title={entry === null ? "" : t("entryTitle", { id: entry.id })}
    >
      {entry !== null && <EntryFacts entry={entry} />}
    </Drawer>
  );
}

function EntryFacts({ entry }: { readonly entry: AuditEntry }) {
  const t = useMessages(operatorAuditMessages);
  const write = (value: DetailLine[1]): string => {
    if (value === null || value === "") return t("nothing");
    if (typeof value === "boolean") return t(value ? "yes" : "no");
    return String(value);
  };
  const lines = detailLines(entry.detail);
  return (
    <div className="flex flex-col gap-5">
      <Facts
        rows={[
          [t("what"), actionText(t, entry.action)],
          [t("outcome"), <Outcome key="outcome" outcome={entry.outcome} />],
          [t("time"), <When key="at" at={entry.at} as="exact" />],
          [
            t("who"),
            <span key="who">
              <bdi>{entry.actor.name}</bdi>{" "}
              <span className="text-muted">({t(`actor.${entry.actor.kind}`)})</span>
            </span>,
          ],
          [
            t("account"),
            entry.account === null ? (
              "–"
            ) : (
              <Link key="account" to={`/operator/accounts/${encodeURIComponent(entry.account.id)}`}>
                <bdi>{entry.account.name}</bdi>
              </Link>
            ),
          ],
          [t("subject"), entry.subject === null ? "–" : <Copyable key="subject" text={entry.subject} />],
          [t("where"), entry.ip ?? "–"],
          [t("request"), entry.requestId === null ? "–" : <Copyable key="request" text={entry.requestId} />],
        ]}
      />
      <section>
        <h3 className="mb-2 font-semibold">{t("detail")}</h3>
        {lines.length === 0 ? (
          <p className="text-muted">{t("noDetail")}</p>
        ) : (
          <dl className="grid grid-cols-[minmax(6rem,max-content)_1fr] gap-x-4 gap-y-1">
            {lines.map(([name, value]) => (
              <div key={name} className="contents">
                <dt className="font-mono text-small text-muted">{name}</dt>
                <dd className="min-w-0">
                  <bdi>{write(value)}</bdi>
                </dd>
              </div>
            ))}
          </dl>
        )}
      </section>
    </div>
  );
}
