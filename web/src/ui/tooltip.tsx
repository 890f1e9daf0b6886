/** A few more words about an element; they load after the page. Knows no page. */
import { lazy, type ReactElement, type ReactNode, Suspense } from "react";

const TooltipBody = lazy(() => import("./tooltip-body.tsx").then((part) => ({ default: part.TooltipBody })));

export interface TooltipProps {
  readonly text: ReactNode;
  /** The element it explains; must be able to take focus. */
  readonly children: ReactElement;
}

/** A few more words on hover and focus; never the only place of something needed. */
export function Tooltip(props: TooltipProps) {
  return (
    <Suspense fallback={props.children}>
      <TooltipBody {...props} />
    </Suspense>
  );
}
