/**
 * What travels between the storage thread and its client. Plain lists, because the
 * batches of rows are on the hot path.
 */
import type { Message } from "@plaza/contract/messages/message.ts";
import type { KeySource } from "../catalog/sealing-shapes.ts";
import type { StoreCore } from "../core.ts";
import type { StoreErrorCode } from "../error.ts";

/** Where the rows are. */
export type DatabaseTarget =
  | { readonly kind: "sqlite"; readonly file: string }
  | { readonly kind: "postgres"; readonly url: string };

/** What a core is opened with, wherever it runs. */
export interface CoreSettings extends KeySource {
  readonly database: DatabaseTarget;
  readonly busyTimeoutMs: number;
  readonly statementTimeoutMs: number;
  /** Of a pool of connections, where the database has one. */
  readonly connectionsMax: number;
}

/** What a storage thread is started with. */
export interface ThreadSettings extends CoreSettings {
  /** How long its garbage may gather; minutes by default (`quiet-collection.ts`). */
  readonly collectEveryMs?: number;
}

/** Number of the call, method, arguments. */
export type CallMessage = readonly [id: number, method: keyof StoreCore, args: readonly unknown[]];

/** An error as it crosses the threads: a class does not survive, its fields do. */
export interface ErrorMessage {
  readonly name: string;
  readonly message: string;
  /** Only of a StoreError. */
  readonly code: StoreErrorCode | undefined;
  /** Of a refusal, for the console. */
  readonly messageRef: Message | undefined;
}

/** Number of the call (0: whether the database could be opened), value, error. */
export type ReplyMessage = readonly [id: number, value: unknown, error?: ErrorMessage];
