/** One client call and its tries, as the store keeps them and gives them back. Shapes only. */
import type { PriceRow } from "@plaza/contract/catalog.ts";
import type { NanoUsd } from "@plaza/contract/money.ts";
import type { Operation } from "@plaza/contract/operations.ts";
import type { RequestState, Usage, UsageSource } from "@plaza/contract/usage.ts";
import type { Settlement } from "./settlement-shapes.ts";

/** One try at one deployment, as it is kept for the account and the operator. */
export interface AttemptRecord {
  readonly upstreamId: string;
  readonly upstreamModel: string;
  /** Public id of the model tried, and of the one asked for, where they differ. */
  readonly model?: string | undefined;
  readonly askedModel?: string | undefined;
  /**
   * Why it failed; of two beside each other `superseded` where the other one was faster, `caller_left` where
   * the caller left both. null for the one that answered, or that the request ended with.
   */
  readonly fault: string | null;
  /** HTTP status of the upstream, where one arrived. */
  readonly status: number | null;
  readonly durationMs: number;
  /** Tokens the upstream reported for a try that was not charged, for the operator's costs. */
  readonly usage?: { readonly input: number; readonly output: number } | undefined;
  /** The upstream reported none: `usage` is the most it may have used of a try that was given up. */
  readonly isBound?: true | undefined;
  /** What the upstream bills for that usage, in US dollars; absent = unknown. */
  readonly cost?: string | undefined;
}

/** The parts of the classes that may have their own price. */
export type UsageParts = Pick<
  Usage,
  "audioInput" | "imageInput" | "audioOutput" | "imageOutput" | "longCacheWrite"
>;

/**
 * One client call, as it ended. Times are Unix or elapsed milliseconds; tokens are
 * disjoint classes (contract/usage.ts).
 */
export interface RequestRow {
  readonly id: string;
  readonly createdAt: number;
  readonly accountId: string;
  readonly keyId: string;
  /** Public model id as asked for; null when the body never named one. */
  readonly modelId: string | null;
  readonly upstreamId: string | null;
  /** The model's name at the upstream that answered. */
  readonly upstreamModel: string | null;
  readonly isStream: boolean;
  /** HTTP status sent (499 when the caller left before one was). */
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
  /** Parts of the classes that are not 0; null when all are. */
  readonly usageParts: UsageParts | null;
  readonly firstTokenMs: number | null;
  readonly durationMs: number;
  readonly charge: NanoUsd;
  /**
   * What the upstreams bill for all attempts; null = unknown: one that used tokens
   * ran on a deployment without a cost.
   */
  readonly cost: NanoUsd | null;
  /** Id of the price row the charge was computed with; null when nothing was priced. */
  readonly priceId: number | null;
  /** Every attempt in order; null when there was none, or one that answered. */
  readonly attemptLog: readonly AttemptRecord[] | null;
  /** Of the path that was called, whatever else its model is for. */
  readonly operation: Operation;
}

/** A request as it is read back. */
export interface StoredRequest extends RequestRow {
  /** Part of the charge that the account could not pay and the operator bears. */
  readonly loss: NanoUsd;
}

/** Rows of requests: written with what they do to the money, and read. */
export interface RequestsStore {
  /**
   * Writes one row with what it does to the money; resolves when both are durable. Calls made
   * close together share one commit. A request id that is there already changes nothing. Rejects
   * when the queue is full or the disk refuses.
   */
  recordRequest(row: RequestRow, settlement?: Settlement): Promise<void>;
  /** Newest first. */
  listRequests(filter: { accountId?: string | undefined; limit: number }): Promise<StoredRequest[]>;
  /** One request with the price row it was charged by. */
  findRequest(id: string): Promise<{ request: StoredRequest; price: PriceRow | undefined } | undefined>;
  /** How many requests this process gave the store since it was opened. Known here, without asking it. */
  requestsGiven(): number;
}

/** Its methods that are handed to the storage thread as they are (`create-store.ts`). */
export const requestMethods = {
  listRequests: true,
  findRequest: true,
} as const satisfies Record<Exclude<keyof RequestsStore, "recordRequest" | "requestsGiven">, true>;
