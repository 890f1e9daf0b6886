/** Audit log, settings of the installation, self-checks of the ledger: what the store offers of them. Loaded by the serving thread, so no SQL code here. */

export interface OperationStore {}

/** Every method of `OperationStore`; they are handed to the storage thread as they are (`create-store.ts`). */
export const operationMethods = {} as const satisfies Record<keyof OperationStore, true>;
