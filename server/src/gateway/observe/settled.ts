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

/** When a request reached each stage, in monotonic milliseconds; undefined = it did not. */
export interface RequestMarks {
  readonly endpoint: { readonly path: string };
  /** Unix milliseconds. */
  readonly createdAt: number;
  readonly startedMs: number;
  /** The last byte of the body arrived. */
  readonly receivedMs: number | undefined;
  /** Just before the first upstream call. */
  readonly dispatchedMs: number | undefined;
  /** The last upstream call ended. */
  readonly answeredMs: number | undefined;
  readonly trace: TraceContext | undefined;
  /** Client address; undefined when the request is not logged. */
  readonly sender: string | undefined;
  /** True when a stored answer was replayed. */
  readonly isReplay: boolean;
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
function overheadOf(
  { receivedMs, dispatchedMs, answeredMs }: RequestMarks,
  endedMs: number,
): number | undefined {
  if (receivedMs === undefined || dispatchedMs === undefined || answeredMs === undefined) return undefined;
  return dispatchedMs - receivedMs + endedMs - answeredMs;
}

/**
 * Lists all attempts with result and duration in milliseconds: `main answered 412`, `main timeout 5000,
 * backup answered 412`.
 */
function attemptsText({ attemptLog, upstreamId }: RequestRow, marks: RequestMarks): string | undefined {
  if (attemptLog !== null)
    return attemptLog
      .map(({ upstreamId: id, fault, durationMs }) => `${id} ${fault ?? "answered"} ${durationMs}`)
      .join(", ");
  const { dispatchedMs, answeredMs } = marks;
  if (upstreamId === null || dispatchedMs === undefined || answeredMs === undefined) return undefined;
  return `${upstreamId} answered ${Math.round(answeredMs - dispatchedMs)}`;
}

function logRequest(log: Log, marks: RequestMarks, { row, endedMs, beganMs, isRecorded }: Settled): void {
  log.info("request", {
    request: row.id,
    ip: marks.sender,
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
    tried: attemptsText(row, marks),
    replay: marks.isReplay ? true : undefined,
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
  watchers.observe.settled({
    row,
    path: marks.endpoint.path,
    model,
    provider,
    durationMs: endedMs - marks.startedMs,
    overheadMs: overheadOf(marks, endedMs),
    settleMs: endedMs - beganMs,
    isRecorded,
  });
  if (marks.trace !== undefined) {
    const wall = (elapsedMs: number): number => marks.createdAt + elapsedMs - marks.startedMs;
    watchers.tracer?.end({
      trace: marks.trace,
      row,
      path: marks.endpoint.path,
      provider,
      startMs: marks.createdAt,
      dispatchedMs: marks.dispatchedMs === undefined ? undefined : wall(marks.dispatchedMs),
      answeredMs: marks.answeredMs === undefined ? undefined : wall(marks.answeredMs),
      endMs: wall(endedMs),
    });
  }
  if (watchers.requestLog !== undefined) logRequest(watchers.requestLog, marks, settled);
}
