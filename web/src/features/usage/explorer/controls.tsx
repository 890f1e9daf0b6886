/**
 * The controls of the explorer: period, grouping, granularity, metric and filters. All of it is in the URL.
 */
import { explorerMessages } from "../../../i18n/en/pages/explorer.ts";
import { usageMessages } from "../../../i18n/en/pages/usage.ts";
import { useMessages } from "../../../i18n/messages.ts";
import { DownloadLink } from "../../../ui/button.tsx";
import { FilterBar, type Filters } from "../../../ui/filter-bar.tsx";
import { RadioGroup, Select } from "../../../ui/inputs/choices.tsx";
import { MultiSelect } from "../../../ui/inputs/multi-select.tsx";
import { type SearchedChoices, useKeyChoices } from "../key-choices.ts";
import { LabelSelects } from "../label-selects.tsx";
import { useModelChoices } from "../model-choices.ts";
import { OperationSelect } from "../operation-select.tsx";
import { PeriodControls, ZoneSelect } from "../period-controls.tsx";
import type { Scope } from "../use-latency.ts";
import type { Period } from "../use-period.ts";
import { groupsFor, metricsFor, type Shown } from "./shown.ts";
import { explorerDefaults } from "./state.ts";

export interface ExplorerControlsProps {
  readonly scope: Scope;
  readonly filters: Filters<typeof explorerDefaults>;
  readonly period: Period;
  readonly shown: Shown;
  /** The download of what is shown; undefined where there is none. */
  readonly csv: string | undefined;
  /** Accounts to filter by, for operators. */
  readonly accounts?: SearchedChoices | undefined;
}

/** The account's own keys; operators ask for keys by links only. */
function KeySelect({ filters }: Pick<ExplorerControlsProps, "filters">) {
  const t = useMessages(usageMessages);
  const { values, set } = filters;
  const keys = useKeyChoices(values.key);
  return (
    <MultiSelect
      label={t("keys")}
      emptyText={t("allKeys")}
      className="sm:w-32"
      value={values.key}
      {...keys}
      onChange={(key) => set({ key })}
    />
  );
}

/** See the file's comment. */
export function ExplorerControls({ scope, filters, period, shown, csv, accounts }: ExplorerControlsProps) {
  const t = useMessages(explorerMessages);
  const tUsage = useMessages(usageMessages);
  const { values, set } = filters;
  const { measure: _, by: __, grain: ___, zone: ____, ...cleared } = explorerDefaults;
  const isFiltered = Object.entries(cleared).some(([name, fallback]) => {
    const value = values[name as keyof typeof cleared];
    return Array.isArray(value) ? value.length > 0 : value !== fallback;
  });
  return (
    <>
      <FilterBar
        isFiltered={isFiltered}
        onClear={() => set(cleared)}
        actions={csv !== undefined && <DownloadLink to={csv}>{t("exportCsv")}</DownloadLink>}
      >
        <PeriodControls values={values} period={period} set={set} />
        <ZoneSelect values={values} set={set} />
        {accounts !== undefined && (
          <MultiSelect
            label={t("accounts")}
            emptyText={t("allAccounts")}
            className="sm:w-40"
            value={values.account}
            {...accounts}
            onChange={(account) => set({ account })}
          />
        )}
        <MultiSelect
          label={tUsage("models")}
          emptyText={tUsage("allModels")}
          className="sm:w-36"
          value={values.model}
          choices={useModelChoices(values.model)}
          onChange={(model) => set({ model })}
        />
        {scope === "account" && <KeySelect filters={filters} />}
        <LabelSelects
          values={values}
          set={set}
          of={scope === "account" ? "own" : { accounts: values.account }}
        />
        <OperationSelect value={values.operation} onChange={(operation) => set({ operation })} />
      </FilterBar>
      <div className="mb-4 flex flex-wrap items-center gap-2">
        <span className="flex items-center gap-2">
          <span aria-hidden className="text-small text-muted max-sm:hidden">
            {t("groupBy")}
          </span>
          <Select
            label={t("groupBy")}
            className="w-32 sm:w-36"
            value={shown.by}
            choices={groupsFor(scope).map((one) => ({ value: one, label: t(`by.${one}`) }))}
            onChange={(by) => set({ by })}
          />
        </span>
        <span className="max-sm:order-last">
          <RadioGroup
            inline
            label={t("measure")}
            value={shown.metric}
            choices={metricsFor(scope).map((one) => ({ value: one, label: t(`measure.${one}`) }))}
            onChange={(measure) => set({ measure })}
          />
        </span>
        {shown.metric !== "latency" && (
          <RadioGroup
            inline
            label={t("grain")}
            value={shown.grain}
            choices={(["day", "hour"] as const).map((one) => ({
              value: one,
              label: t(`grain.${one}`),
              disabled: one === "hour" && shown.days > 31,
            }))}
            onChange={(grain) => set({ grain })}
          />
        )}
      </div>
    </>
  );
}
