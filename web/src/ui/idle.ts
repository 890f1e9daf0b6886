/** Preloads when the page is idle. Knows no component. */

const asked = new Set<unknown>();

/** Calls it once, later. What it gives is not waited for; a failure shows when the thing is needed. */
export function whenIdle(load: () => Promise<unknown>): void {
  if (asked.has(load)) return;
  asked.add(load);
  const run = () => void load().catch(() => asked.delete(load));
  if (typeof window.requestIdleCallback === "function") window.requestIdleCallback(run, { timeout: 3_000 });
  else setTimeout(run, 1_000);
}
