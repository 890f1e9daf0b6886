/** Properties of menus, shared with their lazily loaded body. Types only. */
import type { ReactElement, ReactNode } from "react";

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
