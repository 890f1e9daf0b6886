/** Redemption codes and pages of the ledger: what the store offers of them. Loaded by the serving thread, so no SQL code here. */

export interface CodesStore {}

/** Every method of `CodesStore`; they are handed to the storage thread as they are (`create-store.ts`). */
export const codesMethods = {} as const satisfies Record<keyof CodesStore, true>;
