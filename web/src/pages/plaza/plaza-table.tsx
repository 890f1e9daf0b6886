/** The models of the plaza as a table. */
import { useMemo } from "react";
import { Checkbox } from "../../ui/choices.tsx";
import { CopyButton } from "../../ui/code.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Duration, Percent, TokenCount } from "../../ui/figures.tsx";
import { Card } from "../../ui/surfaces.tsx";
import { plazaWords } from "../../words/pages/plaza.ts";
import { useWords } from "../../words/words.ts";
import { Capabilities, Deprecation, Modalities, ModelStatus } from "./model-facts.tsx";
import { Rate } from "./model-price.tsx";
import { modelPath } from "./plaza-card.tsx";
import type { PlazaModel } from "./plaza-filter.ts";

export interface PlazaTableProps {
  readonly models: readonly PlazaModel[];
  readonly compared: readonly string[];
  readonly onCompare: (id: string, isCompared: boolean) => void;
}

/** In the order given: sorting is the list's, in the URL. */
export function PlazaTable({ models, compared, onCompare }: PlazaTableProps) {
  const columns = useColumns(compared, onCompare);
  const say = useWords(plazaWords);
  return (
    <Card flush>
      <DataTable
        label={say("title")}
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
  const say = useWords(plazaWords);
  return useMemo(
    () => [
      {
        id: "name",
        header: say("model"),
        cell: (model) => <span dir="auto">{model.name}</span>,
        className: "sm:min-w-44",
      },
      {
        id: "id",
        header: say("id"),
        cell: (model) => (
          <span className="inline-flex items-center gap-1">
            <code className="text-[0.87em]">{model.id}</code>
            <span className="-my-1.5 print:hidden">
              <CopyButton text={model.id} label={say("copyId")} />
            </span>
          </span>
        ),
      },
      {
        id: "state",
        header: say("status.available"),
        cell: (model) => (
          <span className="flex flex-col gap-1">
            <ModelStatus model={model} />
            <Deprecation at={model.deprecatedAt} />
          </span>
        ),
      },
      {
        id: "context",
        header: say("context"),
        align: "end",
        cell: (model) => <TokenCount value={model.context} />,
      },
      {
        id: "output",
        header: say("maxOutputTokens"),
        align: "end",
        cell: (model) => <TokenCount value={model.maxOutput} />,
      },
      ...(["input", "cachedInput", "output"] as const).map(
        (name): Column<PlazaModel> => ({
          id: `rate-${name}`,
          header: say(`rate.${name}`),
          align: "end",
          cell: (model) => <RateCell model={model} name={name} />,
        }),
      ),
      { id: "kinds", header: say("modalities"), cell: (model) => <Modalities model={model} /> },
      { id: "can", header: say("can"), cell: (model) => <Capabilities model={model} /> },
      {
        id: "success",
        header: say("success"),
        align: "end",
        cell: (model) =>
          model.health === null ? (
            <span className="text-faint">{say("noTraffic")}</span>
          ) : (
            <Percent value={model.health.successRate} />
          ),
      },
      {
        id: "first",
        header: say("firstToken"),
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
        header: say("compare"),
        className: "print:hidden",
        cell: (model) => (
          <Checkbox
            label={<span className="sr-only">{say("compareThis", { name: model.name })}</span>}
            value={compared.includes(model.id)}
            onChange={(is) => onCompare(model.id, is)}
          />
        ),
      },
    ],
    [say, compared, onCompare],
  );
}

function RateCell({
  model,
  name,
}: {
  readonly model: PlazaModel;
  readonly name: "input" | "cachedInput" | "output";
}) {
  const say = useWords(plazaWords);
  if (model.price === null) return <span className="text-faint">{say("notPriced")}</span>;
  const rate = model.price[name];
  return rate === undefined ? <span className="text-faint">–</span> : <Rate value={rate} />;
}
