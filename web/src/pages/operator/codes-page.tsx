/** Batches of redemption codes. */
import { Ticket } from "lucide-react";
import { useMemo } from "react";
import { useApiPages } from "../../api/queries.ts";
import { type Batch, CodeExpiry, CodeStatus } from "../../features/codes/batch-cells.tsx";
import { CreateCodes } from "../../features/codes/create-codes.tsx";
import { operatorCodesMessages } from "../../i18n/en/pages/operator-codes.ts";
import { useMessages } from "../../i18n/messages.ts";
import type { Column } from "../../ui/data-table.tsx";
import { Money, When } from "../../ui/figures.tsx";
import { useFilters } from "../../ui/filter-bar.tsx";
import { ResourceList } from "../../ui/resource-list.tsx";

function useBatchColumns(): Column<Batch>[] {
  const t = useMessages(operatorCodesMessages);
  return useMemo(
    () => [
      {
        id: "batch",
        header: t("batch"),
        cell: (batch) => (
          <span className="block">
            <bdi className="block max-w-72">{batch.note === "" ? batch.id : batch.note}</bdi>
            <span className="block text-small font-normal text-muted">
              <When at={batch.createdAt} as="exact" />
              {batch.createdBy !== null && ` ${t("by")} ${batch.createdBy.name}`}
            </span>
          </span>
        ),
      },
      { id: "status", header: t("status"), cell: (batch) => <CodeStatus status={batch.status} /> },
      { id: "amount", header: t("amount"), align: "end", cell: (batch) => <Money value={batch.amount} /> },
      {
        id: "redeemed",
        header: t("redeemed"),
        align: "end",
        cell: (batch) => (
          <span className="figures">{t("redeemedOf", { redeemed: batch.redeemed, count: batch.codes })}</span>
        ),
      },
      { id: "expires", header: t("expires"), cell: (batch) => <CodeExpiry at={batch.expiresAt} /> },
    ],
    [t],
  );
}

const createDefaults = { new: "" };

/** With `?new=1` the form for new codes is open. */
export function CodesPage() {
  const t = useMessages(operatorCodesMessages);
  const creating = useFilters(createDefaults);
  const pages = useApiPages("get /operator/code-batches", {}, (page) => page.batches);
  return (
    <ResourceList
      title={t("title")}
      lead={t("lead")}
      create={{ label: t("create"), onPress: () => creating.set({ new: "1" }) }}
      columns={useBatchColumns()}
      pages={pages}
      rowId={(batch) => batch.id}
      rowTo={(batch) => `/operator/codes/${encodeURIComponent(batch.id)}`}
      none={{ title: t("emptyTitle"), text: t("emptyText"), icon: <Ticket /> }}
    >
      {creating.isFiltered && <CreateCodes onClose={creating.clear} />}
    </ResourceList>
  );
}
