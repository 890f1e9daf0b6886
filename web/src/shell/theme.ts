/** Light, dark, or as the system says; kept on this device, so that the next first paint is right. */
import { useSyncExternalStore } from "react";

export type Theme = "light" | "dark" | "system";

const storageKey = "plaza.theme";
const listeners = new Set<() => void>();

/** What was chosen on this device. */
function chosenTheme(): Theme {
  try {
    const stored = localStorage.getItem(storageKey);
    return stored === "light" || stored === "dark" ? stored : "system";
  } catch {
    return "system";
  }
}

function apply(theme: Theme): void {
  const dark = theme === "dark" || (theme === "system" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset["theme"] = dark ? "dark" : "light";
  document.querySelector('meta[name="theme-color"]')?.setAttribute("content", dark ? "#171a21" : "#ffffff");
}

/** Chooses for this device. */
export function setTheme(theme: Theme): void {
  try {
    if (theme === "system") localStorage.removeItem(storageKey);
    else localStorage.setItem(storageKey, theme);
  } catch {
    // Storage may be switched off; the choice then lasts as long as the page.
  }
  apply(theme);
  for (const changed of listeners) changed();
}

/** Follows the system while that is the choice. Once, at the start. */
export function followSystemTheme(): void {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => apply(chosenTheme()));
}

/** The choice, for the menu and the profile. */
export function useTheme(): Theme {
  return useSyncExternalStore((changed) => {
    listeners.add(changed);
    return () => listeners.delete(changed);
  }, chosenTheme);
}
