/**
 * Tries every few seconds whether the storage still takes a write and its file is sound, so that a full disk or a damaged file shows in
 * readiness, health and metrics although nobody calls. What was found is remembered by the store (`storageFault`); here it is logged.
 */
import type { Log } from "../lib/log.ts";
import type { Store } from "../store/store.ts";

/** Two looks fit into the five seconds within which a fault has to show. */
const everyMs = 2_000;

/** Looks until `stop`; one look at a time. */
export function watchStorage({
  store,
  log,
}: {
  readonly store: Pick<Store, "checkStorage" | "storageFault">;
  readonly log: Log;
}): { stop(): void } {
  let isLooking = false;
  let told: string | undefined;

  async function look(): Promise<void> {
    if (isLooking) return;
    isLooking = true;
    // What it rejects with is told by `storageFault`, or is an outage, which others tell of.
    await store.checkStorage().catch(() => {});
    isLooking = false;
    const fault = store.storageFault();
    if (fault?.code === told) return;
    if (fault === undefined) log.info("storage_fault_over");
    else log.error("storage_fault", { code: fault.code, error: fault.message });
    told = fault?.code;
  }

  const timer = setInterval(() => void look(), everyMs).unref();
  return { stop: () => clearInterval(timer) };
}
