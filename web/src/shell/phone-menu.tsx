/** The main menu as a drawer, for phones; loads when it is first opened. */
import type { ReactNode } from "react";
import { Drawer } from "../ui/dialog.tsx";

export interface PhoneMenuProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly children: ReactNode;
}

/** See `PhoneMenuProps`. */
export function PhoneMenu({ open, onClose, title, children }: PhoneMenuProps) {
  return (
    <Drawer open={open} onClose={onClose} title={title} side="left">
      {children}
    </Drawer>
  );
}
