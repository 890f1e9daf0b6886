/**
 * Reports a finished request to metrics, traces and request log. Called only by `settle.ts`; traces and log
 * cost one check each when disabled.
 */
import { formatUsd } from "@plaza/contract/money.ts";
import type { Log } from "../../lib/telemetry/log.ts";
import type { RequestRow } from "../../store/requests/shapes.ts";
import type { Observe } from "./observe.ts";
import type { TraceContext, Tracer } from "./trace.ts";

/** The observers of requests. */
export interface Watchers {
  readonly observe: Observe;
  /** Absent without a configured collector. */
  readonly tracer: Tracer | undefined;
  /** Absent unless every request is logged. */
  readonly requestLog: Log | undefined;
}

export interface CallMarks {
  /** Unix milliseconds. */
  readonly createdAt: number;
  /** Monotonic milliseconds. */
  readonly startedMs: number;
  readonly trace: TraceContext | undefined;
  /** Client address; undefined when the request is not logged. */
  readonly sender: string | undefined;
}

/** When the upstream calls of a request began and ended, in monotonic milliseconds. */
export interface OutcomeMarks {
  /** Just before the first upstream call. */
  readonly dispatchedMs: number;
  /** The last upstream call ended. */
  readonly answeredMs: number;
}

/** When a request reached each stage; undefined = it did not. */
export interface RequestMarks {
  readonly endpoint: { readonly path: string };
  readonly call: CallMarks;
  readonly read: { readonly receivedMs: number } | undefined;
  readonly outcome: OutcomeMarks | undefined;
  /** The answer that was replayed. */
  readonly earlier: object | undefined;
}

/** A finished request, recorded or not. */
export interface Settled {
  readonly row: RequestRow;
  readonly model: string | undefined;
  readonly provider: string | undefined;
  /** Start and end of settling, in monotonic milliseconds. */
  readonly beganMs: number;
  readonly endedMs: number;
  readonly isRecorded: boolean;
}

/** Milliseconds spent in this process; undefined when no upstream was called. */
function overheadOf({ read, outcome }: RequestMarks, endedMs: number): number | undefined {
  if (read === undefined || outcome === undefined) return undefined;
  return outcome.dispatchedMs - read.receivedMs + endedMs - outcome.answeredMs;
}

/**
 * Lists all attempts with result and duration in milliseconds: `main answered 412`, `main timeout 5000,
 * backup answered 412`.
 */
function attemptsText(
  { attemptLog, upstreamId }: RequestRow,
  outcome: OutcomeMarks | undefined,
): string | undefined {
  if (attemptLog !== null)
    return attemptLog
      .map(({ upstreamId: id, fault, durationMs }) => `${id} ${fault ?? "answered"} ${durationMs}`)
      .join(", ");
  if (upstreamId === null || outcome === undefined) return undefined;
  return `${upstreamId} answered ${Math.round(outcome.answeredMs - outcome.dispatchedMs)}`;
}

function logRequest(log: Log, marks: RequestMarks, { row, endedMs, beganMs, isRecorded }: Settled): void {
  log.info("request", {
    request: row.id,
    ip: marks.call.sender,
    account: row.accountId,
    key: row.keyId,
    operation: row.operation,
    endpoint: marks.endpoint.path,
    model: row.modelId,
    upstream: row.upstreamId,
    stream: row.isStream,
    status: row.status,
    state: row.state,
    error: row.errorCode,
    attempts: row.attempts,
    tried: attemptsText(row, marks.outcome),
    replay: marks.earlier === undefined ? undefined : true,
    input: row.inputTokens + row.cachedInputTokens + row.cacheWriteTokens,
    output: row.outputTokens,
    charge: formatUsd(row.charge),
    firstTokenMs: row.firstTokenMs,
    ms: row.durationMs + Math.round(endedMs - beganMs),
    recorded: isRecorded,
  });
}

export function reportSettled(watchers: Watchers, marks: RequestMarks, settled: Settled): void {
  const { row, model, provider, beganMs, endedMs, isRecorded } = settled;
  const { call, outcome } = marks;
  watchers.observe.settled({
    row,
    path: marks.endpoint.path,
    model,
    provider,
    durationMs: endedMs - call.startedMs,
    overheadMs: overheadOf(marks, endedMs),
    settleMs: endedMs - beganMs,
    isRecorded,
  });
  if (call.trace !== undefined) {
    const wall = (elapsedMs: number): number => call.createdAt + elapsedMs - call.startedMs;
    watchers.tracer?.end({
      trace: call.trace,
      row,
      path: marks.endpoint.path,
      provider,
      startMs: call.createdAt,
      dispatchedMs: outcome && wall(outcome.dispatchedMs),
      answeredMs: outcome && wall(outcome.answeredMs),
      endMs: wall(endedMs),
    });
  }
  if (watchers.requestLog !== undefined) logRequest(watchers.requestLog, marks, settled);
}
