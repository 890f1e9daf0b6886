/** Models that have limits of their own: they are in the catalog the page has read already. */
import { useMemo, useState } from "react";
import type { Answer } from "../../api/routes.ts";
import { operatorLimitsMessages } from "../../i18n/en/pages/operator-limits.ts";
import { useMessages } from "../../i18n/messages.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { Card } from "../../ui/surfaces.tsx";
import { limitColumns, limitNames } from "./columns.tsx";

export type CatalogModel = Answer<"get /operator/catalog">["models"][number];

const pageRows = 50;

interface LimitedModelsProps {
  /** A part of the name or the id; "" for all. */
  readonly search: string;
  readonly models: readonly CatalogModel[];
}

/** See above. */
export function LimitedModels({ search, models }: LimitedModelsProps) {
  const t = useMessages(operatorLimitsMessages);
  const [shown, setShown] = useState(pageRows);
  const rows = useMemo(() => {
    const sought = search.toLowerCase();
    return models.filter(
      ({ id, name, limits }) =>
        limitNames.some((kind) => limits[kind] !== null) &&
        [id, name].some((text) => text.toLowerCase().includes(sought)),
    );
  }, [models, search]);
  const columns = useMemo(
    (): Column<CatalogModel>[] => [
      {
        id: "model",
        header: t("model"),
        cell: (row) => (
          <span className="block max-w-80">
            <bdi className="block truncate">{row.name}</bdi>
            <span className="block truncate font-mono text-small font-normal text-muted">{row.id}</span>
          </span>
        ),
        sortBy: (row) => row.name,
      },
      ...limitColumns<CatalogModel>(t, () => t("none")),
    ],
    [t],
  );
  return (
    <Card title={t("models")} flush>
      <DataTable
        sortIn="modelSort"
        label={t("models")}
        columns={columns}
        rows={rows.slice(0, shown)}
        rowId={(row) => row.id}
        rowTo={(row) => `/operator/models/${encodeURIComponent(row.id)}`}
        hasMore={rows.length > shown}
        onMore={() => setShown(shown + pageRows)}
        empty={
          search === "" ? (
            <EmptyState title={t("noModels")}>{t("noModelsText")}</EmptyState>
          ) : (
            <EmptyState title={t("noneFound")} />
          )
        }
      />
    </Card>
  );
}
