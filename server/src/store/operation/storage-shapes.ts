/** The state of a process's storage: faults, sizes, waiting settlements. Types, and the list of methods. */
import type { MigrationReport, MigrationStatus } from "./migration-shapes.ts";

/** Faults of the machine or the file that a retry does not fix. */
export const storageFaultCodes = ["disk_full", "read_only", "io", "damaged", "cannot_open"] as const;

export type StorageFaultCode = (typeof storageFaultCodes)[number];

export interface StorageFault {
  readonly code: StorageFaultCode;
  /** For the operator; contains file names. */
  readonly message: string;
  /** Unix milliseconds. */
  readonly since: number;
  /** True when the journal cannot keep settlements either, so that requests are rejected. */
  readonly isRefusing: boolean;
}

export interface StorageReadings {
  readonly databaseBytes: number;
  /** Size of SQLite's write-ahead log; null on PostgreSQL. */
  readonly walBytes: number | null;
  /** Number of the last migration. */
  readonly schemaVersion: number;
  /** Null on SQLite, which has one connection. */
  readonly pool: PoolReadings | null;
}

/** What waits in the journal. */
export interface JournalReadings {
  readonly bytes: number;
  /** Unix milliseconds of the oldest waiting settlement; null: none waits. */
  readonly since: number | null;
}

/** Use of the connection pool. */
export interface PoolReadings {
  readonly open: number;
  /** Calls currently waiting for a connection. */
  readonly waiting: number;
  /** Total milliseconds that calls have waited for one since the start. */
  readonly waitedMs: number;
}

/** The database itself: its schema, its file, its health. */
export interface StorageStore {
  /**
   * Brings the schema up to date; several processes may call it at the same time. Leaves contracts waiting
   * that older servers still need and, unless `isByHand`, those that would take a start too long. Throws
   * StoreError `newer_schema`, `older_schema` or `cannot_open` when this Plaza and the database do not fit,
   * `locked`, and what a failed migration throws.
   */
  migrate(isByHand?: boolean): Promise<MigrationReport>;
  /** What is applied, missing and running; changes nothing. */
  readMigrations(): Promise<MigrationStatus>;
  /**
   * Checks the whole database file for damage if it is at most `bytesMax`; throws StoreError `damaged`. Does
   * nothing on PostgreSQL, which checks its own files.
   */
  checkFile(bytesMax: number): Promise<void>;
  /**
   * Writes a row without waiting for the disk and does a cheap check of the file. Serving processes call it
   * every few seconds. Rejects with StoreError. Does nothing on PostgreSQL, where commits and heartbeats show
   * faults.
   */
  checkStorage(): Promise<void>;
  /** Sizes and connections, for the metrics. Rejects with StoreError. */
  readStorage(): Promise<StorageReadings>;
  /** What waits in this process's journal. Answered in this process. */
  journalReadings(): JournalReadings;
  /**
   * The fault of disk or file, from the errors of recent calls; undefined: none known. Answered in this
   * process.
   */
  storageFault(): StorageFault | undefined;
  /** True when the database does not answer or lacks settlements. Answered in this process. */
  isBehind(): boolean;
  /** A cheap round trip, for readiness. */
  ping(): Promise<void>;
  /** Writes what is queued and closes. */
  close(): Promise<void>;
}

/** Methods that `create-store.ts` forwards to the storage thread unchanged. */
export const storageMethods = {
  migrate: true,
  readMigrations: true,
  checkFile: true,
  checkStorage: true,
  readStorage: true,
  ping: true,
} as const satisfies Record<
  Exclude<keyof StorageStore, "journalReadings" | "storageFault" | "isBehind" | "close">,
  true
>;
