/**
 * A list of acts behind a button. The list loads after the page; until then the button stands there alone, and a press on it opens
 * the list once it is there. Knows no page.
 */
import { cloneElement, lazy, type ReactElement, type ReactNode, Suspense, useState } from "react";

const MenuBody = lazy(() => import("./menu-body.tsx").then((part) => ({ default: part.MenuBody })));

/** One line of a menu: an act, or a link to a page of the console. */
export type MenuEntry =
  | {
      readonly label: ReactNode;
      readonly icon?: ReactNode;
      readonly onPick: () => void;
      readonly danger?: boolean;
      readonly disabled?: boolean;
    }
  | { readonly label: ReactNode; readonly icon?: ReactNode; readonly to: string }
  | {
      /** One of several; the chosen one is marked. */
      readonly group: string;
      readonly value: string;
      readonly choices: readonly { readonly value: string; readonly label: string }[];
      readonly onChoose: (value: string) => void;
    }
  | "line";

export interface MenuProps {
  /** The element that opens it: a Button or IconButton. */
  readonly trigger: ReactElement<{ readonly onClick?: () => void }>;
  readonly entries: readonly MenuEntry[];
  /** Above the entries. */
  readonly head?: ReactNode;
  readonly side?: "bottom" | "top" | "right";
  readonly align?: "start" | "end";
}

/** A list of acts behind a button. */
export function Menu(props: MenuProps) {
  const [isPressed, setPressed] = useState(false);
  return (
    <Suspense fallback={cloneElement(props.trigger, { onClick: () => setPressed(true) })}>
      <MenuBody {...props} isOpenAtFirst={isPressed} />
    </Suspense>
  );
}
