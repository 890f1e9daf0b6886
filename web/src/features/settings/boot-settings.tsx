/**
 * What the server was started with: every boot setting, its value, and what set
 * it. Read-only: a restart changes them.
 */
import { useMemo } from "react";
import { useApiQuery } from "../../api/queries.ts";
import type { Answer } from "../../api/routes.ts";
import { operatorSettingsMessages } from "../../i18n/en/pages/operator-settings.ts";
import { useLanguage } from "../../i18n/language.ts";
import type { Language } from "../../i18n/languages.ts";
import { useMessages } from "../../i18n/messages.ts";
import { serverText } from "../../i18n/server-text.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { FilterBar, useFilters } from "../../ui/filter-bar.tsx";
import { Checkbox } from "../../ui/inputs/choices.tsx";
import { SearchBox } from "../../ui/inputs/search-box.tsx";
import { Card } from "../../ui/surfaces.tsx";

type BootSetting = Answer<"get /operator/boot-settings">["settings"][number];

const defaults = { q: "", set: "" };

/** See above. */
export function BootSettings() {
  const t = useMessages(operatorSettingsMessages);
  const language = useLanguage();
  const { values, set } = useFilters(defaults);
  const answer = useApiQuery("get /operator/boot-settings", {});
  const columns = useColumns(language);
  const sought = values.q.trim().toLowerCase();
  const rows = answer.data?.settings.filter(
    ({ variable, flag, from, meaning, meaningMessage }) =>
      (values.set === "" || from !== null) &&
      [variable, flag ?? "", serverText(meaning, language, meaningMessage)].some((text) =>
        text.toLowerCase().includes(sought),
      ),
  );
  return (
    <div>
      <p className="mb-4 max-w-2xl text-muted">{t("bootLead")}</p>
      <FilterBar>
        <SearchBox label={t("bootSearch")} value={values.q} onChange={(q) => set({ q })} />
        <Checkbox
          label={t("bootGivenOnly")}
          value={values.set !== ""}
          onChange={(isOnly) => set({ set: isOnly ? "given" : "" })}
        />
      </FilterBar>
      <Card flush>
        <DataTable
          label={t("tabBoot")}
          columns={columns}
          rows={rows}
          error={answer.error}
          onRetry={() => void answer.refetch()}
          rowId={({ name }) => name}
          skeletonRows={12}
        />
      </Card>
    </div>
  );
}

function useColumns(language: Language): Column<BootSetting>[] {
  const t = useMessages(operatorSettingsMessages);
  return useMemo(
    () => [
      {
        id: "setting",
        header: t("bootSetting"),
        cell: ({ variable, flag, meaning, meaningMessage }) => (
          <span className="block max-w-xl font-normal">
            <code className="font-mono text-small">{variable}</code>
            {flag !== null && <code className="ml-2 font-mono text-small text-muted">{flag}</code>}
            <span className="block text-small text-muted">
              <Marked text={serverText(meaning, language, meaningMessage)} />
            </span>
          </span>
        ),
      },
      { id: "value", header: t("bootValue"), cell: (row) => <Value row={row} language={language} /> },
      {
        id: "from",
        header: t("bootFrom"),
        cell: ({ from }) =>
          from === null ? (
            <span className="text-muted">{t("bootDefault")}</span>
          ) : (
            <code className="font-mono text-small">{from}</code>
          ),
      },
    ],
    [t, language],
  );
}

function Value({ row, language }: { readonly row: BootSetting; readonly language: Language }) {
  const t = useMessages(operatorSettingsMessages);
  if (row.isSecret && row.from !== null) return <span className="text-muted">{t("bootSecret")}</span>;
  if (row.value === null)
    return (
      <span className="block max-w-72 text-small text-muted">
        <Marked text={serverText(row.unset ?? "", language, row.unsetMessage)} />
      </span>
    );
  return <code className="block max-w-72 font-mono text-small break-words">{row.value}</code>;
}

/** Text with `code` in it. */
function Marked({ text }: { readonly text: string }) {
  const parts = text.split("`");
  return parts.map((part, at) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text have no other name.
    at % 2 === 0 ? part : <code key={at}>{part}</code>,
  );
}
