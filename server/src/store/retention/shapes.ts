/**
 * Store methods that remove requests which are older than the operator keeps them. The serving thread loads
 * this file, so it has no SQL.
 */

/** Which requests go, and what is done before. */
export interface Removal {
  /** Requests of the UTC days before this time go, in Unix milliseconds. */
  readonly beforeMs: number;
  /** A folder that exists; a day's requests are written there before they are removed. */
  readonly archive?: string | undefined;
  /** A name that no other process has: one process removes at a time. */
  readonly processId: string;
  /** Most requests removed in the step's transaction. */
  readonly rowsMax: number;
}

/** A file of archived requests. */
export interface RequestArchive {
  /** Its name in the folder. */
  readonly file: string;
  /** The UTC day, `2026-11-27`. */
  readonly day: string;
  readonly requests: number;
  readonly bytes: number;
  /** SHA-256, hex. */
  readonly digest: string;
}

/** What one step did. */
export interface RemovalStep {
  readonly removed: number;
  readonly archived?: RequestArchive | undefined;
  /** True when the next step has something to do. */
  readonly isMore: boolean;
}

export interface RetentionStore {
  /**
   * Removes the oldest requests, or writes the oldest day's to the archive: one step. Does nothing while
   * another process does it, while servers of before schema 27 are alive, and leaves requests that are not
   * added to the numbers of use yet. Ledger entries stay. Rejects with `cannot_open` when the archive cannot
   * be written; then nothing is removed.
   */
  removeRequests(removal: Removal): Promise<RemovalStep>;
  /** All files written, oldest day first. */
  listRequestArchives(): Promise<readonly RequestArchive[]>;
}

/** Every method of `RetentionStore`; `create-store.ts` forwards them to the storage thread unchanged. */
export const retentionMethods = {
  removeRequests: true,
  listRequestArchives: true,
} as const satisfies Record<keyof RetentionStore, true>;
