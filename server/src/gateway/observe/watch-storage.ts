/**
 * Tries every few seconds whether the storage still takes a write and its file is sound, so that a full disk
 * or a damaged file shows in readiness, health and metrics although nobody calls. What was found is
 * remembered by the store (`storageFault`); here it is logged.
 */

import { statfs } from "node:fs/promises";
import type { Log } from "../../lib/telemetry/log.ts";
import type { Schedule } from "../../lib/time/schedule.ts";
import type { StorageReadings, StorageStore } from "../../store/operation/storage-shapes.ts";

/** Two looks fit into the five seconds within which a fault has to show. */
const everyMs = 2_000;

/** Sizes are read once in so many looks. */
const checksPerReading = 15;

export interface StorageWatch {
  /** What was read last; undefined before the first time. */
  readonly readings: StorageReadings | undefined;
  /** Free bytes of the disk that holds the data directory; undefined where the system does not say. */
  readonly diskFreeBytes: number | undefined;
  stop(): void;
}

/** Looks until `stop`; one look at a time. */
export function watchStorage({
  store,
  log,
  schedule,
  dataDir,
}: {
  readonly store: Pick<StorageStore, "checkStorage" | "readStorage" | "storageFault">;
  readonly log: Log;
  readonly schedule: Schedule;
  readonly dataDir: string;
}): StorageWatch {
  let isLooking = false;
  let logged: string | undefined;
  let checks = 0;
  let readings: StorageReadings | undefined;
  let diskFreeBytes: number | undefined;

  /** An outage is told by others; what was read before stays. */
  async function read(): Promise<void> {
    readings = await store.readStorage().catch(() => readings);
    diskFreeBytes = await statfs(dataDir).then(
      ({ bavail, bsize }) => bavail * bsize,
      () => undefined,
    );
  }

  async function look(): Promise<void> {
    if (isLooking) return;
    isLooking = true;
    if (checks % checksPerReading === 0) void read();
    checks += 1;
    // What it rejects with is told by `storageFault`, or is an outage, which others tell of.
    await store.checkStorage().catch(() => {});
    isLooking = false;
    const fault = store.storageFault();
    if (fault?.code === logged) return;
    if (fault === undefined) log.info("storage_fault_over");
    else log.error("storage_fault", { code: fault.code, error: fault.message });
    logged = fault?.code;
  }

  const stop = schedule.every(everyMs, () => void look());
  void look();
  return {
    get readings() {
      return readings;
    },
    get diskFreeBytes() {
      return diskFreeBytes;
    },
    stop,
  };
}
