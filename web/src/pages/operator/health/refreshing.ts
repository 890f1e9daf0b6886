/** Calm enough to read, soon enough to see an act take effect; a page in the background asks nothing. */
export const everyMs = 5_000;
