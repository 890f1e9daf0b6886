/** Messages between the storage thread and its client. Plain lists, because batches are on the hot path. */
import type { Message } from "@plaza/contract/messages/message.ts";
import type { CollectionBounds } from "../../lib/quiet-collection.ts";
import type { KeySource } from "../catalog/sealing-shapes.ts";
import type { StoreCore } from "../core.ts";
import type { StoreErrorCode } from "../error.ts";

/** Which database to use. */
export type DatabaseTarget =
  | { readonly kind: "sqlite"; readonly file: string }
  | { readonly kind: "postgres"; readonly url: string };

/** What a core is opened with, wherever it runs. */
export interface CoreSettings extends KeySource {
  readonly database: DatabaseTarget;
  readonly busyTimeoutMs: number;
  readonly statementTimeoutMs: number;
  /** Size of the connection pool, if the database has one. */
  readonly connectionsMax: number;
}

/** What a storage thread opens a database with. */
export interface ThreadSettings extends CoreSettings {
  /** When the thread collects its garbage, for tests. */
  readonly collection?: CollectionBounds;
}

/** Opens a database, which `close` closes; then another may be opened. */
export interface OpenMessage {
  readonly open: ThreadSettings;
}

/** Ends the thread. */
export const endMessage = "end";

/** Call number, method, arguments. */
export type CallMessage = readonly [id: number, method: keyof StoreCore, args: readonly unknown[]];

/** An error in a message: its class is lost, its fields are kept. */
export interface ErrorMessage {
  readonly name: string;
  readonly message: string;
  /** Only for a StoreError. */
  readonly code: StoreErrorCode | undefined;
  /** For a refusal, to show in the console. */
  readonly messageRef: Message | undefined;
}

/** Call number (0: whether the database could be opened), value, error. */
export type ReplyMessage = readonly [id: number, value: unknown, error?: ErrorMessage];
