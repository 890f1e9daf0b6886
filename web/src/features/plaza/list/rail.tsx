/** The filters of the list: facets whose values say how many models they would show. */
import type { ModelStatus } from "@plaza/contract/catalog.ts";
import type { Operation } from "@plaza/contract/operations.ts";
import { type ReactNode, useState } from "react";
import { formatShortCount } from "../../../format/count.ts";
import { formatMoney } from "../../../format/money.ts";
import { operationMessages } from "../../../i18n/en/operations.ts";
import { plazaMessages } from "../../../i18n/en/pages/plaza.ts";
import { plazaListMessages } from "../../../i18n/en/pages/plaza-list.ts";
import { type KeyOf, useMessages } from "../../../i18n/messages.ts";
import { Checkbox } from "../../../ui/inputs/choices.tsx";
import { MoneyInput } from "../../../ui/inputs/inputs.tsx";
import { MakerLogo } from "../makers/maker-logo.tsx";
import { useKindName } from "../model-facts.tsx";
import {
  contextBounds,
  type Facets,
  type FacetValue,
  priceAbove,
  priceBounds,
  unknownValue,
} from "./facets.ts";
import { type FacetName, flagNames, manyValued, type PlazaFilters } from "./state.ts";
import { useTyped } from "./use-typed.ts";

/** Values of a facet that are shown before "Show all". */
const shownMax = 8;

/** Names of facets and of their values, for the rail and for the row of set filters. */
export function useFacetNames() {
  const t = useMessages(plazaMessages);
  const tList = useMessages(plazaListMessages);
  const tOperation = useMessages(operationMessages);
  const kindName = useKindName();
  const facets: Readonly<Record<FacetName, string>> = {
    maker: tList("maker"),
    operation: tOperation("operation"),
    in: t("input"),
    out: t("output"),
    can: t("can"),
    price: tList("price"),
    status: t("status"),
    family: t("family"),
  };
  const priceName = (value: string): string => {
    const last = priceBounds[priceBounds.length - 1] ?? "0";
    if (value === priceAbove) return tList("priceAbove", { from: formatMoney(last) });
    const at = (priceBounds as readonly string[]).indexOf(value);
    if (at <= 0) return at === 0 ? t("free") : value;
    return tList("priceRange", {
      from: formatMoney(priceBounds[at - 1] ?? "0"),
      to: formatMoney(value),
    });
  };
  const values: Readonly<Record<FacetName, (value: string) => string>> = {
    maker: (value) => (value === unknownValue ? tList("unknownMaker") : value),
    operation: (value) =>
      `operation.${value}` in operationMessages.en ? tOperation(`operation.${value as Operation}`) : value,
    in: kindName,
    out: kindName,
    can: (value) =>
      `can.${value}` in plazaMessages.en ? t(`can.${value}` as KeyOf<typeof plazaMessages>) : value,
    price: priceName,
    status: (value) => (`status.${value}` in plazaMessages.en ? t(`status.${value as ModelStatus}`) : value),
    family: (value) => (value === unknownValue ? t("unknownFamily") : value),
  };
  return {
    facetName: (name: FacetName) => facets[name],
    valueName: (name: FacetName, value: string) => values[name](value),
  };
}

export interface FacetRailProps {
  readonly filters: PlazaFilters;
  readonly facets: Facets;
}

/** See above. */
export function FacetRail({ filters, facets }: FacetRailProps) {
  const t = useMessages(plazaMessages);
  const { values } = filters;
  return (
    <div className="flex flex-col divide-y divide-line">
      {values.family.length > 0 && <Facet name="family" filters={filters} facets={facets} />}
      <Facet name="maker" filters={filters} facets={facets} />
      <Facet name="status" filters={filters} facets={facets} />
      <Facet name="can" filters={filters} facets={facets} />
      <Facet name="in" filters={filters} facets={facets} />
      <Facet name="out" filters={filters} facets={facets} />
      <Facet name="operation" filters={filters} facets={facets} />
      <Facet name="price" filters={filters} facets={facets}>
        <div className="mt-2 flex flex-col gap-2">
          <PriceField filters={filters} name="maxin" label={t("maxInput")} />
          <PriceField filters={filters} name="maxout" label={t("maxOutput")} />
        </div>
      </Facet>
      <ContextFacet filters={filters} facets={facets} />
      <FlagFacet filters={filters} facets={facets} />
    </div>
  );
}

interface FacetProps extends FacetRailProps {
  readonly name: FacetName;
  readonly children?: ReactNode;
}

/** Not drawn while there is nothing to choose. */
function Facet({ name, filters, facets, children }: FacetProps) {
  const t = useMessages(plazaListMessages);
  const { facetName, valueName } = useFacetNames();
  const [isWhole, setWhole] = useState(false);
  const chosen = filters.values[name];
  const values = facets.values[name];
  if (values.length < 2 && chosen.length === 0 && children === undefined) return null;
  const shown = isWhole ? values : values.filter(({ value }, at) => at < shownMax || chosen.includes(value));
  const choose = (value: string, is: boolean) =>
    filters.set({ [name]: is ? [...chosen, value] : chosen.filter((one) => one !== value) });
  return (
    <Group title={facetName(name)} count={chosen.length}>
      <ul className="flex flex-col gap-1.5">
        {shown.map((value) => (
          <ValueRow
            key={value.value}
            value={value}
            name={valueName(name, value.value)}
            icon={
              name === "maker" && (
                <MakerLogo name={value.value === unknownValue ? null : value.value} size="small" />
              )
            }
            isChosen={chosen.includes(value.value)}
            onChoose={(is) => choose(value.value, is)}
          />
        ))}
      </ul>
      {values.length > shownMax && (
        <button
          type="button"
          className="mt-1.5 rounded text-small text-accent hover:underline"
          aria-expanded={isWhole}
          onClick={() => setWhole(!isWhole)}
        >
          {isWhole ? t("showFewer") : t("showAll", { count: values.length })}
        </button>
      )}
      {manyValued.includes(name) && chosen.length > 1 && (
        <div className="mt-2 text-small text-muted">
          <Checkbox
            label={t("matchAll")}
            value={filters.values.every.includes(name)}
            onChange={(is) => {
              const others = filters.values.every.filter((one) => one !== name);
              filters.set({ every: is ? [...others, name] : others });
            }}
          />
        </div>
      )}
      {children}
    </Group>
  );
}

interface GroupProps {
  readonly title: string;
  readonly count: number;
  readonly children: ReactNode;
}

function Group({ title, count, children }: GroupProps) {
  return (
    <fieldset className="min-w-0 py-3.5 first:pt-0">
      <legend className="contents">
        <span className="mb-2 flex items-baseline gap-2 text-small font-semibold">
          {title}
          {count > 0 && <span className="font-normal text-faint">{count}</span>}
        </span>
      </legend>
      {children}
    </fieldset>
  );
}

interface ValueRowProps {
  readonly value: Pick<FacetValue, "count">;
  readonly name: string;
  readonly icon?: ReactNode;
  readonly isChosen: boolean;
  readonly onChoose: (is: boolean) => void;
}

function ValueRow({ value, name, icon, isChosen, onChoose }: ValueRowProps) {
  const t = useMessages(plazaListMessages);
  return (
    <li className="flex items-start gap-2 text-body">
      <span className="min-w-0 flex-1">
        <Checkbox
          label={
            <>
              <span
                aria-hidden
                className={`inline-flex items-center gap-1.5 ${value.count === 0 && !isChosen ? "text-faint" : ""}`}
              >
                {icon}
                <span dir="auto">{name}</span>
              </span>
              <span className="sr-only">{t("withCount", { name, count: value.count })}</span>
            </>
          }
          value={isChosen}
          onChange={onChoose}
        />
      </span>
      <span aria-hidden className="figures mt-0.5 shrink-0 text-small text-faint">
        {formatShortCount(value.count)}
      </span>
    </li>
  );
}

/** One bound at most: a larger context has the smaller one, too. */
function ContextFacet({ filters, facets }: FacetRailProps) {
  const t = useMessages(plazaMessages);
  const tList = useMessages(plazaListMessages);
  const { values, set } = filters;
  return (
    <Group title={t("context")} count={Number(values.context !== "")}>
      <ul className="flex flex-col gap-1.5">
        {contextBounds.map((bound) => (
          <ValueRow
            key={bound}
            value={{ count: facets.context[bound] ?? 0 }}
            name={tList("contextLeast", { count: formatShortCount(Number(bound)) })}
            isChosen={values.context === bound}
            onChoose={(is) => set({ context: is ? bound : "" })}
          />
        ))}
      </ul>
    </Group>
  );
}

function FlagFacet({ filters, facets }: FacetRailProps) {
  const t = useMessages(plazaListMessages);
  const { values, set } = filters;
  return (
    <Group title={t("more")} count={flagNames.filter((name) => values[name] === "1").length}>
      <ul className="flex flex-col gap-1.5">
        {flagNames.map((name) => (
          <ValueRow
            key={name}
            value={{ count: facets.flags[name] }}
            name={t(`flag.${name}`)}
            isChosen={values[name] === "1"}
            onChoose={(is) => set({ [name]: is ? "1" : "" })}
          />
        ))}
      </ul>
    </Group>
  );
}

interface PriceFieldProps {
  readonly filters: PlazaFilters;
  readonly name: "maxin" | "maxout";
  readonly label: string;
}

function PriceField({ filters, name, label }: PriceFieldProps) {
  const t = useMessages(plazaMessages);
  const [text, setText] = useTyped(filters.values[name], (value) => filters.set({ [name]: value.trim() }));
  return (
    <span className="flex items-center justify-between gap-2 text-small text-muted">
      <span aria-hidden>{label}</span>
      <span className="w-28 shrink-0 [&_input]:!pr-12">
        <MoneyInput label={label} value={text} onChange={setText} unit={t("perMillion")} placeholder="–" />
      </span>
    </span>
  );
}
