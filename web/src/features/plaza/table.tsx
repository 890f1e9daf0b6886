/** The models of the plaza as a table. */
import { useMemo } from "react";
import { plazaMessages } from "../../i18n/en/pages/plaza.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Copyable } from "../../ui/code.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Duration, Percent, TokenCount } from "../../ui/figures.tsx";
import { Checkbox } from "../../ui/inputs/choices.tsx";
import { Card } from "../../ui/surfaces.tsx";
import { modelPath } from "./card.tsx";
import type { PlazaModel } from "./filter.ts";
import { Capabilities, Deprecation, Modalities, ModelStatus, Operations } from "./model-facts.tsx";
import { RateOf } from "./model-price.tsx";

export interface PlazaTableProps {
  readonly models: readonly PlazaModel[];
  readonly compared: readonly string[];
  readonly onCompare: (id: string, isCompared: boolean) => void;
}

/** In the order given: sorting is the list's, in the URL. */
export function PlazaTable({ models, compared, onCompare }: PlazaTableProps) {
  const columns = useColumns(compared, onCompare);
  const t = useMessages(plazaMessages);
  return (
    <Card flush>
      <DataTable
        label={t("title")}
        columns={columns}
        rows={models}
        rowId={(model) => model.id}
        rowTo={(model) => modelPath(model.id)}
      />
    </Card>
  );
}

function useColumns(
  compared: readonly string[],
  onCompare: PlazaTableProps["onCompare"],
): readonly Column<PlazaModel>[] {
  const t = useMessages(plazaMessages);
  return useMemo(
    () => [
      {
        id: "name",
        header: t("model"),
        className: "sm:min-w-44",
        cell: (model) => (
          <>
            <span dir="auto" title={model.name} className="line-clamp-3">
              {model.name}
            </span>
            {model.family !== null && (
              <span className="block max-w-52 truncate text-small font-normal text-faint">
                {model.family}
              </span>
            )}
            <Operations model={model} />
          </>
        ),
      },
      {
        id: "id",
        header: t("id"),
        cell: (model) => (
          <span className="-my-1.5 flex max-w-56 flex-col items-start print:max-w-none">
            <Copyable text={model.id} label={t("copyId")} />
            {model.status !== "available" && <ModelStatus model={model} />}
            <Deprecation at={model.deprecatedAt} />
          </span>
        ),
      },
      {
        id: "context",
        header: t("contextAndOutput"),
        align: "end",
        cell: (model) => (
          <span className="whitespace-nowrap">
            <TokenCount value={model.context} /> / <TokenCount value={model.maxOutput} />
          </span>
        ),
      },
      ...(["input", "cachedInput", "output"] as const).map(
        (name): Column<PlazaModel> => ({
          id: `rate-${name}`,
          header: t(`rate.${name}`),
          align: "end",
          cell: (model) => <RateOf price={model.price} name={name} />,
        }),
      ),
      { id: "kinds", header: t("modalities"), cell: (model) => <Modalities model={model} isShort /> },
      {
        id: "can",
        header: t("can"),
        className: "sm:min-w-44",
        cell: (model) => <Capabilities model={model} />,
      },
      {
        id: "success",
        header: t("success"),
        align: "end",
        cell: (model) =>
          model.health === null ? (
            <span className="text-faint">{t("noTraffic")}</span>
          ) : (
            <Percent value={model.health.successRate} />
          ),
      },
      {
        id: "first",
        header: t("firstToken"),
        align: "end",
        cell: (model) =>
          model.health?.firstTokenMs == null ? (
            <span className="text-faint">–</span>
          ) : (
            <Duration ms={model.health.firstTokenMs.p50} />
          ),
      },
      {
        id: "compare",
        header: t("compare"),
        className: "print:hidden",
        cell: (model) => (
          <Checkbox
            label={<span className="sr-only">{t("compareThis", { name: model.name })}</span>}
            value={compared.includes(model.id)}
            onChange={(is) => onCompare(model.id, is)}
          />
        ),
      },
    ],
    [t, compared, onCompare],
  );
}
