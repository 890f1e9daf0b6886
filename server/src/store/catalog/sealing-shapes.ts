/** The key that seals credentials, as the store keeps a mark of it. Types, and lists of names. */

/** The key that seals credentials, and its exchange. */
export interface SealingStore {
  /**
   * Opens every credential with any of these keys and seals it with the first, in one transaction; resolves
   * with their number. The keys are in the key file already, so that whoever seals meanwhile uses the same
   * one. Throws `unreadable_credentials`.
   */
  resealCredentials(secretKeys: Uint8Array): Promise<number>;
  /**
   * Says that this process seals with its key; throws `another_secret_key` when the installation has
   * another one. The first process of an installation makes its own the installation's. Everything
   * that seals asks the same by itself.
   */
  claimSealingKey(): Promise<void>;
  /**
   * Makes this process's key the installation's after the old one was
   * lost; what that sealed stays unreadable.
   */
  resetSealingKey(): Promise<void>;
}

/** Its methods that are handed to the storage thread as they are (`create-store.ts`). */
export const sealingMethods = {
  resealCredentials: true,
  claimSealingKey: true,
  resetSealingKey: true,
} as const satisfies Record<keyof SealingStore, true>;

/** The keys that seal credentials. */
export interface KeySource {
  readonly secretKey: Uint8Array;
  /** Where they are looked up again whenever they are needed: they may have been exchanged. */
  readonly secretKeyFile?: string | undefined;
}
