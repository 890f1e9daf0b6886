/** What the cost explorer asks of the store, and what it gets. Knows no SQL. */
import type { ZoneStretch } from "../../lib/time/time-zone.ts";
import type { UsageFilter, UsageSums } from "./usage.ts";

/**
 * What the explorer groups by. Upstreams are read from requests, everything else from sums. By tag a request
 * is of each group that its key has a tag of.
 */
export type ExploreGroups =
  | "model"
  | "key"
  | "account"
  | "operation"
  | "member"
  | "project"
  | "tag"
  | "upstream";

/** What decides which groups are shown by themselves. */
export type ExploreRank = "charge" | "cost" | "requests" | "tokens";

export interface ExploreFilter extends UsageFilter {
  /** Users who made the keys; "" stands for keys that no known user made. */
  readonly members?: readonly string[] | undefined;
}

export interface ExploreQuestion extends ExploreFilter {
  /** The period, as in `UsageQuestion`. */
  readonly stretches: readonly ZoneStretch[];
  /** The period it is compared with; ends where the other begins, or before. */
  readonly previous: readonly ZoneStretch[];
  /** Days of the stretches' time zone, or hours counted from the start of the period. */
  readonly grain: "day" | "hour";
  readonly by: ExploreGroups;
  readonly rank: ExploreRank;
  /** Most groups with spans of their own. */
  readonly top: number;
  readonly rowsMax: number;
  /** Most requests of both periods, where requests themselves are read. */
  readonly requestsMax: number;
}

/** Sums of one group. */
export interface GroupSums {
  /** "" where the requests name none. */
  readonly id: string;
  readonly sums: UsageSums;
}

/** Sums of one span; `span` is a day since 1970 in the time zone, or an hour of the period. */
export interface SpanSums {
  readonly span: number;
  readonly sums: UsageSums;
}

/** Sums of the period, of the one before, and of the period's spans. */
export interface WholeSums {
  readonly total: UsageSums;
  readonly previous: UsageSums;
  readonly spans: readonly SpanSums[];
}

/** All in one snapshot of the database, so that groups and spans add up to the same, except by tag. */
export interface ExploredUsage {
  /** Every group of the period, the first in rank first. */
  readonly groups: readonly (GroupSums & {
    readonly name: string | null;
    /** The keys of a member, at most `memberKeysMax`. */
    readonly keys: readonly string[];
  })[];
  /** Every group of the previous period. */
  readonly previous: readonly GroupSums[];
  /** Of the first groups only. */
  readonly parts: readonly (GroupSums & SpanSums)[];
  /** Every request once. */
  readonly all: WholeSums;
  /** Every request of the first groups once. */
  readonly first: WholeSums;
}

/** Most keys that are named for a member. */
export const memberKeysMax = 50;

export interface LatencyQuestion extends ExploreFilter {
  readonly stretches: readonly ZoneStretch[];
  /** day: groups are days since 1970 in the stretches' time zone, as text. */
  readonly by: ExploreGroups | "day";
  /** Most requests that are all read; of more, a sample of about so many is. */
  readonly requestsMax: number;
}

/**
 * Times of one group, or of its requests in one part of a sample, in whole milliseconds, unsorted. By tag a
 * group is a list of tags, as JSON, or "".
 */
export interface LatencyGroup {
  readonly id: string;
  /** From 0 to `sampleParts` (`latency-sample.ts`), exclusive; 0 where all requests are read. */
  readonly part: number;
  readonly name: string | null;
  /** Of requests with a first token. */
  readonly firstTokenMs: readonly number[];
  /** Of complete requests. */
  readonly durationMs: readonly number[];
}

/** Times of requests of a period. */
export interface Latencies {
  /** 1: all are read. n: a sample of one in n requests is. */
  readonly oneIn: number;
  readonly groups: readonly LatencyGroup[];
}

export interface ExploreStore {
  /** Sums of a period by group and span, and of the period before, in one snapshot. */
  exploreUsage(question: ExploreQuestion): Promise<ExploredUsage | "tooManyRows" | "tooManyRequests">;
  /**
   * Times of the requests of a period, by group. Undefined: far more than `requestsMax` came in the few
   * moments of the sample.
   */
  listLatencies(question: LatencyQuestion): Promise<Latencies | undefined>;
}

/** Every method of `ExploreStore`, forwarded like `usageMethods`. All may read a lot. */
export const exploreMethods = {
  exploreUsage: true,
  listLatencies: true,
} as const satisfies Record<keyof ExploreStore, true>;
