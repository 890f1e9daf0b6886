/**
 * The keys a person may call with, and the one chosen on this device.
 * Knows ids and names only, never a secret.
 */
import { useSyncExternalStore } from "react";
import { useApiQuery } from "../../api/queries.ts";
import type { Answer } from "../../api/routes.ts";
import { useSession } from "../../shell/session.ts";

/** A key as it is listed. */
type ListedKey = Answer<"get /keys">["keys"][number];

const storageKey = "plaza.callingKey";
const listeners = new Set<() => void>();
let chosen: string | undefined;

function readChosen(): string {
  if (chosen === undefined) {
    try {
      chosen = localStorage.getItem(storageKey) ?? "";
    } catch {
      chosen = "";
    }
  }
  return chosen;
}

/** Remembers the key for the next call, here and on the next visit. */
export function chooseKey(id: string): void {
  chosen = id;
  try {
    localStorage.setItem(storageKey, id);
  } catch {
    // Storage may be switched off; the choice then lasts as long as the page.
  }
  for (const changed of listeners) changed();
}

/** True when a key may use all of these models. */
export function allows(key: Pick<ListedKey, "models">, models: readonly string[]): boolean {
  return key.models === null || models.every((model) => key.models?.includes(model));
}

/** Keys to call with. */
export interface Keys {
  /** True when the visitor has no account: there is no key to choose. */
  readonly isAbsent: boolean;
  /** Undefined while they load. */
  readonly list: readonly ListedKey[] | undefined;
  /** There are more than are listed. */
  readonly hasMore: boolean;
  readonly error: unknown;
  readonly retry: () => void;
  /** The one to call with; undefined while there is none. */
  readonly chosen: ListedKey | undefined;
}

/**
 * Active keys, newest first, and the chosen one: as remembered, or else the first that may call these models.
 */
export function useKeys(models: readonly string[]): Keys {
  const { account } = useSession();
  const remembered = useSyncExternalStore((changed) => {
    listeners.add(changed);
    return () => listeners.delete(changed);
  }, readChosen);
  const isAbsent = account === null;
  const query = useApiQuery(
    "get /keys",
    { query: { status: ["active"], limit: 500 } },
    { enabled: !isAbsent },
  );
  const list = query.data?.keys;
  const kept = list?.find((key) => key.id === remembered);
  return {
    isAbsent,
    list,
    hasMore: query.data !== undefined && query.data.next !== null,
    error: query.error,
    retry: () => void query.refetch(),
    chosen: kept ?? list?.find((key) => allows(key, models)) ?? list?.[0],
  };
}
