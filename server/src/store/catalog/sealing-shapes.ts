/** Methods for the key that seals credentials. Types, and the list of methods. */

/** The key that seals credentials, and its exchange. */
export interface SealingStore {
  /**
   * Opens every credential with any of these keys and seals it with the first, in one transaction; resolves
   * with their number. The keys must already be in the key file, so that other processes seal with the same
   * one. Throws `unreadable_credentials`.
   */
  resealCredentials(secretKeys: Uint8Array): Promise<number>;
  /**
   * Checks this process's key. Throws `another_secret_key` when the installation has another one. The first
   * process of an installation makes its key the installation's. Every method that seals checks the same.
   */
  claimSealingKey(): Promise<void>;
  /**
   * Makes this process's key the installation's after the old one was lost. What the old key sealed stays
   * unreadable.
   */
  resetSealingKey(): Promise<void>;
}

/** Methods that `create-store.ts` forwards to the storage thread unchanged. */
export const sealingMethods = {
  resealCredentials: true,
  claimSealingKey: true,
  resetSealingKey: true,
} as const satisfies Record<keyof SealingStore, true>;

/** The keys that seal credentials. */
export interface KeySource {
  readonly secretKey: Uint8Array;
  /** The file the keys are read from again when needed, because they may have been exchanged. */
  readonly secretKeyFile?: string | undefined;
}
