/**
 * Stacked areas over time, with every figure of a span in reach. The drawing library loads when first seen.
 */
import { uiMessages } from "../../i18n/en/ui.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Button } from "../button.tsx";
import { lazyPart } from "../lazy-part.tsx";
import { Skeleton } from "../states.tsx";
import type { AreaChartProps } from "./area-props.ts";

const { Part: AreaDrawing } = lazyPart(() => import("./area-drawing.tsx").then((file) => file.AreaDrawing));

/** See `AreaChartProps`. Give `areas`, `marks` and `outlook` by `useMemo`: others are drawn anew. */
export function AreaChart(props: AreaChartProps) {
  const t = useMessages(uiMessages);
  return (
    <figure className="min-w-0" aria-label={props.label}>
      <AreaDrawing
        {...props}
        waiting={({ hasFailed, retry }) =>
          hasFailed ? (
            <div className="flex h-[19rem] items-center justify-center rounded-lg bg-sunken">
              <Button onClick={retry}>{t("retry")}</Button>
            </div>
          ) : (
            <Skeleton className="h-[19rem] w-full" />
          )
        }
      />
    </figure>
  );
}
