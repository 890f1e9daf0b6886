/**
 * A list of acts behind a button. The list loads after the page; until then the button stands there alone,
 * and a press on it opens the list once it is there. Knows no page.
 */

import { cloneElement, lazy, Suspense, useState } from "react";
import type { MenuProps } from "./menu-props.ts";

const MenuBody = lazy(() => import("./menu-body.tsx").then((part) => ({ default: part.MenuBody })));

/** A list of acts behind a button. */
export function Menu(props: MenuProps) {
  const [isPressed, setPressed] = useState(false);
  return (
    <Suspense fallback={cloneElement(props.trigger, { onClick: () => setPressed(true) })}>
      <MenuBody {...props} isOpenAtFirst={isPressed} />
    </Suspense>
  );
}
