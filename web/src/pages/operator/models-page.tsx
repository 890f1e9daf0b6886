/**
 * Models and prices: the catalog as a table that stays quick with
 * thousands of rows, and the way to add to it.
 */

import type { ShownModelDocument } from "@plaza/contract/api/catalog.ts";
import { catalogStatuses } from "@plaza/contract/catalog.ts";
import { operationNames } from "@plaza/contract/operations.ts";
import { Boxes, CircleDollarSign, Plus } from "lucide-react";
import { useMemo, useState } from "react";
import { useFreshStatuses } from "../../api/fresh-status.ts";
import { useApiQuery } from "../../api/queries.ts";
import type { Answer } from "../../api/routes.ts";
import { useModelColumns } from "../../features/models/columns.tsx";
import { filterModels, type ModelFilters } from "../../features/models/filters.ts";
import { useDrafts } from "../../features/models/pricing/use-pricing.ts";
import { operationMessages } from "../../i18n/en/operations.ts";
import { operatorModelsMessages } from "../../i18n/en/pages/operator-models.ts";
import { operatorPricesMessages } from "../../i18n/en/pages/operator-prices.ts";
import { useMessages } from "../../i18n/messages.ts";
import { pageTo } from "../../shell/page-search.ts";
import { Button, Link } from "../../ui/button.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import { FilterBar, useFilters } from "../../ui/filter-bar.tsx";
import { Select } from "../../ui/inputs/choices.tsx";
import { MultiSelect } from "../../ui/inputs/multi-select.tsx";
import { SearchBox } from "../../ui/inputs/search-box.tsx";
import { Later } from "../../ui/later.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { EmptyState, ErrorState, Loaded, Skeleton } from "../../ui/states.tsx";
import { Card, PageHeader } from "../../ui/surfaces.tsx";

// Forms load after the page.
const { Part: NewModel } = lazyPart(() =>
  import("../../features/models/new-model.tsx").then((file) => file.NewModel),
);

// Loads once prices are changed.
const loadBars = () => import("../../features/models/pricing/pricing-bars.tsx");
const { Part: SelectionBar } = lazyPart(() => loadBars().then((file) => file.SelectionBar));
const { Part: SaveBar } = lazyPart(() => loadBars().then((file) => file.SaveBar));

type Catalog = Answer<"get /operator/catalog">;

const defaults = {
  q: "",
  source: [] as readonly string[],
  status: [] as readonly string[],
  upstream: [] as readonly string[],
  operation: [] as readonly string[],
  sort: "",
};
const viewDefaults = { view: "", edit: "" };
const pageRows = 100;

/**
 * With `?view=new` it shows the form for a new model instead, with `?edit=prices` prices are changed in the
 * list.
 */
export function ModelsPage() {
  const catalog = useApiQuery("get /operator/catalog", {});
  const { values } = useFilters(viewDefaults);
  if (values.view === "new")
    return <Loaded query={catalog}>{(value) => <NewModel catalog={value} />}</Loaded>;
  return <ModelList catalog={catalog.data} error={catalog.error} onRetry={() => void catalog.refetch()} />;
}

interface ModelListProps {
  readonly catalog: Catalog | undefined;
  readonly error: unknown;
  readonly onRetry: () => void;
}

function ModelList({ catalog, error, onRetry }: ModelListProps) {
  const t = useMessages(operatorModelsMessages);
  const tPrices = useMessages(operatorPricesMessages);
  const filters = useFilters(defaults);
  const view = useFilters(viewDefaults);
  // What is not saved stays in sight.
  const hasDrafts = useDrafts().size > 0;
  const isPricing = view.values.edit === "prices" || hasDrafts;
  return (
    <>
      <PageHeader
        title={t("title")}
        actions={
          <>
            {!hasDrafts && (
              <Button
                icon={<CircleDollarSign aria-hidden className="size-4" />}
                onClick={() => view.set({ edit: isPricing ? "" : "prices" })}
              >
                {tPrices(isPricing ? "done" : "change")}
              </Button>
            )}
            <Link
              to={pageTo("/operator/models", { view: "new" })}
              variant="plain"
              icon={<Plus aria-hidden className="size-4" />}
            >
              {t("add")}
            </Link>
            <Link to={pageTo("/operator/upstreams", { view: "connect" })} variant="primary">
              {t("connect")}
            </Link>
          </>
        }
      >
        {t("lead")}
      </PageHeader>
      <Later placeholder={<Placeholder isPricing={isPricing} />}>
        {catalog?.models.length !== 0 && <ModelFilterBar catalog={catalog} filters={filters} />}
        {catalog !== undefined ? (
          <Later placeholder={<NoRowsYet isPricing={isPricing} />}>
            <FoundModels catalog={catalog} filters={filters.values} isPricing={isPricing} />
          </Later>
        ) : error !== null ? (
          <ErrorState error={error} onRetry={onRetry} />
        ) : (
          <NoRowsYet isPricing={isPricing} />
        )}
      </Later>
      {catalog !== undefined && hasDrafts && <SaveBar models={catalog.models} />}
    </>
  );
}

interface FoundModelsProps {
  readonly catalog: Catalog;
  readonly filters: ModelFilters;
  /** Rows hold fields then, and lead nowhere. */
  readonly isPricing: boolean;
}

/** What the filters leave. */
function FoundModels({ catalog, filters, isPricing }: FoundModelsProps) {
  const t = useMessages(operatorModelsMessages);
  const columns = useModelColumns(isPricing);
  const models = useFreshStatuses(catalog.models);
  const found = useMemo(() => filterModels(models, filters), [models, filters]);
  const all = models.length;
  return (
    <Card flush>
      {isPricing && <SelectionBar shown={found} />}
      <CountLine>
        {found.length === all ? t("count", { count: all }) : t("countOf", { shown: found.length, all })}
      </CountLine>
      <ShownModels
        key={JSON.stringify(filters)}
        rows={found}
        columns={columns}
        isEmpty={all === 0}
        isPricing={isPricing}
      />
    </Card>
  );
}

function CountLine({ children }: { readonly children: string }) {
  return (
    <p className="px-5 py-2.5 text-small text-muted" aria-live="polite">
      {children}
    </p>
  );
}

/** The filters, in as many lines as they take, and the table. */
function Placeholder({ isPricing }: Pick<FoundModelsProps, "isPricing">) {
  return (
    <>
      <Skeleton className="mb-4 h-[2.4rem] w-full rounded-lg sm:max-[1344px]:h-[5.3rem]" />
      <NoRowsYet isPricing={isPricing} />
    </>
  );
}

/** The table before its rows are there. */
function NoRowsYet({ isPricing }: Pick<FoundModelsProps, "isPricing">) {
  const t = useMessages(operatorModelsMessages);
  return (
    <Card flush>
      <CountLine>{"\u00a0"}</CountLine>
      <DataTable label={t("title")} columns={useModelColumns(isPricing)} rowId={() => ""} skeletonRows={12} />
    </Card>
  );
}

interface ShownModelsProps {
  readonly rows: readonly ShownModelDocument[];
  readonly columns: ReturnType<typeof useModelColumns>;
  readonly isEmpty: boolean;
  readonly isPricing: boolean;
}

/** Draws a hundred at a time. */
function ShownModels({ rows, columns, isEmpty, isPricing }: ShownModelsProps) {
  const t = useMessages(operatorModelsMessages);
  const [shown, setShown] = useState(pageRows);
  const visible = useMemo(() => rows.slice(0, shown), [rows, shown]);
  return (
    <DataTable
      label={t("title")}
      columns={columns}
      rows={visible}
      rowId={(row) => row.id}
      rowTo={isPricing ? undefined : (row) => `/operator/models/${encodeURIComponent(row.id)}`}
      hasMore={rows.length > shown}
      onMore={() => setShown(shown + pageRows)}
      empty={
        isEmpty ? (
          <EmptyState
            icon={<Boxes />}
            title={t("emptyTitle")}
            action={
              <Link to={pageTo("/operator/upstreams", { view: "connect" })} variant="primary">
                {t("connect")}
              </Link>
            }
          >
            {t("emptyText")}
          </EmptyState>
        ) : (
          <EmptyState title={t("noMatchTitle")} />
        )
      }
    />
  );
}

interface ModelFilterBarProps {
  readonly catalog: Catalog | undefined;
  readonly filters: ReturnType<typeof useFilters<typeof defaults>>;
}

function ModelFilterBar({ catalog, filters }: ModelFilterBarProps) {
  const t = useMessages(operatorModelsMessages);
  const tOperation = useMessages(operationMessages);
  const { values, set } = filters;
  return (
    <FilterBar isFiltered={filters.isFiltered} onClear={filters.clear}>
      <SearchBox label={t("search")} value={values.q} onChange={(q) => set({ q })} />
      <MultiSelect
        label={t("source")}
        className="sm:w-36"
        value={values.source}
        onChange={(source) => set({ source })}
        choices={(["console", "file", "demo"] as const).map((value) => ({
          value,
          label: t(`source.${value}`),
        }))}
      />
      <MultiSelect
        label={t("status")}
        className="sm:w-36"
        value={values.status}
        onChange={(status) => set({ status })}
        choices={catalogStatuses.map((value) => ({
          value,
          label: t(`status.${value}`),
        }))}
      />
      <MultiSelect
        label={t("upstream")}
        className="sm:w-40"
        value={values.upstream}
        onChange={(upstream) => set({ upstream })}
        choices={(catalog?.upstreams ?? []).map(({ id }) => ({ value: id, label: id }))}
      />
      <MultiSelect
        label={tOperation("operation")}
        className="sm:w-40"
        value={values.operation}
        onChange={(operation) => set({ operation })}
        choices={operationNames.map((value) => ({ value, label: tOperation(`operation.${value}`) }))}
      />
      <Select
        label={t("sort")}
        className="sm:w-48"
        value={values.sort}
        onChange={(sort) => set({ sort })}
        choices={(["id", "name", "cheap", "dear", "new"] as const).map((sort) => ({
          value: sort === "id" ? "" : sort,
          label: t(`sort.${sort}`),
        }))}
      />
    </FilterBar>
  );
}
