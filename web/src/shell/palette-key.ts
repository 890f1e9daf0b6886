/**
 * The keys that open the command palette. Apart from the other shortcuts, because these are heard from the
 * first moment on.
 */
import type { Pressed } from "./shortcuts.ts";

/** True on machines whose command key is ⌘. Evaluated when it is drawn: tests have no window. */
function isMac(): boolean {
  return /mac|iphone|ipad/i.test(navigator.platform);
}

/** The keys that open it on this machine. */
export function paletteKeys(): string {
  return isMac() ? "⌘ K" : "Ctrl K";
}

/** True for ⌘K and Ctrl+K, which also work while something is typed. */
export function isPaletteKey({ key, ctrlKey, metaKey, altKey, isComposing }: Pressed): boolean {
  return key.toLowerCase() === "k" && ctrlKey !== metaKey && !altKey && !isComposing;
}
