/**
 * Loads the pages of the menu ahead, one by one, once the first is there: so that
 * none is waited for, nor missing offline.
 */
import { type AnyRouter, useRouter } from "@tanstack/react-router";
import { useEffect } from "react";
import { whenIdle } from "../ui/idle.ts";

/** How long the first page has for itself, in milliseconds. */
const firstPageMs = 2_500;

interface Preloading {
  readonly preload?: () => Promise<unknown>;
}

function savesData(): boolean {
  const { connection } = navigator as { connection?: { saveData?: boolean } };
  return connection?.saveData === true;
}

async function preloadAll(router: AnyRouter, isOperator: boolean): Promise<void> {
  const routes: readonly { options: { component?: unknown; staticData?: object } }[] = Object.values(
    router.routesById,
  );
  for (const { options } of routes) {
    const { whose } = (options.staticData ?? {}) as { whose?: string };
    if (whose === undefined || (whose === "operator" && !isOperator)) continue;
    await (options.component as Preloading | undefined)?.preload?.().catch(() => undefined);
  }
}

/** Once, in the frame; not where the browser is asked to save data. */
export function usePreloadedPages(isOperator: boolean): void {
  const router = useRouter();
  useEffect(() => {
    if (savesData()) return;
    const timer = setTimeout(() => whenIdle(() => preloadAll(router, isOperator)), firstPageMs);
    return () => clearTimeout(timer);
  }, [router, isOperator]);
}
