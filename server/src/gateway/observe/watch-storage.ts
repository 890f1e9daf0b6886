/**
 * Checks regularly that the storage accepts writes and its file is intact. A full disk or damaged file then
 * shows in readiness, health and metrics even without traffic. The store keeps the result (`storageFault`);
 * this file logs it.
 */

import { statfs } from "node:fs/promises";
import type { Log } from "../../lib/telemetry/log.ts";
import type { Schedule } from "../../lib/time/schedule.ts";
import type { StorageReadings, StorageStore } from "../../store/operation/storage-shapes.ts";

/**
 * Milliseconds between checks. A fault must show within five seconds, and the schedule of a quiet process may
 * be one late.
 */
const everyMs = 3_000;

/** Sizes are read once per this many checks. */
const checksPerReading = 10;

export interface StorageWatch {
  /** Latest readings; undefined before the first. */
  readonly readings: StorageReadings | undefined;
  /** Free bytes on the data directory's disk; undefined when the system does not report it. */
  readonly diskFreeBytes: number | undefined;
  stop(): void;
}

/** Checks until `stop`, one check at a time. */
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

  /** Keeps the previous readings on failure. An outage is reported elsewhere. */
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
    // `storageFault` reports the failure; an outage is reported elsewhere.
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
