/**
 * Single-key shortcuts: which keys mean what. Pure, except whether they are on, which this device keeps.
 */
import { useSyncExternalStore } from "react";

/** What the parser reads of a keyboard event. */
export interface Pressed {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly isComposing: boolean;
  readonly repeat: boolean;
}

/** What was pressed before, and when. */
export interface Pending {
  /** When `g` was pressed, in milliseconds; null: it was not. */
  readonly goSinceMs: number | null;
}

/** What to do. */
export type KeyAct =
  | { readonly kind: "palette" | "help" | "search" | "new" }
  | { readonly kind: "go"; readonly letter: string };

/** How long `g` waits for its letter, in milliseconds. */
export const goWaitMs = 1_500;

export const nothingPending: Pending = { goSinceMs: null };

const acts: Readonly<Record<string, KeyAct>> = {
  "?": { kind: "help" },
  "/": { kind: "search" },
  n: { kind: "new" },
};

/**
 * Reads a key that is not typed into a field. Shift is no modifier here: some keyboards need it for `?` and
 * `/`. A letter after `g` is never read as anything else.
 */
export function readKey(
  pending: Pending,
  pressed: Pressed,
  nowMs: number,
): { readonly pending: Pending; readonly act: KeyAct | null } {
  const { key, ctrlKey, metaKey, altKey, isComposing, repeat } = pressed;
  if (ctrlKey || metaKey || altKey || isComposing || repeat) return { pending: nothingPending, act: null };
  // Shift alone, on the way to `?`.
  if (key.length > 1) return { pending: key === "Shift" ? pending : nothingPending, act: null };
  const isGoing = pending.goSinceMs !== null && nowMs - pending.goSinceMs <= goWaitMs;
  if (isGoing) return { pending: nothingPending, act: { kind: "go", letter: key.toLowerCase() } };
  if (key === "g") return { pending: { goSinceMs: nowMs }, act: null };
  return { pending: nothingPending, act: Object.hasOwn(acts, key) ? (acts[key] ?? null) : null };
}

const storageKey = "plaza.shortcuts";
const listeners = new Set<() => void>();

/** False when they were switched off on this device. */
export function areShortcutsOn(): boolean {
  try {
    return localStorage.getItem(storageKey) !== "off";
  } catch {
    return true;
  }
}

/** Switches them on or off on this device. */
export function setShortcuts(isOn: boolean): void {
  try {
    if (isOn) localStorage.removeItem(storageKey);
    else localStorage.setItem(storageKey, "off");
  } catch {
    // Storage may be switched off; they then stay on.
  }
  for (const changed of listeners) changed();
}

/** For the profile and the list of shortcuts. */
export function useShortcutsOn(): boolean {
  return useSyncExternalStore((changed) => {
    listeners.add(changed);
    return () => listeners.delete(changed);
  }, areShortcutsOn);
}
