/** Reasoning shared between processes: types, and the store's methods. Knows no SQL. */

/** The data that one tool call's upstream needs back. */
export interface ReasoningEntry {
  readonly accountId: string;
  /** The id as the caller sends it back; never stored. */
  readonly toolCallId: string;
  readonly value: string;
}

export interface ReasoningStore {
  /**
   * Stores reasoning by tool call, sealed so that it opens only with the installation's key and the call's id
   * together. Kept until `expiresAt` (Unix milliseconds), or shorter if the account stores too much. Not
   * durable: a power cut may lose the last moments.
   */
  storeReasoning(entries: readonly ReasoningEntry[], expiresAt: number): Promise<void>;
  /** The entries of these calls of an account that exist and can be opened, in no particular order. */
  findReasoning(accountId: string, toolCallIds: readonly string[]): Promise<ReasoningEntry[]>;
}

/** Methods that `create-store.ts` forwards to the storage thread unchanged. */
export const reasoningMethods = { storeReasoning: true, findReasoning: true } as const satisfies Record<
  keyof ReasoningStore,
  true
>;
