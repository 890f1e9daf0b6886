/** API keys and accounts as the console changes them, and passes: what the store offers of them. Loaded by the serving thread, so no SQL code here. */

export interface KeysStore {}

/** Every method of `KeysStore`; they are handed to the storage thread as they are (`create-store.ts`). */
export const keysMethods = {} as const satisfies Record<keyof KeysStore, true>;
