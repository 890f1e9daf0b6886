/**
 * What goes wrong with storage, in words its operator can act on. Knows no SQL and no driver: those are
 * translated in `sqlite/errors.ts` and `postgres/errors.ts`.
 */
import { type Message, message, textOf } from "@plaza/contract/messages/message.ts";

/**
 * `disk_full`, `read_only`, `locked`, `cannot_open`, `damaged`, `io`: the operator must look at the machine.
 * `unavailable`: the database server cannot be reached or does not answer in time; the same call may succeed
 * later. `newer_schema`, `unreadable_credentials`, `another_secret_key`: this process does not fit this
 * database. `queue_full`, `closed`, `thread_stopped`: the store of this process takes no more. `invalid`,
 * `not_found`, `duplicate`: the caller asked for something impossible.
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

/** What a caller requested and does not get; the console reports it. */
type RefusalCode = "invalid" | "not_found" | "duplicate";

/** A refusal is a message; of the rest only its operator reads, in logs and in the terminal. */
type StoreErrorParts =
  | [code: RefusalCode, refusal: Message, options?: ErrorOptions | undefined]
  | [code: Exclude<StoreErrorCode, RefusalCode>, message: string, options?: ErrorOptions | undefined];

/**
 * Thrown and rejected with by every method of the store where the code says something; other errors are bugs.
 */
export class StoreError extends Error {
  readonly code: StoreErrorCode;
  /** undefined: `message` is for operators only. */
  readonly messageRef: Message | undefined;

  constructor(...[code, made, options]: StoreErrorParts) {
    super(typeof made === "string" ? made : textOf(made), options);
    this.name = "StoreError";
    this.code = code;
    this.messageRef = typeof made === "string" ? undefined : made;
  }
}

/**
 * The same where the code is not known beforehand: of an error that came from the storage thread, or out of a
 * driver. A refusal without a message of ours is told in its own words.
 */
export function storeErrorOf(
  code: StoreErrorCode,
  text: string,
  refusal?: Message,
  options?: ErrorOptions,
): StoreError {
  if (code === "invalid" || code === "not_found" || code === "duplicate")
    return new StoreError(code, refusal ?? message("store.other", { text }), options);
  return new StoreError(code, text, options);
}
