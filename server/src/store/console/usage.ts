/** Numbers and rows of requests: what the store offers of them. Loaded by the serving thread, so no SQL code here. */

export interface UsageStore {}

/** Every method of `UsageStore`; they are handed to the storage thread as they are (`create-store.ts`). */
export const usageMethods = {} as const satisfies Record<keyof UsageStore, true>;
