/** Storage metrics: sizes, database connections, journal backlog, faults. */

import type { Registry } from "../../lib/telemetry/metrics.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { StorageReadings, StorageStore } from "../../store/operation/storage-shapes.ts";
import { storageFaultCodes } from "../../store/operation/storage-shapes.ts";
import type { StorageWatch } from "./watch-storage.ts";

/** Registers the metrics. Those of the database are absent before the first reading. */
export function observeStorage(
  { gauge, readCounter }: Registry,
  {
    store,
    watch,
    clock,
  }: {
    readonly store: Pick<StorageStore, "journalReadings" | "storageFault">;
    readonly watch: Pick<StorageWatch, "readings" | "diskFreeBytes">;
    readonly clock: Clock;
  },
): void {
  gauge({
    name: "plaza_storage_fault",
    help: "1 for what is wrong with the disk or the database file, 0 for everything else.",
    labels: [{ name: "fault" }],
    read(set) {
      const found = store.storageFault()?.code;
      for (const code of storageFaultCodes) set(code === found ? 1 : 0, code);
    },
  });
  const known = ({
    pick,
    ...family
  }: {
    readonly name: string;
    readonly help: string;
    readonly pick: (readings: StorageReadings) => number | null | undefined;
  }) =>
    gauge({
      ...family,
      read(set) {
        const value = watch.readings && pick(watch.readings);
        if (typeof value === "number") set(value);
      },
    });
  known({
    name: "plaza_database_bytes",
    help: "Size of the database.",
    pick: ({ databaseBytes }) => databaseBytes,
  });
  known({
    name: "plaza_database_wal_bytes",
    help: "Size of SQLite's write-ahead log.",
    pick: ({ walBytes }) => walBytes,
  });
  known({
    name: "plaza_schema_version",
    help: "Newest step of the schema that was done.",
    pick: ({ schemaVersion }) => schemaVersion,
  });
  known({
    name: "plaza_database_connections",
    help: "Connections to PostgreSQL.",
    pick: ({ pool }) => pool?.open,
  });
  known({
    name: "plaza_database_waiting",
    help: "Calls that wait for a connection to PostgreSQL.",
    pick: ({ pool }) => pool?.waiting,
  });
  readCounter({
    name: "plaza_database_wait_seconds_total",
    help: "How long calls have waited for a connection to PostgreSQL, added up.",
    read(set) {
      const pool = watch.readings?.pool;
      if (pool) set(pool.waitedMs / 1_000);
    },
  });
  gauge({
    name: "plaza_disk_free_bytes",
    help: "Free space of the disk that holds the data directory.",
    read(set) {
      if (watch.diskFreeBytes !== undefined) set(watch.diskFreeBytes);
    },
  });
  gauge({
    name: "plaza_journal_bytes",
    help: "What waits in the journal for the database.",
    read: (set) => set(store.journalReadings().bytes),
  });
  gauge({
    name: "plaza_journal_age_seconds",
    help: "How long something has been waiting in the journal.",
    read(set) {
      const { since } = store.journalReadings();
      set(since === null ? 0 : Math.max(0, clock.wallMs() - since) / 1_000);
    },
  });
}
