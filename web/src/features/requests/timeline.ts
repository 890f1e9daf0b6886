/**
 * Where the time of a request went, for a drawing: the queue, then each attempt, the answering one split at
 * its first token. Requests recorded before Plaza kept when attempts begin: they are placed one after the
 * other so that the last ends with the request, and what remains is Plaza's. Pure.
 */

/** What it reads of a request. */
export interface TimedRequest {
  readonly isStream: boolean;
  readonly durationMs: number;
  readonly firstTokenMs: number | null;
  /** From the arrival to the first attempt; null: no attempt, or not recorded. */
  readonly queueMs: number | null;
  readonly attemptList: readonly TimedAttempt[];
}

interface TimedAttempt {
  readonly number: number;
  readonly outcome: string;
  /** From the arrival; null: not recorded. */
  readonly startMs: number | null;
  readonly durationMs: number;
  /** From its start; null: no token, a whole answer, or not recorded. */
  readonly firstTokenMs: number | null;
  /** The operator's requests name it. */
  readonly upstream?: string;
}

/**
 * `queue`: until the first attempt. `plaza`: checks, queue, waits between attempts, where they cannot be told
 * apart. `waiting`: until the first token. `whole`: until an answer that is not streamed. `failed`: no
 * answer.
 */
export type SegmentKind = "queue" | "plaza" | "waiting" | "whole" | "generating" | "failed";

/** A span of time, in whole milliseconds since the request came. */
export interface Segment {
  readonly kind: SegmentKind;
  readonly fromMs: number;
  readonly toMs: number;
}

/** A line of the drawing. */
export interface TimelineRow {
  /** The attempt; null for Plaza's part. */
  readonly attempt: number | null;
  /** The upstream of the attempt, where it is known and the start was recorded. */
  readonly upstream?: string;
  /** How the attempt ended, if not with the answer. */
  readonly failure?: string;
  readonly segments: readonly Segment[];
}

/** Outcomes with content, or with a caller who was waiting for it. */
const answering: ReadonlySet<string> = new Set(["answered", "cut", "caller_left"]);

const between = (value: number, min: number, max: number): number => Math.min(Math.max(value, min), max);

function segmentsOf(fromMs: number, toMs: number, isAnswer: boolean, firstMs: number | null): Segment[] {
  if (!isAnswer) return [{ kind: "failed", fromMs, toMs }];
  if (firstMs === null) return [{ kind: "waiting", fromMs, toMs }];
  const atMs = between(firstMs, fromMs, toMs);
  return [
    { kind: "waiting", fromMs, toMs: atMs },
    { kind: "generating", fromMs: atMs, toMs },
  ];
}

/** True when it is known when each attempt began. */
export const hasStarts = ({ attemptList }: Pick<TimedRequest, "attemptList">): boolean =>
  attemptList.every(({ startMs }) => startMs !== null);

/** The lines, Plaza's first. */
export function timelineOf(request: TimedRequest): readonly TimelineRow[] {
  const { queueMs } = request;
  return queueMs !== null && hasStarts(request) ? recorded(request, queueMs) : placed(request);
}

/** The queue and the attempts, each where it was. */
function recorded({ isStream, durationMs, attemptList }: TimedRequest, queueMs: number): TimelineRow[] {
  const within = (ms: number): number => between(ms, 0, durationMs);
  const queue: Segment = { kind: "queue", fromMs: 0, toMs: within(queueMs) };
  const attempts = attemptList.map((attempt): TimelineRow => {
    const { number, outcome, upstream, startMs, firstTokenMs } = attempt;
    const beganMs = startMs ?? 0;
    const isAnswer = answering.has(outcome);
    const firstMs = firstTokenMs === null ? null : beganMs + firstTokenMs;
    const fromMs = within(beganMs);
    const toMs = within(beganMs + attempt.durationMs);
    return {
      attempt: number,
      ...(upstream === undefined ? {} : { upstream }),
      ...(isAnswer && outcome !== "cut" ? {} : { failure: outcome }),
      segments:
        isAnswer && !isStream
          ? [{ kind: "whole", fromMs, toMs }]
          : segmentsOf(fromMs, toMs, isAnswer, firstMs),
    };
  });
  return [{ attempt: null, segments: [queue] }, ...attempts];
}

/** The attempts one after the other. */
function placed({ durationMs, firstTokenMs, attemptList }: TimedRequest): TimelineRow[] {
  let endMs = durationMs;
  const rows: TimelineRow[] = [];
  // Backwards: only the end of the last one is known.
  for (const { number, outcome, durationMs: tookMs } of attemptList.toReversed()) {
    const isHedge = outcome === "superseded";
    // A hedge ran beside the attempt that won, until that one's first token.
    const toMs = isHedge ? between(firstTokenMs ?? durationMs, 0, durationMs) : endMs;
    const fromMs = Math.max(0, toMs - tookMs);
    if (!isHedge) endMs = fromMs;
    rows.push({
      attempt: number,
      segments: segmentsOf(fromMs, toMs, answering.has(outcome), firstTokenMs),
    });
  }
  const plaza: TimelineRow = { attempt: null, segments: [{ kind: "plaza", fromMs: 0, toMs: endMs }] };
  return [...(endMs > 0 ? [plaza] : []), ...rows.toReversed()];
}

/** Round times for a scale that ends at `totalMs`: 0 and at most five more. */
export function ticksOf(totalMs: number): readonly number[] {
  if (totalMs <= 0) return [0];
  let step = 1;
  for (let at = 0; totalMs / step > 5; at += 1) step *= at % 3 === 1 ? 2.5 : 2;
  const count = Math.floor(totalMs / step);
  return Array.from({ length: count + 1 }, (_, at) => at * step);
}
