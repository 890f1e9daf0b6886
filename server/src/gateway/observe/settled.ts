/**
 * Tells everybody who watches that a request is over: the counters, the trace, the request log. Called at one
 * place, `settle.ts`; costs two tests where nobody but the counters listens.
 */
import { formatUsd } from "@plaza/contract/money.ts";
import type { Log } from "../../lib/telemetry/log.ts";
import type { RequestRow } from "../../store/requests/shapes.ts";
import type { Observe } from "./observe.ts";
import type { TraceContext, Tracer } from "./trace.ts";

/** Who watches. */
export interface Watchers {
  readonly observe: Observe;
  /** Absent where no collector is configured. */
  readonly tracer: Tracer | undefined;
  /** Absent unless every request is to have its line. */
  readonly requestLog: Log | undefined;
}

/** When a request came how far: the clock's elapsed milliseconds, undefined = it did not. */
export interface RequestMarks {
  /** Unix milliseconds. */
  readonly createdAt: number;
  readonly startedMs: number;
  /** The body's last byte was here. */
  readonly receivedMs: number | undefined;
  /** The first upstream call was about to be made. */
  readonly dispatchedMs: number | undefined;
  /** The last upstream call was over. */
  readonly answeredMs: number | undefined;
  readonly trace: TraceContext | undefined;
  /** Address the call came from; undefined where no line is written of it. */
  readonly sender: string | undefined;
  /** Was it answered with what is kept of an earlier call? */
  readonly isReplay: boolean;
}

/** A request that was written down, or could not be. */
export interface Settled {
  readonly row: RequestRow;
  readonly model: string | undefined;
  readonly provider: string | undefined;
  /** When settling began and ended, elapsed milliseconds. */
  readonly beganMs: number;
  readonly endedMs: number;
  readonly isRecorded: boolean;
}

/** What this process used of the time; undefined where no upstream was called. */
function overheadOf(
  { receivedMs, dispatchedMs, answeredMs }: RequestMarks,
  endedMs: number,
): number | undefined {
  if (receivedMs === undefined || dispatchedMs === undefined || answeredMs === undefined) return undefined;
  return dispatchedMs - receivedMs + endedMs - answeredMs;
}

/**
 * Every attempt with how it ended and how long it took: `main answered 412`,
 * `main timeout 5000, backup answered 412`.
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
      provider,
      startMs: marks.createdAt,
      dispatchedMs: marks.dispatchedMs === undefined ? undefined : wall(marks.dispatchedMs),
      answeredMs: marks.answeredMs === undefined ? undefined : wall(marks.answeredMs),
      endMs: wall(endedMs),
    });
  }
  if (watchers.requestLog !== undefined) logRequest(watchers.requestLog, marks, settled);
}
