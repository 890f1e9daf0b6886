/** A client call and its attempts, as the store writes and reads them. Types only. */
import type { PriceRow } from "@plaza/contract/catalog.ts";
import type { NanoUsd } from "@plaza/contract/money.ts";
import type { Operation } from "@plaza/contract/operations.ts";
import type { RequestState, Usage, UsageSource } from "@plaza/contract/usage.ts";
import type { Settlement } from "./settlement-shapes.ts";

/** One attempt at one deployment, as recorded for the account and the operator. */
export interface AttemptRecord {
  readonly upstreamId: string;
  readonly upstreamModel: string;
  /** Public id of the model of the attempt, if it differs from the requested one. */
  readonly model?: string | undefined;
  readonly askedModel?: string | undefined;
  /**
   * Why it failed; of two beside each other `superseded` where the other one was faster, `caller_left` where
   * the client disconnected from both. null for the one that answered, or that the request ended with.
   */
  readonly fault: string | null;
  /** HTTP status of the upstream, if one arrived. */
  readonly status: number | null;
  /**
   * Milliseconds from the request's arrival to its start. Attempts recorded before this was known have none.
   */
  readonly startMs?: number | undefined;
  readonly durationMs: number;
  /** Tokens the upstream reported for an attempt that was not charged, for the operator's costs. */
  readonly usage?: { readonly input: number; readonly output: number } | undefined;
  /** The upstream reported none; `usage` is the most that an abandoned attempt may have used. */
  readonly isBound?: true | undefined;
  /** What the upstream charges for that usage, in US dollars; absent: unknown. */
  readonly cost?: string | undefined;
}

/** The parts of the token classes that may have their own price. */
export type UsageParts = Pick<
  Usage,
  "audioInput" | "imageInput" | "audioOutput" | "imageOutput" | "longCacheWrite"
>;

/**
 * A finished client call. Times are Unix or elapsed milliseconds; token classes are disjoint
 * (contract/usage.ts).
 */
export interface RequestRow {
  readonly id: string;
  readonly createdAt: number;
  readonly accountId: string;
  readonly keyId: string;
  /** The requested public model id; null when the body named none. */
  readonly modelId: string | null;
  readonly upstreamId: string | null;
  /** The upstream's name of the model that answered. */
  readonly upstreamModel: string | null;
  readonly isStream: boolean;
  /** HTTP status sent; 499 when the client disconnected before one was. */
  readonly status: number;
  readonly state: RequestState;
  readonly errorCode: string | null;
  readonly attempts: number;
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  readonly usageSource: UsageSource;
  /** Parts of the token classes that are not 0; null when all are. */
  readonly usageParts: UsageParts | null;
  readonly firstTokenMs: number | null;
  readonly durationMs: number;
  readonly charge: NanoUsd;
  /**
   * What the upstreams charge for all attempts; null: unknown, because one that used tokens ran on a
   * deployment without a cost.
   */
  readonly cost: NanoUsd | null;
  /** Id of the price row for the charge; null when nothing was priced. */
  readonly priceId: number | null;
  /** All attempts in order; null for none or a single successful one. */
  readonly attemptLog: readonly AttemptRecord[] | null;
  /**
   * Whole milliseconds from the arrival to the start of the first attempt: reading the body, checks, waiting
   * for a permit. null when there was no attempt, and in rows recorded before this was known.
   */
  readonly queueMs: number | null;
  /** The operation of the called path, whatever else its model supports. */
  readonly operation: Operation;
}

/** A request as read from the database. */
export interface StoredRequest extends RequestRow {
  /** The part of the charge that the account could not pay; the operator bears it. */
  readonly loss: NanoUsd;
}

/** Store methods for requests. */
export interface RequestsStore {
  /**
   * Writes a row and its settlement; resolves when both are durable. Calls made close together share a
   * commit. A known request id changes nothing. Rejects when the queue is full or the disk refuses.
   */
  recordRequest(row: RequestRow, settlement?: Settlement): Promise<void>;
  /** Newest first. */
  listRequests(filter: { accountId?: string | undefined; limit: number }): Promise<StoredRequest[]>;
  /** A request with the price row it was charged by. */
  findRequest(id: string): Promise<{ request: StoredRequest; price: PriceRow | undefined } | undefined>;
  /** Number of requests this process passed to the store since it was opened. Answered in this process. */
  requestsGiven(): number;
}

/** Methods that `create-store.ts` forwards to the storage thread unchanged. */
export const requestMethods = {
  listRequests: true,
  findRequest: true,
} as const satisfies Record<Exclude<keyof RequestsStore, "recordRequest" | "requestsGiven">, true>;
