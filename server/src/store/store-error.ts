/**
 * What goes wrong with storage, in words its operator can act on. Knows no SQL and no driver: those are translated in
 * `sqlite-errors.ts` and `postgres-errors.ts`.
 */

/**
 * `disk_full`, `read_only`, `locked`, `cannot_open`, `damaged`, `io`: the operator must look at the machine.
 * `unavailable`: the database server cannot be reached or does not answer in time; the same call may succeed later.
 * `newer_schema`, `unreadable_credentials`, `another_secret_key`: this process does not fit this database. `queue_full`, `closed`, `thread_stopped`: the
 * store of this process takes no more. `invalid`, `not_found`, `duplicate`: the caller asked for something impossible.
 */
export type StoreErrorCode =
  | "disk_full"
  | "read_only"
  | "locked"
  | "cannot_open"
  | "damaged"
  | "io"
  | "unavailable"
  | "newer_schema"
  | "unreadable_credentials"
  | "another_secret_key"
  | "queue_full"
  | "closed"
  | "thread_stopped"
  | "invalid"
  | "not_found"
  | "duplicate";

/** Thrown and rejected with by every method of the store where the code says something; other errors are bugs. */
export class StoreError extends Error {
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "StoreError";
    this.code = code;
  }
}
