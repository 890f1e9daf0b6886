/** How much of the requests themselves is read for one answer. Figures alone: the console loads them, too. */

/**
 * Most days, and most requests, where requests themselves are read: for upstreams. Of more requests than that
 * a sample is read for latency.
 */
export const exploreRequestDaysMax = 7;
export const exploreRequestsMax = 100_000;

/** Most days of latencies: a quarter. What they cost is bounded by the size of the sample. */
export const latencyDaysMax = 92;
