/** How the storage of a process is doing: faults, sizes, what waits. Types only. */
/** Faults of the machine or the file that pass with no retry. */
export const storageFaultCodes = ["disk_full", "read_only", "io", "damaged", "cannot_open"] as const;

export type StorageFaultCode = (typeof storageFaultCodes)[number];

export interface StorageFault {
  readonly code: StorageFaultCode;
  /** For the operator; names files. */
  readonly message: string;
  /** Unix milliseconds. */
  readonly since: number;
  /** Are settlements lost to the journal as well, so that calls are refused? */
  readonly isRefusing: boolean;
}

export interface StorageReadings {
  readonly databaseBytes: number;
  /** SQLite's log beside the file; null on PostgreSQL. */
  readonly walBytes: number | null;
  /** Number of the newest step of the schema that was done. */
  readonly schemaVersion: number;
  /** null on SQLite, which has one connection. */
  readonly pool: PoolReadings | null;
}

/** What waits in the journal. */
export interface JournalReadings {
  readonly bytes: number;
  /** Unix milliseconds since when something does; null: nothing. */
  readonly since: number | null;
}

/** How busy the connections are. */
export interface PoolReadings {
  readonly open: number;
  /** Calls that wait for a connection at the moment. */
  readonly waiting: number;
  /** How long calls have waited for one, milliseconds, all since the start added up. */
  readonly waitedMs: number;
}
