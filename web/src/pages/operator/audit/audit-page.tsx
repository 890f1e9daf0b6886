/** The audit log of the installation, with filters in the URL and each line in full on demand. */
import { useMemo, useState } from "react";
import { useAnswer, usePages } from "../../../api/queries.ts";
import { operatorAuditWords } from "../../../i18n/en/pages/operator-audit.ts";
import { type KeyOf, useWords } from "../../../i18n/words.ts";
import { type Column, DataTable } from "../../../ui/data-table.tsx";
import { FilterBar, useFilters } from "../../../ui/filter-bar.tsx";
import { MultiSelect } from "../../../ui/multi-select.tsx";
import { EmptyState } from "../../../ui/states.tsx";
import { Card, PageHeader } from "../../../ui/surfaces.tsx";
import { RequestTime } from "../../requests/cells.tsx";
import { periodNames } from "../../usage/period.ts";
import { PeriodControls, ZoneNotice, ZoneSelect } from "../../usage/period-controls.tsx";
import { usePeriod } from "../../usage/use-period.ts";
import { useAccountChoices } from "../parts/account-choices.ts";
import { SearchBox } from "../parts/search-box.tsx";
import { AuditDrawer } from "./drawer.tsx";
import { keptDays } from "./kept-days.ts";
import { type AuditEntry, actionNames, actionText, Outcome, subjectText } from "./words.tsx";

type Key = KeyOf<typeof operatorAuditWords>;

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
  const say = useWords(operatorAuditWords);
  return useMemo(
    () => [
      {
        id: "what",
        header: say("what"),
        className: "sm:min-w-52",
        cell: (entry) => (
          <span className="block">
            {actionText(say, entry.action)}
            {entry.subject !== null && (
              <bdi className="block max-w-72 truncate font-mono text-[0.87rem] font-normal text-muted">
                {subjectText(say, entry.subject)}
              </bdi>
            )}
          </span>
        ),
      },
      {
        id: "who",
        header: say("who"),
        className: "sm:min-w-48",
        cell: (entry) => (
          <span className="block">
            <bdi>{entry.actor.name}</bdi>
            <span className="block text-[0.87rem] text-muted">{say(`actor.${entry.actor.kind}`)}</span>
          </span>
        ),
      },
      {
        id: "account",
        header: say("account"),
        cell: (entry) => <bdi className="block max-w-48 truncate">{entry.account?.name ?? "–"}</bdi>,
      },
      { id: "outcome", header: say("outcome"), cell: (entry) => <Outcome outcome={entry.outcome} /> },
      {
        id: "where",
        header: say("where"),
        className: "max-2xl:hidden",
        cell: (entry) => <span className="whitespace-nowrap">{entry.ip ?? "–"}</span>,
      },
      { id: "time", header: say("time"), cell: (entry) => <RequestTime at={entry.at} /> },
    ],
    [say],
  );
}

/** See the file's comment. */
export function AuditPage() {
  const say = useWords(operatorAuditWords);
  const { values, set, clear, isFiltered } = useFilters(defaults);
  const period = usePeriod(values, "any");
  const [opened, setOpened] = useState<AuditEntry | null>(null);
  const query = {
    ...(period.range === undefined ? {} : { from: period.range.from, to: period.range.to }),
    ...(values.actor.trim() === "" ? {} : { actor: values.actor.trim() }),
    ...(values.action.length === 0 ? {} : { action: [...values.action] }),
    ...(values.account === "" ? {} : { account: values.account }),
  };
  const settings = useAnswer("get /operator/settings", {});
  const pages = usePages("get /operator/audit", { query }, (page) => page.entries, { keep: true });
  const accounts = useAccountChoices(values.account === "" ? [] : [values.account]);
  return (
    <>
      <PageHeader title={say("title")}>
        {say("lead")}
        {settings.data !== undefined && <> {say("kept", { count: keptDays(settings.data.auditKeptMs) })}</>}
      </PageHeader>
      <FilterBar isFiltered={isFiltered} onClear={clear}>
        <PeriodControls values={values} period={period} set={set} names={periodNames} />
        {values.period !== "all" && <ZoneSelect values={values} set={set} />}
        <SearchBox label={say("actor")} value={values.actor} onChange={(actor) => set({ actor })} />
        <MultiSelect
          label={say("action")}
          emptyText={say("allActions")}
          className="sm:w-48"
          value={values.action}
          choices={actionNames.map((value) => ({ value, label: say(`act.${value}` as Key) }))}
          onChange={(action) => set({ action })}
        />
        <MultiSelect
          label={say("account")}
          emptyText={say("allAccounts")}
          className="sm:w-44"
          value={values.account === "" ? [] : [values.account]}
          {...accounts}
          onChange={(chosen) => set({ account: chosen.at(-1) ?? "" })}
        />
      </FilterBar>
      <ZoneNotice period={period} />
      <Card flush>
        <DataTable
          label={say("title")}
          columns={useAuditColumns()}
          pages={pages}
          rowId={(entry) => String(entry.id)}
          onRow={setOpened}
          empty={<EmptyState title={say(isFiltered ? "noMatchTitle" : "emptyTitle")} />}
        />
      </Card>
      <AuditDrawer entry={opened} onClose={() => setOpened(null)} />
    </>
  );
}
