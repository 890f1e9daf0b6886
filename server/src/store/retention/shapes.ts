/**
 * Store methods that remove requests and entries of the audit log which are older than the operator keeps
 * them. The serving thread loads this file, so it has no SQL.
 */

export type ArchiveFormat = "csv" | "parquet";

/** A bucket of a store that speaks S3. */
export interface ArchiveBucket {
  /** `s3://bucket/prefix`. */
  readonly address: string;
  /** The variables with its endpoint and credentials (`lib/s3/address.ts`). */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Where rows are written before they are removed. */
export interface Archive {
  /** A folder that exists. With a bucket: where each file is made, and the folder is made and removed. */
  readonly folder: string;
  readonly format: ArchiveFormat;
  /** Where files go; absent: they stay in the folder. */
  readonly bucket?: ArchiveBucket;
}

/** Which rows go, and what is done before. */
export interface Removal {
  /** Rows of the UTC days before this time go, in Unix milliseconds. */
  readonly beforeMs: number;
  /** A day's rows are written there before they are removed; undefined: they are not. */
  readonly archive?: Archive | undefined;
  /** A name that no other process has: one process removes at a time. */
  readonly processId: string;
  /** Most rows removed in the step's transaction. */
  readonly rowsMax: number;
}

/** A file of archived rows. */
export interface ArchivedFile {
  /** Its name in the folder or the bucket. */
  readonly file: string;
  /** The UTC day, `2026-11-27`. */
  readonly day: string;
  readonly rows: number;
  readonly bytes: number;
  /** SHA-256, hex. */
  readonly digest: string;
}

/** What one step did. */
export interface RemovalStep {
  readonly removed: number;
  readonly archived?: ArchivedFile | undefined;
  /** True when the next step has something to do. */
  readonly isMore: boolean;
}

export interface RetentionStore {
  /**
   * Removes the oldest requests, or writes the oldest day's to the archive: one step. Does nothing while
   * another process does it, while servers of before schema 27 are alive, and leaves requests that are not
   * added to the numbers of use yet. Ledger entries stay. Rejects with `archive_failed` when the archive
   * cannot be written; then nothing is removed.
   */
  removeRequests(removal: Removal): Promise<RemovalStep>;
  /**
   * The same for entries of the audit log, always with an archive: `pruneAudit` removes them without one.
   * Does nothing before the schema is 31.
   */
  removeAudit(removal: Removal & { readonly archive: Archive }): Promise<RemovalStep>;
  /** All files written, oldest day first. */
  listRequestArchives(): Promise<readonly ArchivedFile[]>;
  listAuditArchives(): Promise<readonly ArchivedFile[]>;
}

/** Every method of `RetentionStore`; `create-store.ts` forwards them to the storage thread unchanged. */
export const retentionMethods = {
  removeRequests: true,
  removeAudit: true,
  listRequestArchives: true,
  listAuditArchives: true,
} as const satisfies Record<keyof RetentionStore, true>;
