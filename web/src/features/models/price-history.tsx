/** What a model cost, costs and will cost. */
import { useMemo } from "react";
import { useApiQuery } from "../../api/queries.ts";
import type { Answer } from "../../api/routes.ts";
import { operatorModelsMessages } from "../../i18n/en/pages/operator-models.ts";
import { useMessages } from "../../i18n/messages.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { When } from "../../ui/figures.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { Card, StatusBadge, type Tone } from "../../ui/surfaces.tsx";
import { WholePrice } from "./price-text.tsx";

type PriceRow = Answer<"get /operator/models/{id}/prices">["prices"][number];

const tones: Record<PriceRow["state"], Tone> = {
  past: "neutral",
  current: "good",
  scheduled: "accent",
  overruled: "neutral",
};

/** Newest row first, as it was written. */
export function PriceHistory({ id }: { readonly id: string }) {
  const t = useMessages(operatorModelsMessages);
  const prices = useApiQuery("get /operator/models/{id}/prices", { params: { id } });
  const columns = useMemo(
    (): Column<PriceRow>[] => [
      {
        id: "from",
        header: t("validFrom"),
        cell: (row) => <When at={row.validFrom} as="exact" />,
        className: "sm:w-64",
      },
      {
        id: "state",
        header: t("state"),
        cell: (row) => <StatusBadge tone={tones[row.state]}>{t(`price.${row.state}`)}</StatusBadge>,
        className: "sm:w-40",
      },
      { id: "price", header: t("price"), cell: (row) => <WholePrice price={row.price} /> },
      { id: "id", header: t("priceRow"), align: "end", cell: (row) => row.id, className: "sm:w-24" },
    ],
    [t],
  );
  return (
    <Card flush>
      <p className="px-5 py-4 text-muted">{t("historyText")}</p>
      <DataTable
        label={t("tabHistory")}
        columns={columns}
        rows={prices.data?.prices}
        error={prices.error}
        onRetry={() => void prices.refetch()}
        rowId={(row) => String(row.id)}
        empty={<EmptyState title={t("historyEmpty")} />}
      />
    </Card>
  );
}
