/** What was done in or to the account, for its owners. */
import { Search } from "lucide-react";
import { useMemo } from "react";
import { useApiPages } from "../../api/queries.ts";
import type { Answer } from "../../api/routes.ts";
import { membersMessages } from "../../i18n/en/pages/members.ts";
import { type KeyOf, type Translate, useMessages } from "../../i18n/messages.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { FilterBar, useFilters } from "../../ui/filter-bar.tsx";
import { LateTextInput } from "../../ui/inputs/late-text-input.tsx";
import { MultiSelect } from "../../ui/inputs/multi-select.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { Card, StatusBadge, type Tone } from "../../ui/surfaces.tsx";
import { RequestTime } from "../requests/cells.tsx";

type AuditEntry = Answer<"get /audit">["entries"][number];
type MembersKey = KeyOf<typeof membersMessages>;

const actions = Object.keys(membersMessages.en).flatMap((key) =>
  key.startsWith("act.") ? [key.slice(4)] : [],
);
const defaults = { tab: "people", actor: "", action: [] as string[] };
const tones: Record<AuditEntry["outcome"], Tone> = { begun: "warn", done: "good", refused: "bad" };

/** The label of an action; without one, the route's name. */
function actionText(action: string, t: Translate<MembersKey>): string {
  return actions.includes(action) ? t(`act.${action}` as MembersKey) : action;
}

/** The details as `name: value`, short; what is null says nothing. */
function detailText(detail: unknown, path = ""): string {
  if (detail === null || detail === undefined) return "";
  if (typeof detail !== "object") return `${path}: ${String(detail)}`;
  if (Array.isArray(detail))
    return `${path}: ${detail.map((one) => (typeof one === "object" ? JSON.stringify(one) : one)).join(", ")}`;
  return Object.entries(detail)
    .map(([name, value]) => detailText(value, path === "" ? name : `${path}.${name}`))
    .filter((text) => text !== "")
    .join(" · ");
}

function columnsOf(t: Translate<MembersKey>): readonly Column<AuditEntry>[] {
  return [
    { id: "time", header: t("time"), cell: (entry) => <RequestTime at={entry.at} /> },
    {
      id: "who",
      header: t("who"),
      cell: (entry) => (
        <span className="block max-w-60 min-w-0">
          <bdi className="block truncate" title={entry.actor.name}>
            {entry.actor.name}
          </bdi>
          <span className="text-small text-muted">{t(`actor.${entry.actor.kind}`)}</span>
        </span>
      ),
    },
    {
      id: "action",
      header: t("action"),
      cell: (entry) => (
        <span className="block max-w-md min-w-0">
          {actionText(entry.action, t)}
          <bdi className="block text-small text-muted">{detailText(entry.detail)}</bdi>
        </span>
      ),
    },
    {
      id: "subject",
      header: t("subject"),
      cell: (entry) => <span className="font-mono text-small">{entry.subject ?? "–"}</span>,
    },
    {
      id: "ip",
      header: t("ip"),
      cell: (entry) => <span className="font-mono text-small whitespace-nowrap">{entry.ip ?? "–"}</span>,
    },
    {
      id: "outcome",
      header: t("outcome"),
      cell: (entry) => <StatusBadge tone={tones[entry.outcome]}>{t(`outcome.${entry.outcome}`)}</StatusBadge>,
    },
  ];
}

/** See above. */
export function AuditTable() {
  const t = useMessages(membersMessages);
  const { values, set } = useFilters(defaults);
  const isFiltered = values.actor !== "" || values.action.length > 0;
  const query = {
    ...(values.actor.trim() === "" ? {} : { actor: values.actor }),
    ...(values.action.length === 0 ? {} : { action: [...values.action] }),
  };
  const pages = useApiPages("get /audit", { query }, (page) => page.entries, { keep: true });
  const columns = useMemo(() => columnsOf(t), [t]);
  return (
    <>
      <p className="mb-4 text-muted">{t("auditLead")}</p>
      <FilterBar isFiltered={isFiltered} onClear={() => set({ actor: "", action: [] })}>
        <LateTextInput
          label={t("searchActor")}
          className="sm:w-64"
          icon={<Search aria-hidden className="size-4" />}
          maxLength={200}
          value={values.actor}
          onChange={(actor) => set({ actor })}
        />
        <MultiSelect
          label={t("action")}
          className="sm:w-60"
          value={values.action}
          choices={actions.map((value) => ({ value, label: actionText(value, t) }))}
          onChange={(action) => set({ action })}
        />
      </FilterBar>
      <Card flush>
        <DataTable
          label={t("tab.audit")}
          columns={columns}
          pages={pages}
          rowId={(entry) => String(entry.id)}
          empty={<EmptyState title={t(isFiltered ? "noAuditMatches" : "noAudit")} />}
        />
      </Card>
    </>
  );
}
