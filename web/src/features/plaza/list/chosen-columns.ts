/** Which columns the table shows, kept in this browser. */
import { useSyncExternalStore } from "react";
import type { SortName } from "./order.ts";

/** A column is named like the order by it; the name of the model is always there. */
export type ColumnName = Exclude<SortName, "name">;

const storageKey = "plaza.models.columns";

/** All columns, in their order. */
export const columnNames = [
  "id",
  "maker",
  "operations",
  "status",
  "input",
  "cached",
  "output",
  "context",
  "maxoutput",
  "modalities",
  "can",
  "fast",
  "slowest",
  "speed",
  "success",
  "used",
  "newest",
  "deprecated",
] as const satisfies readonly ColumnName[];

/** What fits beside the menu. Without its own column, the id stands below the name. */
export const defaultColumns: readonly ColumnName[] = [
  "status",
  "input",
  "output",
  "context",
  "can",
  "fast",
  "success",
];

/** Reads what was stored; unknown names, as of a later version, are left out. */
export function readColumns(text: string | null): readonly ColumnName[] {
  try {
    const stored: unknown = JSON.parse(text ?? "null");
    if (!Array.isArray(stored)) return defaultColumns;
    return columnNames.filter((name) => stored.includes(name));
  } catch {
    return defaultColumns;
  }
}

let chosen: readonly ColumnName[] | undefined;
const listeners = new Set<() => void>();

function read(): readonly ColumnName[] {
  if (chosen === undefined) {
    try {
      chosen = readColumns(localStorage.getItem(storageKey));
    } catch {
      chosen = defaultColumns;
    }
  }
  return chosen;
}

/** Chooses for this browser. */
export function chooseColumns(names: readonly ColumnName[]): void {
  chosen = columnNames.filter((name) => names.includes(name));
  try {
    localStorage.setItem(storageKey, JSON.stringify(chosen));
  } catch {
    // Storage may be switched off; the choice then lasts as long as the page.
  }
  for (const changed of listeners) changed();
}

/** The columns that are shown. */
export function useColumns(): readonly ColumnName[] {
  return useSyncExternalStore((changed) => {
    listeners.add(changed);
    return () => listeners.delete(changed);
  }, read);
}
