/** The audit log of the installation, with filters in the URL and each line in full on demand. */
import { useMemo, useState } from "react";
import { useApiPages, useApiQuery } from "../../api/queries.ts";
import { useAccountChoices } from "../../features/accounts/account-choices.ts";
import { keptDays } from "../../features/audit/detail.ts";
import { AuditDrawer } from "../../features/audit/drawer.tsx";
import {
  type AuditEntry,
  actionNames,
  actionText,
  Outcome,
  subjectText,
} from "../../features/audit/entry.tsx";
import { RequestTime } from "../../features/requests/cells.tsx";
import { periodNames } from "../../features/usage/period.ts";
import { PeriodControls, ZoneNotice, ZoneSelect } from "../../features/usage/period-controls.tsx";
import { usePeriod } from "../../features/usage/use-period.ts";
import { operatorAuditMessages } from "../../i18n/en/pages/operator-audit.ts";
import { type KeyOf, useMessages } from "../../i18n/messages.ts";
import type { Column } from "../../ui/data-table.tsx";
import { useFilters } from "../../ui/filter-bar.tsx";
import { MultiSelect } from "../../ui/inputs/multi-select.tsx";
import { SearchBox } from "../../ui/inputs/search-box.tsx";
import { ResourceList } from "../../ui/resource-list.tsx";

type Key = KeyOf<typeof operatorAuditMessages>;

const defaults = {
  period: "all",
  from: "",
  to: "",
  zone: "",
  actor: "",
  action: [] as readonly string[],
  account: "",
};

function useAuditColumns(): Column<AuditEntry>[] {
  const t = useMessages(operatorAuditMessages);
  return useMemo(
    () => [
      {
        id: "what",
        header: t("what"),
        className: "sm:min-w-52",
        cell: (entry) => (
          <span className="block">
            {actionText(t, entry.action)}
            {entry.subject !== null && (
              <bdi className="block max-w-72 truncate font-mono text-small font-normal text-muted">
                {subjectText(t, entry.subject)}
              </bdi>
            )}
          </span>
        ),
      },
      {
        id: "who",
        header: t("who"),
        className: "sm:min-w-48",
        cell: (entry) => (
          <span className="block">
            <bdi>{entry.actor.name}</bdi>
            <span className="block text-small text-muted">{t(`actor.${entry.actor.kind}`)}</span>
          </span>
        ),
      },
      {
        id: "account",
        header: t("account"),
        cell: (entry) => <bdi className="block max-w-48 truncate">{entry.account?.name ?? "–"}</bdi>,
      },
      { id: "outcome", header: t("outcome"), cell: (entry) => <Outcome outcome={entry.outcome} /> },
      {
        id: "where",
        header: t("where"),
        className: "max-2xl:hidden",
        cell: (entry) => <span className="whitespace-nowrap">{entry.ip ?? "–"}</span>,
      },
      { id: "time", header: t("time"), cell: (entry) => <RequestTime at={entry.at} /> },
    ],
    [t],
  );
}

/** See the file's comment. */
export function AuditPage() {
  const t = useMessages(operatorAuditMessages);
  const { values, set, clear, isFiltered } = useFilters(defaults);
  const period = usePeriod(values, "any");
  const [opened, setOpened] = useState<AuditEntry | null>(null);
  const query = {
    ...(period.range === undefined ? {} : { from: period.range.from, to: period.range.to }),
    ...(values.actor.trim() === "" ? {} : { actor: values.actor.trim() }),
    ...(values.action.length === 0 ? {} : { action: [...values.action] }),
    ...(values.account === "" ? {} : { account: values.account }),
  };
  const settings = useApiQuery("get /operator/settings", {});
  const pages = useApiPages("get /operator/audit", { query }, (page) => page.entries, { keep: true });
  const accounts = useAccountChoices(values.account === "" ? [] : [values.account]);
  return (
    <ResourceList
      title={t("title")}
      lead={
        <>
          {t("lead")}
          {settings.data !== undefined && <> {t("kept", { count: keptDays(settings.data.auditKeptMs) })}</>}
        </>
      }
      isFiltered={isFiltered}
      onClear={clear}
      filters={[
        <PeriodControls key="period" values={values} period={period} set={set} names={periodNames} />,
        values.period !== "all" && <ZoneSelect key="zone" values={values} set={set} />,
        <SearchBox
          key="actor"
          label={t("actor")}
          value={values.actor}
          onChange={(actor) => set({ actor })}
        />,
        <MultiSelect
          key="action"
          label={t("action")}
          emptyText={t("allActions")}
          className="sm:w-48"
          value={values.action}
          choices={actionNames.map((value) => ({ value, label: t(`act.${value}` as Key) }))}
          onChange={(action) => set({ action })}
        />,
        <MultiSelect
          key="account"
          label={t("account")}
          emptyText={t("allAccounts")}
          className="sm:w-44"
          value={values.account === "" ? [] : [values.account]}
          {...accounts}
          onChange={(chosen) => set({ account: chosen.at(-1) ?? "" })}
        />,
      ]}
      note={<ZoneNotice period={period} />}
      columns={useAuditColumns()}
      pages={pages}
      rowId={(entry) => String(entry.id)}
      onRow={setOpened}
      noMatch={t("noMatchTitle")}
      none={{ title: t("emptyTitle") }}
    >
      <AuditDrawer entry={opened} onClose={() => setOpened(null)} />
    </ResourceList>
  );
}
