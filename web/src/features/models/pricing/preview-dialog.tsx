/** What the changed prices do, before they are saved: old and new, margins, and the last 30 days. */
import type { PriceDocument, ShownModelDocument } from "@plaza/contract/api/catalog.ts";
import { useMemo, useState } from "react";
import { useApiQuery } from "../../../api/queries.ts";
import { decimalOf, formatMoney, nanosOf } from "../../../format/money.ts";
import { operatorPricesMessages } from "../../../i18n/en/pages/operator-prices.ts";
import { useMessages } from "../../../i18n/messages.ts";
import { Button } from "../../../ui/button.tsx";
import { type Column, DataTable } from "../../../ui/data-table.tsx";
import { Money } from "../../../ui/figures.tsx";
import { Dialog } from "../../../ui/overlays/dialog.tsx";
import { Notice } from "../../../ui/surfaces.tsx";
import {
  isOutdated,
  type ListedRate,
  type PriceDraft,
  rebased,
  upstreamCost,
  withoutDrafts,
} from "./draft.ts";
import { amountAt, percentText, rateEffect, type UsedTokens } from "./effect.ts";
import { draftStore, useDrafts } from "./use-pricing.ts";

const dayMs = 24 * 60 * 60_000;
/** Usage is summed per half hour. */
const grainMs = 30 * 60_000;

interface Row {
  readonly id: string;
  readonly draft: PriceDraft;
  readonly model: ShownModelDocument | undefined;
  readonly cost: PriceDocument | null;
  /** Undefined while it is not known. */
  readonly used: UsedTokens | null | undefined;
}

/** Usage of the last 30 days by model. */
function useUsage() {
  const [range] = useState(() => {
    const toMs = Math.ceil(Date.now() / grainMs) * grainMs;
    return { from: new Date(toMs - 30 * dayMs).toISOString(), to: new Date(toMs).toISOString() };
  });
  return useApiQuery("get /operator/usage", { query: { ...range, by: "model" } });
}

interface PreviewDialogProps {
  readonly models: readonly ShownModelDocument[];
  readonly onClose: () => void;
}

/** Open while it is drawn. */
export function PreviewDialog({ models, onClose }: PreviewDialogProps) {
  const t = useMessages(operatorPricesMessages);
  const drafts = useDrafts();
  const usage = useUsage();
  const rows = useMemo(
    () =>
      [...drafts].map(([id, draft]): Row => {
        const used = usage.data?.rows.find(({ model }) => model === id);
        return {
          id,
          draft,
          model: models.find((one) => one.id === id),
          cost: upstreamCost(draft.base),
          used: usage.data === undefined ? undefined : (used ?? null),
        };
      }),
    [drafts, models, usage.data],
  );
  return (
    <Dialog open onClose={onClose} title={t("previewTitle")} wide>
      <p className="text-muted">{t("previewText")}</p>
      {rows.map(({ id, draft, model }) =>
        isOutdated(draft, model) ? <Decide key={id} id={id} model={model} /> : null,
      )}
      {usage.isError && <Notice tone="warn">{t("usageFailed")}</Notice>}
      <Effects rows={rows} />
    </Dialog>
  );
}

/** Another user changed the model: ours on top of theirs, or theirs. */
function Decide({ id, model }: { readonly id: string; readonly model: ShownModelDocument | undefined }) {
  const t = useMessages(operatorPricesMessages);
  const price = model?.price;
  const amount = (rate: ListedRate) => (price == null ? t("none") : formatMoney(price[rate]));
  return (
    <Notice
      tone="warn"
      title={`${id}: ${t("changedMeanwhile")}`}
      action={
        <>
          {model !== undefined && (
            <Button size="small" onClick={() => draftStore.change((drafts) => rebased(drafts, model))}>
              {t("keepMine")}
            </Button>
          )}
          <Button size="small" onClick={() => draftStore.change((drafts) => withoutDrafts(drafts, [id]))}>
            {t("takeTheirs")}
          </Button>
        </>
      }
    >
      {model === undefined ? t("gone") : t("nowPrice", { input: amount("input"), output: amount("output") })}
    </Notice>
  );
}

function Effects({ rows }: { readonly rows: readonly Row[] }) {
  const t = useMessages(operatorPricesMessages);
  const columns = useMemo(
    (): Column<Row>[] => [
      { id: "model", header: t("model"), cell: ({ id }) => <bdi>{id}</bdi> },
      { id: "input", header: t("input"), align: "end", cell: (row) => <RateChange row={row} rate="input" /> },
      {
        id: "output",
        header: t("output"),
        align: "end",
        cell: (row) => <RateChange row={row} rate="output" />,
      },
      {
        id: "others",
        header: t("otherRates"),
        cell: ({ draft }) => t(hasOthers(draft) ? "otherChanged" : "otherSame"),
      },
      { id: "usage", header: t("usage"), align: "end", cell: (row) => <UsageChange rows={[row]} /> },
    ],
    [t],
  );
  return (
    <div className="-mx-5">
      <DataTable label={t("previewTitle")} columns={columns} rows={rows} rowId={({ id }) => id} />
      {rows.length > 1 && (
        <p className="flex justify-between gap-4 px-5 pt-3 font-medium">
          <span>
            {t("usage")}, {t("total")}
          </span>
          <UsageChange rows={rows} />
        </p>
      )}
    </div>
  );
}

/** True when something beside the two listed rates is another. */
function hasOthers({ base, price }: PriceDraft): boolean {
  const { input: _, output: __, ...others } = price;
  const { input: ___, output: ____, ...former } = base.price ?? { input: "", output: "" };
  return JSON.stringify(others) !== JSON.stringify(former);
}

function RateChange({ row, rate }: { readonly row: Row; readonly rate: ListedRate }) {
  const t = useMessages(operatorPricesMessages);
  const before = row.draft.base.price?.[rate] ?? null;
  const after = row.draft.price[rate].trim();
  const isChanged = before === null || nanosOf(before) !== nanosOf(after);
  const { change, markup, isLoss } = rateEffect(before, after, row.cost?.[rate] ?? null);
  return (
    <span className="figures block">
      <span className="whitespace-nowrap">
        {isChanged && (
          <span className="text-muted">{before === null ? t("none") : formatMoney(before)} → </span>
        )}
        <span className={isChanged ? "font-medium" : "text-muted"}>{formatMoney(after)}</span>
      </span>
      {isChanged && change !== null && <span className="block text-small text-muted">{change}%</span>}
      {markup !== null && (
        <span className={isLoss ? "block text-small text-bad" : "block text-small text-muted"}>
          {t(isLoss ? "belowCost" : "margin", { percent: markup.slice(1) })}
        </span>
      )}
    </span>
  );
}

/** What the tokens come to at the old and at the new prices. */
function UsageChange({ rows }: { readonly rows: readonly Row[] }) {
  const t = useMessages(operatorPricesMessages);
  if (rows.some(({ used }) => used === undefined)) return <span className="text-faint">…</span>;
  if (rows.every(({ used }) => used === null)) return <span className="text-faint">{t("noUsage")}</span>;
  let [before, after] = [0n, 0n];
  for (const { draft, used } of rows) {
    if (used == null) continue;
    if (draft.base.price !== null) before += amountAt(draft.base.price, used);
    after += amountAt(draft.price, used);
  }
  const change = percentText(after - before, before);
  return (
    <span className="figures block">
      <span className="whitespace-nowrap">
        <Money value={decimalOf(before)} /> → <Money value={decimalOf(after)} />
      </span>
      {change !== null && <span className="block text-small text-muted">{change}%</span>}
    </span>
  );
}
