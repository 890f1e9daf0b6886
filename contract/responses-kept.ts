/** Bounds of how long answers of `POST /v1/responses` are kept for the caller's next turn. */

/** Longest time, in milliseconds: a year. */
export const responsesKeptMaxMs = 365 * 24 * 60 * 60 * 1000;
