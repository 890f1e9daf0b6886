/** Columns of the operator's list of models. */
import type { ShownModelDocument } from "@plaza/contract/api/catalog.ts";
import { type ReactNode, useMemo } from "react";
import { operatorModelsMessages } from "../../i18n/en/pages/operator-models.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Link } from "../../ui/button.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { When } from "../../ui/figures.tsx";
import { Badge, StatusBadge, type Tone } from "../../ui/surfaces.tsx";
import { Operations } from "../plaza/model-facts.tsx";
import { Rate } from "./price-text.tsx";
import { isEditable, type ListedRate } from "./pricing/draft.ts";
import { PriceCell, SelectCell } from "./pricing/price-cells.tsx";
import { SourceBadge } from "./source.tsx";

const tones: Record<ShownModelDocument["status"], Tone> = {
  available: "good",
  degraded: "warn",
  down: "bad",
  unpriced: "warn",
  unserved: "warn",
  disabled: "neutral",
};

interface NameCellProps {
  readonly model: ShownModelDocument;
  /** The row does not lead to the model's page. */
  readonly isLinked?: boolean;
}

function NameCell({ model, isLinked = false }: NameCellProps) {
  const name = <bdi>{model.name}</bdi>;
  return (
    <span className="block">
      <span className="flex flex-wrap items-center gap-x-2">
        {isLinked ? <Link to={`/operator/models/${encodeURIComponent(model.id)}`}>{name}</Link> : name}{" "}
        <SourceBadge source={model.source} /> <Operations model={model} />
      </span>
      {model.name !== model.id && (
        <span className="block font-mono text-[0.87em] font-normal text-muted">{model.id}</span>
      )}
    </span>
  );
}

/** True when the model is callable. */
export function ModelStatusBadge({ status }: Pick<ShownModelDocument, "status">) {
  const t = useMessages(operatorModelsMessages);
  return <StatusBadge tone={tones[status]}>{t(`status.${status}`)}</StatusBadge>;
}

function StatusCell({ model }: { readonly model: ShownModelDocument }) {
  const t = useMessages(operatorModelsMessages);
  return (
    <span>
      <ModelStatusBadge status={model.status} />
      {model.deprecated !== null && (
        <span className="block text-small text-warn">
          {t("deprecatedFrom")} <When at={model.deprecated} as="day" />
        </span>
      )}
    </span>
  );
}

function PriceMarks({ model }: { readonly model: ShownModelDocument }) {
  const t = useMessages(operatorModelsMessages);
  const next = model.scheduledPrices[0];
  return (
    <span className="flex flex-wrap gap-1 sm:justify-end">
      {model.price?.tiers !== undefined && <Badge>{t("tiered")}</Badge>}
      {next !== undefined && (
        <Badge tone="accent">{t("scheduled", { when: next.validFrom.slice(0, 10) })}</Badge>
      )}
    </span>
  );
}

function listedRate(model: ShownModelDocument, rate: ListedRate, none: string): ReactNode {
  return model.price === null ? (
    <span className="text-faint">{none}</span>
  ) : (
    <Rate value={model.price[rate]} />
  );
}

/** Kept between draws. `isPricing`: prices are fields, and models are selected. */
export function useModelColumns(isPricing: boolean): Column<ShownModelDocument>[] {
  const t = useMessages(operatorModelsMessages);
  return useMemo(() => {
    const rate = (model: ShownModelDocument, name: ListedRate) =>
      isPricing && isEditable(model) ? (
        <PriceCell model={model} rate={name} />
      ) : (
        listedRate(model, name, t("notAvailable"))
      );
    const select: Column<ShownModelDocument> = {
      id: "select",
      header: "",
      cell: (model) => <SelectCell model={model} />,
      className: "w-10",
    };
    return [
      ...(isPricing ? [select] : []),
      {
        id: "model",
        header: t("model"),
        phone: "head",
        cell: (model) => <NameCell model={model} isLinked={isPricing} />,
      },
      { id: "status", header: t("status"), cell: (model) => <StatusCell model={model} /> },
      { id: "input", header: t("input"), align: "end", cell: (model) => rate(model, "input") },
      {
        id: "output",
        header: t("output"),
        align: "end",
        cell: (model) => (
          <span>
            {rate(model, "output")}
            <PriceMarks model={model} />
          </span>
        ),
      },
      {
        id: "deployments",
        header: t("deployments"),
        cell: (model) => (
          <span className="text-muted">
            {[...new Set(model.deployments.map(({ upstream }) => upstream))].join(", ") || "–"}
          </span>
        ),
      },
    ];
  }, [t, isPricing]);
}
