/**
 * A list of acts behind a button. The list loads after the page; until then the button stands there alone,
 * and a press on it opens the list once it is there. Knows no page.
 */

import { cloneElement, useState } from "react";
import { lazyPart } from "../lazy-part.tsx";
import type { MenuProps } from "./menu-props.ts";

const { Part: MenuBody } = lazyPart(() => import("./menu-body.tsx").then((file) => file.MenuBody));

/** A list of acts behind a button. */
export function Menu(props: MenuProps) {
  const [isPressed, setPressed] = useState(false);
  return (
    <MenuBody
      {...props}
      isOpenAtFirst={isPressed}
      waiting={({ retry }) =>
        cloneElement(props.trigger, {
          onClick: () => {
            setPressed(true);
            retry();
          },
        })
      }
    />
  );
}
