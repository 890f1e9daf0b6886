/** The row of filters over the plaza. Its state is the URL. */
import { modelStatuses } from "@plaza/contract/catalog.ts";
import type { Operation } from "@plaza/contract/operations.ts";
import { Search, SlidersHorizontal } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import { formatShortCount } from "../../format/count.ts";
import { operationMessages } from "../../i18n/en/operations.ts";
import { plazaMessages } from "../../i18n/en/pages/plaza.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Button } from "../../ui/button.tsx";
import { FilterBar, type Filters } from "../../ui/filter-bar.tsx";
import { RadioGroup, Select, Switch } from "../../ui/inputs/choices.tsx";
import { MoneyInput, TextInput } from "../../ui/inputs/inputs.tsx";
import { MultiSelect } from "../../ui/inputs/multi-select.tsx";
import { countValues, type PlazaModel, plazaDefaults, sortNames, unknownFamily } from "./filter.ts";
import { useKindName } from "./model-facts.tsx";

const contexts = ["8000", "32000", "128000", "200000", "1000000"] as const;
const capabilities = ["tools", "json", "vision", "reasoning"] as const;

/** The filters as `useFilters(plazaDefaults)` gives them. */
export type PlazaFilters = Filters<typeof plazaDefaults>;

/** Input shows immediately and goes to the URL a moment later. */
function useTyped(value: string, onSettle: (text: string) => void): [string, (text: string) => void] {
  const [text, setText] = useState(value);
  const sent = useRef(value);
  const settle = useRef(onSettle);
  settle.current = onSettle;
  useEffect(() => {
    if (value === sent.current) return;
    sent.current = value;
    setText(value);
  }, [value]);
  useEffect(() => {
    if (text === sent.current) return;
    const timer = setTimeout(() => {
      sent.current = text;
      settle.current(text);
    }, 180);
    return () => clearTimeout(timer);
  }, [text]);
  return [text, setText];
}

function SearchField({ filters }: { readonly filters: PlazaFilters }) {
  const t = useMessages(plazaMessages);
  const [text, setText] = useTyped(filters.values.q, (q) => filters.set({ q }));
  return (
    <TextInput
      type="search"
      label={t("search")}
      placeholder={t("search")}
      icon={<Search className="size-4" />}
      value={text}
      onChange={setText}
      maxLength={200}
      className="sm:w-72"
    />
  );
}

function PriceField({
  filters,
  name,
}: {
  readonly filters: PlazaFilters;
  readonly name: "maxin" | "maxout";
}) {
  const t = useMessages(plazaMessages);
  const [text, setText] = useTyped(filters.values[name], (value) => filters.set({ [name]: value.trim() }));
  const label = t(name === "maxin" ? "maxInput" : "maxOutput");
  return (
    <span className="flex items-center gap-2 text-muted">
      <span aria-hidden className="whitespace-nowrap">
        {label}
      </span>
      <span className="w-36 max-sm:flex-1 [&_input]:!pr-14">
        <MoneyInput label={label} value={text} onChange={setText} unit={t("perMillion")} placeholder="–" />
      </span>
    </span>
  );
}

export interface PlazaFilterBarProps {
  readonly filters: PlazaFilters;
  /** The values to choose from. */
  readonly models: readonly PlazaModel[];
}

function useChoices(models: readonly PlazaModel[]) {
  const t = useMessages(plazaMessages);
  const tOperation = useMessages(operationMessages);
  const kindName = useKindName();
  return useMemo(() => {
    const counted = (valuesOf: (model: PlazaModel) => readonly string[], nameOf: (value: string) => string) =>
      countValues(models, valuesOf).map(({ value, count }) => ({
        value,
        label: `${nameOf(value)} (${count})`,
      }));
    return {
      operations: counted(
        (model) => model.operations,
        (value) => tOperation(`operation.${value as Operation}`),
      ),
      families: counted(
        (model) => [model.family ?? unknownFamily],
        (value) => (value === unknownFamily ? t("unknownFamily") : value),
      ),
      inputs: counted((model) => model.modalities?.input ?? [], kindName),
      outputs: counted((model) => model.modalities?.output ?? [], kindName),
    };
  }, [models, t, tOperation, kindName]);
}

/** See above. */
export function PlazaFilterBar({ filters, models }: PlazaFilterBarProps) {
  const t = useMessages(plazaMessages);
  const tOperation = useMessages(operationMessages);
  const { values, set } = filters;
  const choices = useChoices(models);
  const { sort, view, compare, ...others } = values;
  const isFiltered = Object.values(others).some((value) => value.length > 0);
  const [isOpen, setOpen] = useState(false);
  const clear = () => set({ ...plazaDefaults, sort, view, compare });
  return (
    <div
      className={`print:hidden ${isOpen ? "" : "max-sm:[&_search>*:not(:first-child):not(:nth-child(2)):not(:last-child)]:hidden"}`}
    >
      <FilterBar isFiltered={isFiltered} onClear={clear} actions={<ViewSwitch filters={filters} />}>
        <SearchField filters={filters} />
        <Button
          className="sm:hidden"
          aria-expanded={isOpen}
          icon={<SlidersHorizontal aria-hidden className="size-4" />}
          onClick={() => setOpen(!isOpen)}
        >
          {t("filters")}
        </Button>
        {choices.operations.length > 1 && (
          <MultiSelect
            label={tOperation("operation")}
            value={values.operation}
            onChange={(operation) => set({ operation })}
            choices={choices.operations}
            className="sm:!w-44"
          />
        )}
        <MultiSelect
          label={t("family")}
          value={values.family}
          onChange={(family) => set({ family })}
          choices={choices.families}
          className="sm:!w-36"
        />
        <MultiSelect
          label={t("input")}
          value={values.in}
          onChange={(kinds) => set({ in: kinds })}
          choices={choices.inputs}
          className="sm:!w-32"
        />
        <MultiSelect
          label={t("output")}
          value={values.out}
          onChange={(kinds) => set({ out: kinds })}
          choices={choices.outputs}
          className="sm:!w-32"
        />
        <MultiSelect
          label={t("can")}
          value={values.can}
          onChange={(can) => set({ can })}
          choices={capabilities.map((value) => ({ value, label: t(`can.${value}`) }))}
          className="sm:!w-32"
        />
        <Select
          label={t("context")}
          value={values.context}
          onChange={(context) => set({ context })}
          choices={[
            { value: "", label: t("contextAny") },
            ...contexts.map((value) => ({
              value,
              label: t("contextMin", { count: formatShortCount(Number(value)) }),
            })),
          ]}
          className="sm:w-40"
        />
        <MultiSelect
          label={t("status")}
          value={values.status}
          onChange={(status) => set({ status })}
          choices={modelStatuses.map((value) => ({ value, label: t(`status.${value}`) }))}
          className="sm:!w-32"
        />
        <PriceField filters={filters} name="maxin" />
        <PriceField filters={filters} name="maxout" />
        <Switch
          label={<span className="font-normal whitespace-nowrap">{t("availableNow")}</span>}
          value={values.available === "1"}
          onChange={(is) => set({ available: is ? "1" : "" })}
        />
      </FilterBar>
    </div>
  );
}

function ViewSwitch({ filters: { values, set } }: { readonly filters: PlazaFilters }) {
  const t = useMessages(plazaMessages);
  return (
    <>
      <Select
        label={t("sort")}
        value={values.sort}
        onChange={(sort) => set({ sort })}
        choices={sortNames.map((value) => ({
          value,
          label: t(`sort.${value === "" ? "catalog" : value}`),
        }))}
        className="w-56"
      />
      <RadioGroup
        inline
        label={t("view")}
        value={values.view === "table" ? "table" : ""}
        onChange={(view) => set({ view })}
        choices={[
          { value: "", label: t("view.cards") },
          { value: "table", label: t("view.table") },
        ]}
      />
    </>
  );
}
