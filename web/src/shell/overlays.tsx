/** What the keyboard brings up over every page: command palette and shortcuts; each loads when needed. */
import { useCallback, useState } from "react";
import { lazyPart } from "../ui/lazy-part.tsx";
import type { NavEntry } from "./menu-entries.ts";
import { useShellKeys } from "./use-shell-keys.ts";

const { Part: Palette } = lazyPart(() =>
  import("../features/palette/palette.tsx").then((file) => file.Palette),
);
const { Part: ShortcutList } = lazyPart(() =>
  import("../features/palette/shortcut-list.tsx").then((file) => file.ShortcutList),
);

type Shown = "palette" | "shortcuts" | null;

/** Gives what opens the palette, and what to draw once in the frame. */
export function useOverlays(entries: readonly NavEntry[]) {
  const [shown, setShown] = useState<Shown>(null);
  // Stays drawn, so that it can fade out.
  const [opened, setOpened] = useState<readonly Shown[]>([]);
  const open = useCallback((next: Shown) => {
    setShown(next);
    setOpened((former) => (former.includes(next) ? former : [...former, next]));
  }, []);
  const openPalette = useCallback(() => open("palette"), [open]);
  const openShortcuts = useCallback(() => open("shortcuts"), [open]);
  const close = useCallback(() => setShown(null), []);
  useShellKeys({
    entries,
    onPalette: shown === "palette" ? close : openPalette,
    onHelp: openShortcuts,
  });
  const drawn = (
    <>
      {opened.includes("palette") && (
        <Palette open={shown === "palette"} onClose={close} onShortcuts={openShortcuts} />
      )}
      {opened.includes("shortcuts") && <ShortcutList open={shown === "shortcuts"} onClose={close} />}
    </>
  );
  return { openPalette, drawn };
}
