/** The model plaza: every model, found by filters whose state is the URL, as cards or a table. */
import { PackageOpen, SearchX } from "lucide-react";
import { useCallback, useDeferredValue, useMemo } from "react";
import { useFreshStatuses } from "../../api/fresh-status.ts";
import { useApiQuery } from "../../api/queries.ts";
import { PlazaCard } from "../../features/plaza/card.tsx";
import { CompareBar } from "../../features/plaza/compare-bar.tsx";
import { findModels, type PlazaModel, plazaDefaults } from "../../features/plaza/filter.ts";
import { PlazaFilterBar, type PlazaFilters } from "../../features/plaza/filters.tsx";
import { PlazaTable } from "../../features/plaza/table.tsx";
import { useLightPrint, useRevealed } from "../../features/plaza/use-revealed.ts";
import { formatCount } from "../../format/count.ts";
import { plazaMessages } from "../../i18n/en/pages/plaza.ts";
import { useLanguage } from "../../i18n/language.ts";
import { useMessages } from "../../i18n/messages.ts";
import { useSession } from "../../shell/session.ts";
import { Button, Link } from "../../ui/button.tsx";
import { Copyable } from "../../ui/code.tsx";
import { When } from "../../ui/figures.tsx";
import { useFilters } from "../../ui/filter-bar.tsx";
import { EmptyState, Loaded, Skeleton } from "../../ui/states.tsx";
import { PageHeader } from "../../ui/surfaces.tsx";

/** The page. */
export function PlazaPage() {
  const t = useMessages(plazaMessages);
  const { installation } = useSession();
  const plaza = useApiQuery("get /plaza", {}, { everyMs: 60_000 });
  useLightPrint();
  return (
    <>
      <PageHeader title={t("title")}>
        <p>{t("lead")}</p>
        <p className="mt-1 flex flex-wrap items-center gap-x-2">
          {t("baseUrl")}
          <Copyable text={installation.baseUrl} label={t("copyBaseUrl")} />
        </p>
      </PageHeader>
      <Loaded query={plaza} skeleton={<CardSkeletons />}>
        {({ models, asOf }) =>
          models.length === 0 ? <NoModels /> : <ModelList models={models} asOf={asOf} />
        }
      </Loaded>
    </>
  );
}

function CardSkeletons() {
  return (
    <div className="grid grid-cols-[repeat(auto-fill,minmax(min(21rem,100%),1fr))] gap-4">
      {[1, 2, 3, 4, 5, 6].map((at) => (
        <Skeleton key={at} className="h-64 w-full rounded-xl" />
      ))}
    </div>
  );
}

function NoModels() {
  const t = useMessages(plazaMessages);
  const { user } = useSession();
  return (
    <EmptyState
      icon={<PackageOpen />}
      title={t("emptyTitle")}
      action={
        user?.isOperator === true && (
          <Link to="/operator/upstreams" variant="primary">
            {t("connect")}
          </Link>
        )
      }
    >
      {user?.isOperator === true ? undefined : t("emptyText")}
    </EmptyState>
  );
}

function ModelList({
  models: read,
  asOf,
}: {
  readonly models: readonly PlazaModel[];
  readonly asOf: string;
}) {
  const models = useFreshStatuses(read);
  const t = useMessages(plazaMessages);
  const language = useLanguage();
  const filters = useFilters(plazaDefaults);
  const values = useDeferredValue(filters.values);
  const found = useMemo(() => findModels(models, values), [models, values]);
  return (
    <>
      <PlazaFilterBar filters={filters} models={models} />
      <p role="status" className="mb-3 text-body text-muted">
        {t("found", {
          found: formatCount(found.length, language),
          all: formatCount(models.length, language),
        })}
        <span className="text-faint">
          {" · "}
          {t("priceUnit")}
          {" · "}
          {t("asOf")} <When at={asOf} as="exact" />
        </span>
      </p>
      {found.length === 0 ? (
        <EmptyState
          icon={<SearchX />}
          title={t("noneTitle")}
          action={
            <Button onClick={() => filters.set({ ...plazaDefaults, view: filters.values.view })}>
              {t("clearAll")}
            </Button>
          }
        >
          {t("noneText")}
        </EmptyState>
      ) : (
        <FoundModels found={found} filters={filters} />
      )}
      <CompareBar models={models} filters={filters} />
    </>
  );
}

function FoundModels({
  found,
  filters,
}: {
  readonly found: readonly PlazaModel[];
  readonly filters: PlazaFilters;
}) {
  const t = useMessages(plazaMessages);
  const { values, set } = filters;
  const revealed = useRevealed(found, JSON.stringify({ ...values, compare: undefined }));
  const onCompare = useCompare(values.compare, set);
  return (
    <>
      {values.view === "table" ? (
        <PlazaTable models={revealed.rows} compared={values.compare} onCompare={onCompare} />
      ) : (
        <div className="grid grid-cols-[repeat(auto-fill,minmax(min(21rem,100%),1fr))] gap-4">
          {revealed.rows.map((model) => (
            <PlazaCard
              key={model.id}
              model={model}
              isCompared={values.compare.includes(model.id)}
              onCompare={onCompare}
            />
          ))}
        </div>
      )}
      {revealed.left > 0 && (
        <div ref={revealed.endRef} className="flex flex-col items-center gap-2 py-6">
          <Button className="print:hidden" onClick={revealed.more}>
            {t("more")}
          </Button>
          <span className="text-small text-faint">{t("moreLeft", { count: revealed.left })}</span>
        </div>
      )}
    </>
  );
}

/** Marks a model for comparison; of more than two the one marked first goes. */
function useCompare(compared: readonly string[], set: PlazaFilters["set"]) {
  return useCallback(
    (id: string, isCompared: boolean) => {
      const others = compared.filter((one) => one !== id);
      set({ compare: isCompared ? [...others, id].slice(-2) : others });
    },
    [compared, set],
  );
}
