/**
 * Storage errors with messages that tell the operator what to do. Knows neither SQL nor drivers;
 * `sqlite/errors.ts` and `postgres/errors.ts` translate those.
 */
import { type Message, message, textOf } from "@plaza/contract/messages/message.ts";

/**
 * `disk_full`, `read_only`, `locked`, `cannot_open`, `damaged`, `io`: the operator must check the machine.
 * `unavailable`: the database server is unreachable or too slow; the same call may succeed later.
 * `newer_schema`, `older_schema`, `unreadable_credentials`, `another_secret_key`: this process does not fit
 * this database.
 * `archive_failed`: the folder of archived requests; the database is fine.
 * `queue_full`, `closed`, `thread_stopped`: the store of this process accepts no more calls. `invalid`,
 * `not_found`, `duplicate`: the caller's request cannot be done.
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
  | "older_schema"
  | "unreadable_credentials"
  | "another_secret_key"
  | "archive_failed"
  | "queue_full"
  | "closed"
  | "thread_stopped"
  | "invalid"
  | "not_found"
  | "duplicate";

/** Codes that refuse a caller's request; the console shows them. */
type RefusalCode = "invalid" | "not_found" | "duplicate";

/**
 * Refusals have a translatable message. All other errors are for operators only, in logs and in the terminal.
 */
type StoreErrorParts =
  | [code: RefusalCode, refusal: Message, options?: ErrorOptions | undefined]
  | [code: Exclude<StoreErrorCode, RefusalCode>, message: string, options?: ErrorOptions | undefined];

/** Every store method rejects with this when a code applies; any other error is a bug. */
export class StoreError extends Error {
  readonly code: StoreErrorCode;
  /** Undefined: `message` is for operators only. */
  readonly messageRef: Message | undefined;

  constructor(...[code, made, options]: StoreErrorParts) {
    super(typeof made === "string" ? made : textOf(made), options);
    this.name = "StoreError";
    this.code = code;
    this.messageRef = typeof made === "string" ? undefined : made;
  }
}

/**
 * Builds a StoreError when the code is not known in advance: from the storage thread or a driver. A refusal
 * without a message of Plaza's keeps its own text.
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
