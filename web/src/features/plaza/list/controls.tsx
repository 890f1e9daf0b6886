/** The row over the list of models: search, filters, order, view. Its state is the URL. */
import { Search, SlidersHorizontal } from "lucide-react";
import { useState } from "react";
import { plazaMessages } from "../../../i18n/en/pages/plaza.ts";
import { plazaListMessages } from "../../../i18n/en/pages/plaza-list.ts";
import { uiMessages } from "../../../i18n/en/ui.ts";
import { useMessages } from "../../../i18n/messages.ts";
import { Button } from "../../../ui/button.tsx";
import { RadioGroup, Select } from "../../../ui/inputs/choices.tsx";
import { TextInput } from "../../../ui/inputs/inputs.tsx";
import { lazyPart } from "../../../ui/lazy-part.tsx";
import { Drawer } from "../../../ui/overlays/dialog.tsx";
import { useColumnName } from "./column-names.ts";
import type { Facets } from "./facets.ts";
import { orderOf } from "./order.ts";
import { FacetRail } from "./rail.tsx";
import { cleared, countFilters, type PlazaFilters, viewOf } from "./state.ts";
import { useTyped } from "./use-typed.ts";

// The table is not what is seen first.
const { Part: ColumnPicker } = lazyPart(() =>
  import("./column-picker.tsx").then((file) => file.ColumnPicker),
);

/** Orders that the list offers by name; the table sorts by every column. */
const offered = ["name", "input", "output", "context", "newest", "used", "fast"] as const;

export interface ControlsProps {
  readonly filters: PlazaFilters;
  readonly facets: Facets;
  /** Models that are shown. */
  readonly count: number;
  readonly isRailOpen: boolean;
  readonly onRail: (isOpen: boolean) => void;
}

/** See above. */
export function Controls(props: ControlsProps) {
  const { filters, isRailOpen, onRail } = props;
  const t = useMessages(plazaMessages);
  const tList = useMessages(plazaListMessages);
  const [text, setText] = useTyped(filters.values.q, (q) => filters.set({ q }));
  return (
    <search aria-label={t("search")} className="mb-3 flex flex-wrap items-center gap-2 print:hidden">
      <TextInput
        type="search"
        label={t("search")}
        placeholder={t("search")}
        icon={<Search className="size-4" />}
        value={text}
        onChange={setText}
        maxLength={200}
        className="min-w-0 flex-1 basis-56"
      />
      <FilterSheet {...props} />
      <Button
        className="max-lg:hidden"
        aria-expanded={isRailOpen}
        icon={<SlidersHorizontal aria-hidden className="size-4" />}
        onClick={() => onRail(!isRailOpen)}
      >
        {tList(isRailOpen ? "hideFilters" : "showFilters")}
      </Button>
      {filters.values.view !== "chart" && <SortSelect filters={filters} />}
      {filters.values.view === "table" && <ColumnPicker />}
      <RadioGroup
        inline
        label={t("view")}
        value={viewOf(filters.values.view)}
        onChange={(view) => filters.set({ view })}
        choices={[
          { value: "", label: t("view.cards") },
          { value: "table", label: t("view.table") },
          { value: "chart", label: tList("view.chart") },
        ]}
      />
    </search>
  );
}

/** The filters where there is no room for the rail. */
function FilterSheet({ filters, facets, count }: ControlsProps) {
  const t = useMessages(plazaListMessages);
  const tUi = useMessages(uiMessages);
  const [isOpen, setOpen] = useState(false);
  const set = countFilters(filters.values);
  const title = set === 0 ? t("filters") : t("filtersSet", { count: set });
  return (
    <>
      <Button
        className="lg:hidden"
        icon={<SlidersHorizontal aria-hidden className="size-4" />}
        onClick={() => setOpen(true)}
      >
        {title}
      </Button>
      <Drawer
        open={isOpen}
        onClose={() => setOpen(false)}
        title={title}
        foot={
          <>
            {set > 0 && (
              <Button variant="quiet" onClick={() => filters.set(cleared(filters.values))}>
                {tUi("clearFilters")}
              </Button>
            )}
            <Button variant="primary" onClick={() => setOpen(false)}>
              {t("showModels", { count })}
            </Button>
          </>
        }
      >
        <FacetRail filters={filters} facets={facets} />
      </Drawer>
    </>
  );
}

function SortSelect({ filters: { values, set } }: { readonly filters: PlazaFilters }) {
  const t = useMessages(plazaMessages);
  const tList = useMessages(plazaListMessages);
  const nameOf = useColumnName();
  const order = orderOf(values.sort);
  const isOffered = offered.some((name) => name === values.sort);
  const other = order === undefined ? "" : tList("sortOf", { what: nameOf(order.name) });
  return (
    <Select
      label={t("sort")}
      value={order === undefined ? "" : values.sort}
      onChange={(sort) => set({ sort })}
      className="w-52 max-sm:w-full"
      choices={[
        { value: "", label: values.q.trim() === "" ? t("sort.catalog") : tList("sortBest") },
        ...offered.map((name) => ({ value: name as string, label: t(`sort.${name}`) })),
        ...(order === undefined || isOffered
          ? []
          : [{ value: values.sort, label: order.isReversed ? tList("reversed", { what: other }) : other }]),
      ]}
    />
  );
}
