/** The tooltip on Base UI; loaded by `tooltip.tsx`. Knows no page. */
import { Tooltip as BaseTooltip } from "@base-ui/react/tooltip";
import type { TooltipProps } from "./tooltip.tsx";

/** A few more words on hover and focus; never the only place of something needed. */
export function TooltipBody({ text, children }: TooltipProps) {
  return (
    <BaseTooltip.Root>
      <BaseTooltip.Trigger render={children} delay={300} />
      <BaseTooltip.Portal>
        <BaseTooltip.Positioner sideOffset={6} className="z-50">
          <BaseTooltip.Popup className="float-in max-w-xs rounded-lg bg-ink px-2.5 py-1.5 text-[0.87rem] text-page">
            {text}
          </BaseTooltip.Popup>
        </BaseTooltip.Positioner>
      </BaseTooltip.Portal>
    </BaseTooltip.Root>
  );
}
