/** Single-key shortcuts for the whole console. Loads after the page. */
import { isCurrent, type NavEntry } from "./menu-entries.ts";
import { areShortcutsOn, type KeyAct, nothingPending, readKey } from "./shortcuts.ts";

export interface ShellKeys {
  /** Pages of this session. */
  readonly entries: readonly NavEntry[];
  readonly go: (to: string) => void;
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

/** Reads keys one after the other; `latest` gives what they act on. */
export function createKeyReader(latest: () => ShellKeys): (event: KeyboardEvent) => void {
  let pending = nothingPending;
  const perform = (act: KeyAct): boolean => {
    const { entries, go, onHelp } = latest();
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
  return (event) => {
    if (!areShortcutsOn() || isTyping(event.target) || document.querySelector(overlays) !== null) {
      pending = nothingPending;
      return;
    }
    const read = readKey(pending, event, event.timeStamp);
    pending = read.pending;
    if (read.act !== null && perform(read.act)) event.preventDefault();
  };
}
