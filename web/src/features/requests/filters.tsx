/** The filters of a list of requests. What further ones a page has are its children. Knows no route. */
import type { ReactNode } from "react";
import { requestsMessages } from "../../i18n/en/pages/requests.ts";
import { usageMessages } from "../../i18n/en/pages/usage.ts";
import { useMessages } from "../../i18n/messages.ts";
import { FilterBar } from "../../ui/filter-bar.tsx";
import type { Choice } from "../../ui/inputs/choices.tsx";
import { LateTextInput } from "../../ui/inputs/late-text-input.tsx";
import { MultiSelect } from "../../ui/inputs/multi-select.tsx";
import type { SearchedChoices } from "../usage/key-choices.ts";
import { type LabelScope, LabelSelects } from "../usage/label-selects.tsx";
import { OperationSelect } from "../usage/operation-select.tsx";
import { periodNames } from "../usage/period.ts";
import { PeriodControls, ZoneSelect } from "../usage/period-controls.tsx";
import type { Period } from "../usage/use-period.ts";
import { type RequestFilterValues, requestStates } from "./query.ts";

export interface RequestFiltersProps {
  readonly values: RequestFilterValues;
  readonly set: (changes: Partial<RequestFilterValues>) => void;
  readonly clear: () => void;
  readonly isFiltered: boolean;
  readonly period: Period;
  readonly models: readonly Choice[];
  /** Absent: keys cannot be chosen here. */
  readonly keys?: SearchedChoices;
  /** The keys whose labels can be chosen. */
  readonly labelsOf: LabelScope;
  /** Further filters, as of accounts. */
  readonly children?: ReactNode;
  /** At the end: the export. */
  readonly actions?: ReactNode;
}

/** See `RequestFiltersProps`. */
export function RequestFilters(props: RequestFiltersProps) {
  const t = useMessages(requestsMessages);
  const tUsage = useMessages(usageMessages);
  const { values, set } = props;
  return (
    <FilterBar isFiltered={props.isFiltered} onClear={props.clear} actions={props.actions}>
      <PeriodControls values={values} period={props.period} set={set} names={periodNames} />
      {values.period !== "all" && <ZoneSelect values={values} set={set} />}
      {props.children}
      <MultiSelect
        label={tUsage("models")}
        emptyText={tUsage("allModels")}
        className="sm:w-36"
        value={values.model}
        choices={props.models}
        onChange={(model) => set({ model })}
      />
      {props.keys !== undefined && (
        <MultiSelect
          label={tUsage("keys")}
          emptyText={tUsage("allKeys")}
          className="sm:w-36"
          value={values.key}
          choices={props.keys.choices}
          onSearch={props.keys.onSearch}
          onChange={(key) => set({ key })}
        />
      )}
      <LabelSelects values={values} set={set} of={props.labelsOf} />
      <MultiSelect
        label={t("result")}
        emptyText={t("allResults")}
        className="sm:w-36"
        value={values.state}
        choices={requestStates.map((state) => ({
          value: state,
          label: t(`state.${state}`),
          hint: t(`means.${state}`),
        }))}
        onChange={(state) => set({ state })}
      />
      <OperationSelect value={values.operation} onChange={(operation) => set({ operation })} />
      <LateTextInput
        label={t("errorCode")}
        className="sm:w-32"
        maxLength={100}
        value={values.error}
        onChange={(error) => set({ error })}
      />
      <LateTextInput
        label={t("requestId")}
        placeholder="req_…"
        className="sm:w-28"
        maxLength={100}
        value={values.id}
        onChange={(id) => set({ id })}
      />
    </FilterBar>
  );
}
