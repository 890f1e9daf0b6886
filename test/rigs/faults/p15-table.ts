/**
 * P15's table, written before the product was run: for each of the 38 upstream faults, streamed and whole,
 * with and without a fallback deployment, it states the error, the charge, the number of attempts and the
 * deadline. Derived from docs/operate/routing.md and, in docs/call, errors.md, billing.md and streaming.md,
 * without the product's code. It is about callers of chat at upstreams of chat; `p15-formats.ts` says what
 * differs on other routes.
 */

/** Timeouts of deployments whose fault is to send nothing, or too little. Milliseconds. */
export const shortTimers = {
  connect: 500,
  firstByte: 2_300,
  firstToken: 600,
  idle: 2_000,
  total: 4_000,
} as const;

/** Longest pause before the same deployment is tried again (routing.md). */
const repeatPauseMs = 200;
/** Time for reading 64 MiB before they are known to be invalid. */
const heavyMs = 1_000;

/** The expectation of one cell. */
export interface Expected {
  readonly status: number;
  /** `error.code` and `error.type`; undefined = no error. */
  readonly error: { readonly code: string; readonly type: string } | undefined;
  /**
   * The code in the request's row, if it differs from the caller's: an upstream's own code is passed on, but
   * not recorded.
   */
  readonly recordedAs?: string | undefined;
  /** The error is the last event of a stream that had begun. */
  readonly isInBand: boolean;
  /** `x-should-retry`; undefined = not checked. */
  readonly shouldRetry: boolean | undefined;
  /** Bounds of `Retry-After` in seconds; undefined = no header. */
  readonly retryAfter: readonly [number, number] | undefined;
  /** `told`: estimated, with the tokens that the upstream reported on the way. */
  readonly charge: "none" | "exact" | "estimated" | "told";
  readonly state: "complete" | "incomplete" | "failed";
  /** Attempts in the row; the upstreams' journals must agree. */
  readonly attempts: number;
  /** Deadline of the answer, not counting the upstream's own time. Milliseconds. */
  readonly deadlineMs: number;
  /** Duration of the timeout that must expire first; 0 = none. Milliseconds. */
  readonly earliestMs: number;
}

const good: Expected = {
  status: 200,
  error: undefined,
  isInBand: false,
  shouldRetry: undefined,
  retryAfter: undefined,
  charge: "exact",
  state: "complete",
  attempts: 1,
  deadlineMs: 0,
  earliestMs: 0,
};

export function failed(status: number, code: string, type: string, more: Partial<Expected>): Expected {
  return { ...good, status, error: { code, type }, charge: "none", state: "failed", ...more };
}

const upstreamError = (more: Partial<Expected>): Expected =>
  failed(502, "upstream_error", "server_error", more);

/** The fault is harmless: the answer is complete, with the upstream's usage. */
export const sound = good;
/** Complete, with missing or impossible usage: billing.md, "usage absent or nonsensical". */
export const uncounted: Expected = { ...good, charge: "estimated" };
/** Another deployment answered: the caller does not notice, and pays for the successful attempt. */
export const fellBack: Expected = { ...good, attempts: 2 };
/**
 * A connection error or a 5xx without a fallback: one retry after a pause; the SDK is told not to retry
 * again.
 */
export const brokenTwice = upstreamError({ shouldRetry: false, attempts: 2, deadlineMs: repeatPauseMs });
/** An invalid answer: another deployment is tried immediately, but not the same one again. */
export const noAnswer = upstreamError({ shouldRetry: true });
/** The upstream refused the operator's credential; retrying does not help. */
export const refusedUs = upstreamError({ shouldRetry: false });
export const outOfQuota = failed(503, "no_available_upstream", "server_error", { shouldRetry: false });
/** Content had arrived: the error is sent in the stream, and the delivered part is charged. */
export const cut: Expected = {
  ...good,
  error: { code: "upstream_error", type: "server_error" },
  isInBand: true,
  charge: "estimated",
  state: "incomplete",
};
/** The same after usage had arrived. */
export const cutAfterUsage: Expected = { ...cut, charge: "exact" };

export const throttled = (least: number, most: number): Expected =>
  failed(429, "rate_limit_exceeded", "rate_limit_error", { shouldRetry: true, retryAfter: [least, most] });

type Timer = keyof typeof shortTimers;
const runsOut = (timer: Timer) => ({ deadlineMs: shortTimers[timer], earliestMs: shortTimers[timer] });

/** A timeout expired before content. */
export const late = (timer: Timer): Expected =>
  failed(504, "upstream_timeout", "server_error", { shouldRetry: true, ...runsOut(timer) });
export const fellBackAfter = (timer: Timer): Expected => ({ ...fellBack, ...runsOut(timer) });
export const heavy = (expected: Expected): Expected => ({ ...expected, deadlineMs: heavyMs });

/** The four cells of a fault, in this order: stream, stream with fallback, whole, whole with fallback. */
export type Cells = readonly [Expected, Expected, Expected, Expected];

export const four = (alone: Expected, withFallback: Expected): Cells => [
  alone,
  withFallback,
  alone,
  withFallback,
];
export const harmless: Cells = four(sound, sound);
export const brokenBefore: Cells = four(brokenTwice, fellBack);
export const isNoAnswer: Cells = four(noAnswer, fellBack);
/** Half an answer: a stream has reached the caller; of a whole answer nothing has. */
const brokenHalfway: Cells = [cut, cut, brokenTwice, fellBack];

/** The expectation for each fault. Except for `heavy` and `late`, all errors must be immediate. */
export const table: Readonly<Record<string, Cells>> = {
  refuse: brokenBefore,
  hang_accept: [
    late("firstToken"),
    fellBackAfter("firstToken"),
    late("firstByte"),
    fellBackAfter("firstByte"),
  ],
  hang_headers: [late("firstToken"), fellBackAfter("firstToken"), late("idle"), fellBackAfter("idle")],
  // Each byte restarts the idle timeout.
  one_byte_per_second: [late("firstToken"), fellBackAfter("firstToken"), late("total"), late("total")],
  reset_before_headers: brokenBefore,
  reset_after_headers: brokenBefore,
  reset_mid_event: brokenHalfway,
  fin_mid_event: brokenHalfway,
  // Bytes that are not HTTP break the connection: nothing after them can be read.
  garbage: brokenBefore,
  html_200: isNoAnswer,
  status_500_body: brokenBefore,
  status_502_empty: brokenBefore,
  status_429_seconds: four(throttled(7, 7), fellBack),
  // A date 20 s ahead. It and the response's date are whole seconds, and a busy upstream's may be slightly
  // old.
  status_429_date: four(throttled(18, 22), fellBack),
  // Retry-After is limited to one hour.
  status_429_absurd: four(throttled(3_600, 3_600), fellBack),
  status_401: four(refusedUs, fellBack),
  status_402: four(outOfQuota, fellBack),
  status_403: four(refusedUs, fellBack),
  redirect_loopback: isNoAnswer,
  huge_line: four(heavy(noAnswer), heavy(fellBack)),
  endless_event: four(heavy(noAnswer), heavy(fellBack)),
  // Content bytes are passed through unchanged, whatever their encoding.
  invalid_utf8: harmless,
  split_utf8: harmless,
  // The content type announces a stream; as a whole answer that alone is invalid.
  bad_chunk_size: [brokenTwice, fellBack, noAnswer, fellBack],
  // A stream ends at its [DONE]; a whole answer shorter than its Content-Length was cut.
  wrong_content_length: [sound, sound, brokenTwice, fellBack],
  double_gzip: isNoAnswer,
  // An error object in a 200 without a stream is an invalid answer.
  error_in_band: [cut, cut, noAnswer, fellBack],
  usage_negative: four(uncounted, uncounted),
  usage_huge: four(uncounted, uncounted),
  // NaN is not JSON: an unreadable event after content, or an invalid body.
  usage_nan: [cut, cut, noAnswer, fellBack],
  usage_absent: four(uncounted, uncounted),
  usage_twice: harmless,
  usage_first: harmless,
  done_twice: harmless,
  done_never: [cutAfterUsage, cutAfterUsage, sound, sound],
  finish_unknown: harmless,
  duplicate_ids: harmless,
  clock_skew: harmless,
};

/** A cell of the table, before it is known where its call is made. */
export interface TableCell {
  readonly fault: string;
  readonly isStream: boolean;
  readonly hasFallback: boolean;
  readonly expected: Expected;
}

export const cellName = ({ fault, isStream, hasFallback }: Omit<TableCell, "expected">): string =>
  `${fault}.${isStream ? "stream" : "whole"}.${hasFallback ? "fallback" : "alone"}`;

/** All cells, fault by fault. */
export function cellsOf(rows: Readonly<Record<string, Cells>>): TableCell[] {
  return Object.entries(rows).flatMap(([fault, expected]) =>
    expected.map((one, index) => ({
      fault,
      isStream: index < 2,
      hasFallback: index % 2 === 1,
      expected: one,
    })),
  );
}

/** True when the cell only waits for a timeout. */
export const isWaiting = ({ fault }: TableCell): boolean =>
  ["hang_accept", "hang_headers", "one_byte_per_second", "black_hole"].includes(fault);
/** True when its upstream has no fault. */
export const isSound = ({ fault }: TableCell): boolean => fault === "sound";
/** True when the first upstream never sees the call. */
export const isUnreached = ({ fault }: TableCell): boolean =>
  ["refuse", "black_hole", "plain_for_tls"].includes(fault);
/** True when it moves tens of megabytes. */
export const isHeavy = ({ fault }: TableCell): boolean => ["huge_line", "endless_event"].includes(fault);
