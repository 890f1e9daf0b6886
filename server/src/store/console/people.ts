/** Users, sessions, links, operator tokens and failed attempts: what the store offers of them. Loaded by the serving thread, so no SQL code here. */

export interface PeopleStore {}

/** Every method of `PeopleStore`; they are handed to the storage thread as they are (`create-store.ts`). */
export const peopleMethods = {} as const satisfies Record<keyof PeopleStore, true>;
