/** How the storage of a process is doing: faults, sizes, what waits. Types, and lists of names. */
/** Faults of the machine or the file that pass with no retry. */
export const storageFaultCodes = ["disk_full", "read_only", "io", "damaged", "cannot_open"] as const;

export type StorageFaultCode = (typeof storageFaultCodes)[number];

export interface StorageFault {
  readonly code: StorageFaultCode;
  /** For the operator; names files. */
  readonly message: string;
  /** Unix milliseconds. */
  readonly since: number;
  /** True when the journal cannot keep settlements either, so that requests are rejected. */
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

/** The database itself: its schema, its file, its health. */
export interface StorageStore {
  /**
   * Brings the schema up to date; several processes may call it concurrently. Throws
   * when a newer Plaza wrote the database.
   */
  migrate(): Promise<void>;
  /**
   * Looks through the whole database file for damage, if it is no larger than `bytesMax`; throws StoreError
   * `damaged`. Does nothing on PostgreSQL, which watches over its own files.
   */
  checkFile(bytesMax: number): Promise<void>;
  /**
   * Writes a row, without waiting for the disk, and looks whether the file is sound, cheaply; to be called
   * every few seconds by a serving process. Rejects with StoreError. On PostgreSQL it does nothing: commits
   * and heartbeats show what is wrong there.
   */
  checkStorage(): Promise<void>;
  /** Sizes and connections, for the metrics. Rejects with StoreError. */
  readStorage(): Promise<StorageReadings>;
  /** What waits in this process's journal. Known here, without asking. */
  journalReadings(): JournalReadings;
  /**
   * What is wrong with the disk or the file, from the errors of the last calls; undefined:
   * nothing known. Known here, without asking.
   */
  storageFault(): StorageFault | undefined;
  /**
   * Does the database not answer, or are there settlements it has not got yet? Known here, without asking it.
   */
  isBehind(): boolean;
  /** A cheap round trip, for readiness. */
  ping(): Promise<void>;
  /** Writes what is queued and closes. */
  close(): Promise<void>;
}

/** Its methods that are handed to the storage thread as they are (`create-store.ts`). */
export const storageMethods = {
  migrate: true,
  checkFile: true,
  checkStorage: true,
  readStorage: true,
  ping: true,
} as const satisfies Record<
  Exclude<keyof StorageStore, "journalReadings" | "storageFault" | "isBehind" | "close">,
  true
>;
