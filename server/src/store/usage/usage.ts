/**
 * Numbers and rows of requests: what the store offers of them. Loaded by the
 * serving thread, so no SQL code here.
 */
import type { PriceRow } from "@plaza/contract/catalog.ts";
import type { NanoUsd } from "@plaza/contract/money.ts";
import type { Operation } from "@plaza/contract/operations.ts";
import type { RequestState } from "@plaza/contract/usage.ts";
import type { ZoneStretch } from "../../lib/time/time-zone.ts";
import type { StoredRequest } from "../requests/shapes.ts";

/** What requests add up to. */
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
  /** Of the requests whose cost is known. */
  readonly cost: NanoUsd;
  readonly withoutCost: number;
  /** Requests with a first token, and their times to it added up. */
  readonly firstTokens: number;
  readonly firstTokenMs: number;
  readonly durationMs: number;
}

/** Sums under the requested names; undefined for the others. */
export interface UsageRow extends UsageSums {
  /** Days since 1970 in the zone of the stretches. */
  readonly day: number | undefined;
  readonly model: string | undefined;
  readonly key: string | undefined;
  readonly keyName: string | null | undefined;
  readonly account: string | undefined;
  readonly accountName: string | null | undefined;
  readonly operation: Operation | undefined;
}

/** Filters: values of one are joined by "or", filters by "and"; absent = all. */
export interface UsageFilter {
  readonly accounts?: readonly string[] | undefined;
  readonly keys?: readonly string[] | undefined;
  /** Empty stands for requests that named no model that could be served. */
  readonly models?: readonly string[] | undefined;
  /** Of the paths that were called. */
  readonly operations?: readonly Operation[] | undefined;
}

/** What sums are grouped by, beside the day. */
export type UsageGroups = "none" | "model" | "key" | "account" | "operation";

export interface UsageQuestion extends UsageFilter {
  /** The range, in half hours since 1970 (UTC), in stretches of one offset each; at least one. */
  readonly stretches: readonly ZoneStretch[];
  readonly byDay: boolean;
  /** A key's rows name its account, too. */
  readonly by: UsageGroups;
  readonly rowsMax: number;
}

export interface RequestFilter extends UsageFilter {
  readonly states?: readonly RequestState[] | undefined;
  readonly errorCode?: string | undefined;
  /** How the id begins. */
  readonly idPrefix?: string | undefined;
  /** Unix milliseconds, `toMs` exclusive. */
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
}

/** A place in the list, which is ordered by time and id, the newest first. */
export interface RequestPosition {
  readonly createdAt: number;
  readonly id: string;
}

/** A request with the names of what it refers to; null where that is not there any more. */
export interface NamedRequest {
  readonly request: StoredRequest;
  readonly keyName: string | null;
  readonly accountName: string | null;
}

export interface KeyNumbers {
  readonly keyId: string;
  /** Unix milliseconds, of all time. */
  readonly lastUsedAt: number;
  /** Since the time asked about, which is rounded down to the half hour. */
  readonly requests: number;
  readonly charge: NanoUsd;
}

/** What was measured of one model; unrounded. */
export interface ModelNumbers {
  readonly modelId: string;
  readonly requests: number;
  readonly complete: number;
  /** Cut answers and errors of upstreams. */
  readonly unserved: number;
  readonly firstTokenP50Ms: number | null;
  readonly firstTokenP95Ms: number | null;
  /** Output of complete streams, and how long they took from the first token to the last. */
  readonly streamTokens: number;
  readonly streamMs: number;
}

export interface UsageStore {
  /** True when rows are not summed yet and it is this process's turn. */
  claimUsageRollup(processId: string): Promise<boolean>;
  /**
   * Adds up at most so many further requests; resolves with their number, 0
   * when nothing is left at the moment.
   */
  rollUpUsage(rowsMax: number): Promise<number>;
  /**
   * Adds up the next request alone, after it failed; where it cannot be added up it is passed over for good.
   * Resolves with its id, undefined where nothing was passed over.
   */
  passUsageRow(): Promise<string | undefined>;
  /**
   * Sums of all requests there are, whether they were added up before or not, in one view of the database.
   * undefined when there are more than `rowsMax` rows.
   */
  sumUsage(question: UsageQuestion): Promise<readonly UsageRow[] | undefined>;
  /** The newest requests that fit and come after a place; at most `limit`. */
  pageRequests(
    filter: RequestFilter,
    page: { after?: RequestPosition | undefined; limit: number },
  ): Promise<readonly NamedRequest[]>;
  /** One request with names, and the price row it was charged by. */
  findNamedRequest(id: string): Promise<(NamedRequest & { price: PriceRow | undefined }) | undefined>;
  /** Of each key of an account that was ever used. */
  keyNumbers(accountId: string, sinceMs: number): Promise<readonly KeyNumbers[]>;
  /** Of each model asked for since then, which is rounded down to the half hour; at most three days ago. */
  modelNumbers(sinceMs: number): Promise<readonly ModelNumbers[]>;
}

/** Every method of `UsageStore`; they are handed to the storage thread as they are (`create-store.ts`). */
export const usageMethods = {
  claimUsageRollup: true,
  rollUpUsage: true,
  passUsageRow: true,
  sumUsage: true,
  pageRequests: true,
  findNamedRequest: true,
  keyNumbers: true,
  modelNumbers: true,
} as const satisfies Record<keyof UsageStore, true>;

/**
 * Those that may read a lot, or write what no answer waits for: a server does them in a thread of their own.
 */
export const slowUsageMethods = [
  "rollUpUsage",
  "passUsageRow",
  "sumUsage",
  "pageRequests",
  "keyNumbers",
  "modelNumbers",
] as const;
