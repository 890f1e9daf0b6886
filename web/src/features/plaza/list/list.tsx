/**
 * The list of models: the row of controls, the rail of filters, and what they leave, as cards, a table or a
 * chart.
 */
import { useCallback, useDeferredValue, useMemo, useState } from "react";
import { useFreshStatuses } from "../../../api/fresh-status.ts";
import { useApiQuery } from "../../../api/queries.ts";
import { formatCount } from "../../../format/count.ts";
import { plazaMessages } from "../../../i18n/en/pages/plaza.ts";
import { plazaListMessages } from "../../../i18n/en/pages/plaza-list.ts";
import { useLanguage } from "../../../i18n/language.ts";
import { useMessages } from "../../../i18n/messages.ts";
import { When } from "../../../ui/figures.tsx";
import { useFilters } from "../../../ui/filter-bar.tsx";
import { lazyPart } from "../../../ui/lazy-part.tsx";
import { comparedMax, type PlazaModel, searchIn } from "../models.ts";
import { PlazaCards, type PlazaCardsProps } from "./cards.tsx";
import { Controls } from "./controls.tsx";
import { findModels } from "./find.ts";
import { blockPlaceholder } from "./placeholder.tsx";
import { FacetRail } from "./rail.tsx";
import { countFilters, type PlazaFilters, plazaDefaults } from "./state.ts";

// The cards are what is seen first, and all of them.
const { Part: SetFilters } = lazyPart(() => import("./set-filters.tsx").then((file) => file.SetFilters));
const { Part: NoneFound } = lazyPart(() => import("./none.tsx").then((file) => file.NoneFound));
const { Part: PlazaTable } = lazyPart(() => import("./table.tsx").then((file) => file.PlazaTable));
const { Part: CompareBar } = lazyPart(() => import("../compare/bar.tsx").then((file) => file.CompareBar));
const { Part: Scatter } = lazyPart(() => import("../chart/scatter.tsx").then((file) => file.Scatter));

export interface ModelListProps {
  readonly models: readonly PlazaModel[];
  /** When the prices and figures were read. */
  readonly asOf: string;
}

/** See above. */
export function ModelList({ models: read, asOf }: ModelListProps) {
  const models = useFreshStatuses(read);
  const tList = useMessages(plazaListMessages);
  const filters = useFilters(plazaDefaults);
  const values = useDeferredValue(filters.values);
  const { found, facets } = useMemo(
    () => findModels(models, values, () => searchIn(read)),
    [models, values, read],
  );
  // A table needs the width more than the filters do.
  const [isOpened, setOpened] = useState<boolean>();
  const isRailOpen = isOpened ?? filters.values.view !== "table";
  return (
    <>
      <Controls
        filters={filters}
        facets={facets}
        count={found.length}
        isRailOpen={isRailOpen}
        onRail={setOpened}
      />
      {countFilters(filters.values) > 0 && (
        <SetFilters filters={filters} waiting={() => <div className="mb-3 h-8" />} />
      )}
      <div className="flex gap-6">
        {isRailOpen && (
          <aside
            aria-label={tList("filters")}
            className="sticky top-4 hidden max-h-[calc(100dvh-2rem)] w-56 shrink-0 self-start overflow-y-auto rounded-xl border border-line bg-surface px-4 py-4 shadow-card lg:block print:hidden"
          >
            <FacetRail filters={filters} facets={facets} />
          </aside>
        )}
        <div className="min-w-0 flex-1">
          <FoundLine found={found.length} all={models.length} asOf={asOf} />
          {found.length === 0 ? (
            <NoneFound filters={filters} />
          ) : (
            <FoundModels found={found} filters={filters} />
          )}
        </div>
      </div>
      {values.compare.length > 0 && <CompareBar models={models} filters={filters} />}
    </>
  );
}

function FoundLine({
  found,
  all,
  asOf,
}: {
  readonly found: number;
  readonly all: number;
  readonly asOf: string;
}) {
  const t = useMessages(plazaMessages);
  const language = useLanguage();
  return (
    <p role="status" className="mb-3 text-body text-muted">
      {t("found", { found: formatCount(found, language), all: formatCount(all, language) })}
      <span className="text-faint">
        {" · "}
        {t("priceUnit")}
        {" · "}
        {t("asOf")} <When at={asOf} as="exact" />
      </span>
    </p>
  );
}

interface FoundModelsProps {
  readonly found: readonly PlazaModel[];
  readonly filters: PlazaFilters;
}

function FoundModels({ found, filters }: FoundModelsProps) {
  const { values, set } = filters;
  const onCompare = useCompare(values.compare, set);
  const onSort = useCallback((sort: string) => set({ sort }), [set]);
  const shared = {
    models: found,
    compared: values.compare,
    isFull: values.compare.length >= comparedMax,
    onCompare,
  };
  if (values.view === "table")
    return <PlazaTable {...shared} sort={values.sort} onSort={onSort} waiting={blockPlaceholder} />;
  if (values.view === "chart") return <Scatter models={found} filters={filters} waiting={blockPlaceholder} />;
  return <CardsWithStrips {...shared} />;
}

/** A page that stays open follows the day. */
const stripsEveryMs = 60_000;

/** The cards wait for no strip: each has room for its own. */
function CardsWithStrips(props: Omit<PlazaCardsProps, "strips">) {
  const { data } = useApiQuery("get /status", {}, { everyMs: stripsEveryMs });
  const strips = useMemo(() => new Map(data?.models.map(({ id, strip }) => [id, strip])), [data]);
  return <PlazaCards {...props} strips={strips} />;
}

/** Marks a model for comparison, while there is room. */
function useCompare(compared: readonly string[], set: PlazaFilters["set"]) {
  return useCallback(
    (id: string, isCompared: boolean) => {
      const others = compared.filter((one) => one !== id);
      set({ compare: isCompared ? [...others, id].slice(0, comparedMax) : others });
    },
    [compared, set],
  );
}
