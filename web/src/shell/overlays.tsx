/** What the keyboard brings up over every page: command palette and shortcuts; each loads when needed. */
import { useCallback, useEffect, useRef, useState } from "react";
import { lazyPart } from "../ui/lazy-part.tsx";
import { useGo } from "../ui/navigation.tsx";
import type { NavEntry } from "./menu-entries.ts";
import { isPaletteKey } from "./palette-key.ts";
import type { ShellKeys } from "./shell-keys.ts";

const { Part: Palette } = lazyPart(() =>
  import("../features/palette/palette.tsx").then((file) => file.Palette),
);
const { Part: ShortcutList } = lazyPart(() =>
  import("../features/palette/shortcut-list.tsx").then((file) => file.ShortcutList),
);

/**
 * Hears the keys of the palette from the first moment on; what others mean is read once that is loaded, in
 * the order in which they were pressed.
 */
function useKeys(keys: ShellKeys & { readonly onPalette: () => void }): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    let read: ((event: KeyboardEvent) => void) | undefined;
    const loaded = import("./shell-keys.ts").then(
      (file) => {
        read = file.createKeyReader(() => latest.current);
      },
      // Without a connection there are no shortcuts; the menu is there.
      () => undefined,
    );
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented) return;
      if (isPaletteKey(event)) {
        event.preventDefault();
        latest.current.onPalette();
      } else if (read !== undefined) read(event);
      else void loaded.then(() => read?.(event));
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, []);
}

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
  const go = useGo();
  useKeys({
    entries,
    go,
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
