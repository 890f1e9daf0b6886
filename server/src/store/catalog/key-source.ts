/** The keys that seal credentials. Types only. */
/** The keys that seal credentials. */
export interface KeySource {
  readonly secretKey: Uint8Array;
  /** Where they are looked up again whenever they are needed: they may have been exchanged. */
  readonly secretKeyFile?: string | undefined;
}
