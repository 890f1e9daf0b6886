/**
 * Where the time of a request went, for a drawing: Plaza's part, then each attempt, the answering one split
 * at its first token. Plaza keeps how long attempts took, not when they began: they are placed one after the
 * other so that the last ends with the request, and what remains is Plaza's. Pure.
 */

/** What it reads of a request. */
export interface TimedRequest {
  readonly durationMs: number;
  readonly firstTokenMs: number | null;
  readonly attemptList: readonly {
    readonly number: number;
    readonly outcome: string;
    readonly durationMs: number;
  }[];
}

/** `plaza`: checks, queue, waits between attempts. `waiting`: until the first token. `failed`: no answer. */
export type SegmentKind = "plaza" | "waiting" | "generating" | "failed";

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

/** The lines, Plaza's first. */
export function timelineOf(request: TimedRequest): readonly TimelineRow[] {
  const { durationMs, firstTokenMs, attemptList } = request;
  let endMs = durationMs;
  const placed: TimelineRow[] = [];
  // Backwards: only the end of the last one is known.
  for (const { number, outcome, durationMs: tookMs } of attemptList.toReversed()) {
    const isHedge = outcome === "superseded";
    // A hedge ran beside the attempt that won, until that one's first token.
    const toMs = isHedge ? between(firstTokenMs ?? durationMs, 0, durationMs) : endMs;
    const fromMs = Math.max(0, toMs - tookMs);
    if (!isHedge) endMs = fromMs;
    placed.push({
      attempt: number,
      segments: segmentsOf(fromMs, toMs, answering.has(outcome), firstTokenMs),
    });
  }
  const plaza: TimelineRow = { attempt: null, segments: [{ kind: "plaza", fromMs: 0, toMs: endMs }] };
  return [...(endMs > 0 ? [plaza] : []), ...placed.toReversed()];
}

/** Round times for a scale that ends at `totalMs`: 0 and at most five more. */
export function ticksOf(totalMs: number): readonly number[] {
  if (totalMs <= 0) return [0];
  let step = 1;
  for (let at = 0; totalMs / step > 5; at += 1) step *= at % 3 === 1 ? 2.5 : 2;
  const count = Math.floor(totalMs / step);
  return Array.from({ length: count + 1 }, (_, at) => at * step);
}
