/** Properties of dialogs and drawers, shared with their lazily loaded body. Types only. */
import type { ReactNode } from "react";

export interface DialogProps {
  readonly open: boolean;
  /** Escape, the cross, or a press beside it. */
  readonly onClose: () => void;
  readonly title: ReactNode;
  readonly children: ReactNode;
  /** Buttons at its foot. */
  readonly foot?: ReactNode;
  readonly wide?: boolean;
  /** Only a button inside closes it. */
  readonly mustAnswer?: boolean;
}

export interface DrawerProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: ReactNode;
  readonly children: ReactNode;
  readonly side?: "left" | "right";
  readonly foot?: ReactNode;
}
