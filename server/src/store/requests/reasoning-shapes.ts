/** Shapes of the reasoning that processes share, and the store's methods for it. Knows no SQL. */

/** What one tool call's upstream wants to see again. */
export interface ReasoningEntry {
  readonly accountId: string;
  /** As the caller sends it back; never stored. */
  readonly toolCallId: string;
  readonly value: string;
}

export interface ReasoningStore {
  /**
   * Stores reasoning by tool call, sealed so that it opens only with the installation's key and the call's id
   * together. Kept until `expiresAt` (Unix milliseconds), less where an account stores too much. Not durable:
   * a power cut may lose the last moments.
   */
  storeReasoning(entries: readonly ReasoningEntry[], expiresAt: number): Promise<void>;
  /** What is stored of these calls of an account, and can be opened; in no order. */
  findReasoning(accountId: string, toolCallIds: readonly string[]): Promise<ReasoningEntry[]>;
}

/** Names of the methods, for the store's hand-over. */
export const reasoningMethods = { storeReasoning: true, findReasoning: true } as const satisfies Record<
  keyof ReasoningStore,
  true
>;
