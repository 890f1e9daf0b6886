/** Store methods for sums and lists of requests. The serving thread loads this file, so it has no SQL. */
import type { PriceRow } from "@plaza/contract/catalog.ts";
import type { NanoUsd } from "@plaza/contract/money.ts";
import type { Operation } from "@plaza/contract/operations.ts";
import type { RequestState } from "@plaza/contract/usage.ts";
import type { ZoneStretch } from "../../lib/time/time-zone.ts";
import type { StoredRequest } from "../requests/shapes.ts";

/** Sums over requests. */
export interface UsageSums {
  readonly requests: number;
  readonly complete: number;
  readonly incomplete: number;
  readonly aborted: number;
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  readonly charge: NanoUsd;
  readonly loss: NanoUsd;
  /** Sum over requests with a known cost. */
  readonly cost: NanoUsd;
  readonly withoutCost: number;
  /** Requests with a first token, and the sum of their times to it. */
  readonly firstTokens: number;
  readonly firstTokenMs: number;
  readonly durationMs: number;
}

/** Sums by the requested names; undefined for the others. */
export interface UsageRow extends UsageSums {
  /** Days since 1970 in the stretches' time zone. */
  readonly day: number | undefined;
  readonly model: string | undefined;
  readonly key: string | undefined;
  readonly keyName: string | null | undefined;
  readonly account: string | undefined;
  readonly accountName: string | null | undefined;
  readonly operation: Operation | undefined;
  /** The user who made the key; "" when that is not known. */
  readonly member?: string | undefined;
}

/** Filters: values of one filter are alternatives, and all filters must match; absent: no restriction. */
export interface UsageFilter {
  readonly accounts?: readonly string[] | undefined;
  readonly keys?: readonly string[] | undefined;
  /** The empty string stands for requests without a servable model. */
  readonly models?: readonly string[] | undefined;
  /** Of the paths that were called. */
  readonly operations?: readonly Operation[] | undefined;
  /** Projects of the keys; "" stands for keys without one. */
  readonly projects?: readonly string[] | undefined;
  /** Tags of the keys, of which each is enough; "" stands for keys without one. */
  readonly tags?: readonly string[] | undefined;
}

/** What sums are grouped by, beside the day. `tags`: keys with the same list of tags are one group. */
export type UsageGroups = "none" | "model" | "key" | "account" | "operation" | "member" | "project" | "tags";

export interface UsageQuestion extends UsageFilter {
  /** Users who made the keys; "" stands for keys that no known user made. */
  readonly members?: readonly string[] | undefined;
  /** A second condition like `tags`: both must match. */
  readonly tagsToo?: readonly string[] | undefined;
  /** The range in half hours since 1970 (UTC), as stretches with one offset each; at least one. */
  readonly stretches: readonly ZoneStretch[];
  readonly byDay: boolean;
  /** Instead of days: hours counted from the start of the range, in `day`. */
  readonly byHour?: boolean | undefined;
  /** A key's rows also name its account. */
  readonly by: UsageGroups;
  readonly rowsMax: number;
}

export interface RequestFilter extends UsageFilter {
  readonly states?: readonly RequestState[] | undefined;
  readonly errorCode?: string | undefined;
  /** Start of the id. */
  readonly idPrefix?: string | undefined;
  /** Unix milliseconds, `toMs` exclusive. */
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
}

/** A position in the list, which is sorted by time and id, newest first. */
export interface RequestPosition {
  readonly createdAt: number;
  readonly id: string;
}

/** A request with the names of what it refers to; null if deleted. */
export interface NamedRequest {
  readonly request: StoredRequest;
  readonly keyName: string | null;
  readonly accountName: string | null;
}

export interface KeyNumbers {
  readonly keyId: string;
  /** Unix milliseconds, over all time. */
  readonly lastUsedAt: number;
  /** Number since the requested time, which is rounded down to the half hour. */
  readonly requests: number;
  readonly charge: NanoUsd;
}

/** Measurements of one model; unrounded. */
export interface ModelNumbers {
  readonly modelId: string;
  readonly requests: number;
  readonly complete: number;
  /** Truncated answers and upstream errors. */
  readonly unserved: number;
  readonly firstTokenP50Ms: number | null;
  readonly firstTokenP95Ms: number | null;
  /** Output tokens of complete streams, and their total time from the first token to the last. */
  readonly streamTokens: number;
  readonly streamMs: number;
}

/** How a model's requests of one half hour ended. Those that say nothing about the model are not counted. */
export interface ModelHalfHour {
  readonly modelId: string;
  /** Half hours since 1970 (UTC). */
  readonly slot: number;
  readonly complete: number;
  /** Truncated answers and upstream errors. */
  readonly unserved: number;
}

export interface UsageStore {
  /** True when rows are not summed yet and it is this process's turn. */
  claimUsageRollup(processId: string): Promise<boolean>;
  /**
   * Sums at most `rowsMax` further requests; resolves with their number, 0 when nothing is left at the
   * moment.
   */
  rollUpUsage(rowsMax: number): Promise<number>;
  /**
   * Sums what is left when that is a hundred requests at most; false: there is more to do, for `rollUpUsage`.
   * A server does not start its second storage thread for this, which takes 16 MB.
   */
  rollUpFew(): Promise<boolean>;
  /**
   * Sums only the next request, after it failed; if it cannot be summed it is skipped for good. Resolves with
   * its id, or undefined when none was skipped.
   */
  passUsageRow(): Promise<string | undefined>;
  /**
   * As `fillAccountLists` when there are a hundred requests at most to copy. Copies nothing when there are
   * more, and does not start the second storage thread.
   */
  fillListsWithFew(everyMs: number): Promise<boolean>;
  /**
   * Copies at most `rowsMax` further requests, with their charges, into the lists of their accounts, unless a
   * process has copied everything within the last `everyMs`. True when more is left.
   */
  fillAccountLists(rowsMax: number, everyMs: number): Promise<boolean>;
  /**
   * Sums over all requests, whether already summed or not, in one snapshot of the database. Returns undefined
   * when there are more than `rowsMax` rows.
   */
  sumUsage(question: UsageQuestion): Promise<readonly UsageRow[] | undefined>;
  /** The newest matching requests after a position; at most `limit`. */
  pageRequests(
    filter: RequestFilter,
    page: { after?: RequestPosition | undefined; limit: number },
  ): Promise<readonly NamedRequest[]>;
  /** A request with names, and the price row it was charged by. */
  findNamedRequest(id: string): Promise<(NamedRequest & { price: PriceRow | undefined }) | undefined>;
  /** For each key of an account that was ever used. */
  keyNumbers(accountId: string, sinceMs: number): Promise<readonly KeyNumbers[]>;
  /** For each model requested since then, which is rounded down to the half hour; at most three days ago. */
  modelNumbers(sinceMs: number): Promise<readonly ModelNumbers[]>;
  /**
   * For each model and half hour with requests that say something about the model, in no order; the start is
   * rounded down to the half hour, and at most three days ago.
   */
  modelHalfHours(sinceMs: number): Promise<readonly ModelHalfHour[]>;
}

/** Every method of `UsageStore`; `create-store.ts` forwards them to the storage thread unchanged. */
export const usageMethods = {
  claimUsageRollup: true,
  rollUpUsage: true,
  rollUpFew: true,
  passUsageRow: true,
  fillListsWithFew: true,
  fillAccountLists: true,
  sumUsage: true,
  pageRequests: true,
  findNamedRequest: true,
  keyNumbers: true,
  modelNumbers: true,
  modelHalfHours: true,
} as const satisfies Record<keyof UsageStore, true>;

/**
 * Methods that may read a lot, or write what no answer waits for; a server runs them in a separate thread.
 */
export const slowUsageMethods = [
  "rollUpUsage",
  "passUsageRow",
  "fillAccountLists",
  "sumUsage",
  "pageRequests",
  "keyNumbers",
  "modelNumbers",
  "modelHalfHours",
] as const;
