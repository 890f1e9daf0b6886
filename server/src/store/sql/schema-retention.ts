/** Kysely types of what is known of removed requests (`../retention/`). */

/** At most one row. */
export interface RemovedRequestsTable {
  id: number;
  /** Requests from before this time (Unix milliseconds, the beginning of a UTC day) may be gone. */
  below_ms: number;
  /** The process whose turn it is to remove requests, and until when. */
  claimed_by: string | null;
  claimed_until: number;
}

/** What the removed requests of a key were, so that its budgets can still be checked. */
export interface RemovedByKeyTable {
  account_id: string;
  key_id: string;
  requests: number;
  /** Charges without what the operator bore. */
  paid_nanos: bigint;
}

/** A file with the requests of a UTC day, written before they are removed. */
export interface RequestArchivesTable {
  /** Days since 1970. */
  day: number;
  /** From 1; further ones have requests that came after the day was archived. */
  part: number;
  /** Its name in the folder of archives. */
  file: string;
  requests: number;
  bytes: number;
  /** SHA-256 of the file, hex. */
  digest: string;
  /** Only requests with smaller ids are in it … */
  end_id: string;
  /** … that were inserted before this mark (`insertion-order.ts`). */
  mark: number;
  mark_id: string;
  archived_at: number;
  /** Null while its requests are being removed. */
  removed_at: number | null;
}

/** A file with the audit log's entries of a UTC day, written before they are removed. */
export interface AuditArchivesTable {
  /** Days since 1970. */
  day: number;
  /** From 1. */
  part: number;
  /** Its name in the folder of archives. */
  file: string;
  entries: number;
  bytes: number;
  /** SHA-256 of the file, hex. */
  digest: string;
  /** It has all entries of before the end of the day whose id is not larger. */
  end_id: number;
  archived_at: number;
  /** Null while its entries are being removed. */
  removed_at: number | null;
}

export interface RetentionTables {
  audit_archives: AuditArchivesTable;
  removed_requests: RemovedRequestsTable;
  removed_by_key: RemovedByKeyTable;
  request_archives: RequestArchivesTable;
}
