/**
 * Step 8, settle: how a request ended → its row, written durably. A caller gets the end of an answer only after this. The
 * charge joins the same write when money arrives (DESIGN.md section 6).
 */
import { GatewayError } from "@plaza/contract/errors.ts";
import { noUsage, type RequestState, type Usage, type UsageSource } from "@plaza/contract/usage.ts";
import { estimateUsage } from "../domain/estimate.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import type { RequestRow, Store } from "../store/store.ts";
import type { Caller } from "./authenticate.ts";
import type { Dispatched } from "./dispatch.ts";

/** What is known of a request before it ends. Filled step by step by `chat.ts`. */
export interface RequestSoFar {
  readonly id: string;
  /** Unix milliseconds. */
  readonly createdAt: number;
  /** Elapsed milliseconds. */
  readonly startedMs: number;
  readonly caller: Caller;
  modelId: string | null;
  isStream: boolean;
  promptBytes: number;
}

/** How it ended, as the row needs it. */
export interface Ending {
  readonly status: number;
  readonly state: RequestState;
  readonly errorCode: string | null;
  readonly dispatched: Dispatched | undefined;
}

export interface SettleContext {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
}

/** Upstream's own numbers first; our count of what was delivered second; nothing where nothing was. */
function countUsage(
  request: RequestSoFar,
  dispatched: Dispatched | undefined,
): { usage: Usage; source: UsageSource } {
  const end = dispatched?.end;
  if (end === undefined || end.kind === "fault") return { usage: noUsage, source: "none" };
  if (end.usage !== undefined) return { usage: end.usage, source: "exact" };
  const { delivered } = end;
  if (end.kind === "aborted" && delivered.events === 0) return { usage: noUsage, source: "none" };
  return { usage: estimateUsage({ promptBytes: request.promptBytes, ...delivered }), source: "estimated" };
}

function rowOf(request: RequestSoFar, ending: Ending, nowMs: number): RequestRow {
  const { dispatched } = ending;
  const { usage, source } = countUsage(request, dispatched);
  const firstMs = dispatched?.firstContentMs;
  return {
    id: request.id,
    createdAt: request.createdAt,
    accountId: request.caller.key.accountId,
    keyId: request.caller.key.id,
    modelId: request.modelId,
    upstreamId: dispatched?.live.live.upstream.id ?? null,
    upstreamModel: dispatched?.live.deployment.model ?? null,
    isStream: request.isStream,
    status: ending.status,
    state: ending.state,
    errorCode: ending.errorCode,
    attempts: dispatched?.attempts ?? 0,
    inputTokens: usage.input,
    cachedInputTokens: usage.cachedInput,
    cacheWriteTokens: usage.cacheWrite,
    outputTokens: usage.output,
    reasoningTokens: usage.reasoning,
    usageSource: source,
    firstTokenMs: firstMs === undefined ? null : Math.round(firstMs - request.startedMs),
    durationMs: Math.round(nowMs - request.startedMs),
  };
}

/** Resolves when the row is durable. Throws `ledger_unavailable` when it cannot be written. */
export async function settle(context: SettleContext, request: RequestSoFar, ending: Ending): Promise<void> {
  try {
    await context.store.recordRequest(rowOf(request, ending, context.clock.elapsedMs()));
  } catch (error) {
    context.log.error("request_not_recorded", { request: request.id, error: (error as Error).message });
    throw new GatewayError("ledger_unavailable");
  }
}
