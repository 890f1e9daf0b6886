/** Listens to the keyboard for the whole console: the command palette and single-key shortcuts. */
import { useEffect, useRef } from "react";
import { useGo } from "../ui/navigation.tsx";
import { isCurrent, type NavEntry } from "./menu-entries.ts";
import { areShortcutsOn, isPaletteKey, type KeyAct, nothingPending, readKey } from "./shortcuts.ts";

export interface ShellKeys {
  /** Pages of this session. */
  readonly entries: readonly NavEntry[];
  readonly onPalette: () => void;
  readonly onHelp: () => void;
}

const fields = "input:not([type=checkbox], [type=radio], [type=button]), textarea, select, [contenteditable]";
/** What takes letters itself, and what lies over the page. */
const takers = "[role=menu], [role=listbox], [role=combobox], [role=tree], [role=grid]";
const overlays = "[role=dialog], [role=alertdialog], [role=menu]";

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(`${fields}, ${takers}`) !== null;
}

/** Where `n` leads: the form of the page that is shown, or of the one above it. */
function createOn(entries: readonly NavEntry[], pathname: string): string | undefined {
  return entries.find(({ to, create }) => create !== undefined && isCurrent(to, pathname))?.create;
}

function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>("main input[type=search]");
  field?.focus();
  field?.select();
  return field !== null;
}

/** Once, in the frame. */
export function useShellKeys(keys: ShellKeys): void {
  const go = useGo();
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    let pending = nothingPending;
    const perform = (act: KeyAct): boolean => {
      const { entries, onHelp } = latest.current;
      const to =
        act.kind === "go"
          ? entries.find(({ letter }) => letter === act.letter)?.to
          : act.kind === "new"
            ? createOn(entries, location.pathname)
            : undefined;
      if (to !== undefined) go(to);
      else if (act.kind === "help") onHelp();
      else return act.kind === "search" && focusSearch();
      return true;
    };
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented) return;
      if (isPaletteKey(event)) {
        event.preventDefault();
        latest.current.onPalette();
        return;
      }
      if (!areShortcutsOn() || isTyping(event.target) || document.querySelector(overlays) !== null) {
        pending = nothingPending;
        return;
      }
      const read = readKey(pending, event, event.timeStamp);
      pending = read.pending;
      if (read.act !== null && perform(read.act)) event.preventDefault();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [go]);
}
