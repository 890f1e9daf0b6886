/**
 * P15's table beyond the 38 faults: client errors, further statuses, and addresses without a server. Written
 * before the product was run, like `p15-table.ts`.
 */
import {
  brokenBefore,
  type Cells,
  cut,
  cutAfterUsage,
  failed,
  fellBack,
  fellBackAfter,
  four,
  harmless,
  isNoAnswer,
  late,
  outOfQuota,
  refusedUs,
  sound,
  throttled,
} from "./p15-table.ts";

/** The request itself is invalid: every deployment would reject it, so no other is tried. */
export function callersOwn(code: string, recordedAs?: string): Cells {
  const refused = failed(400, code, "invalid_request_error", { shouldRetry: false, recordedAs });
  return four(refused, refused);
}

const overloaded = failed(503, "no_available_upstream", "server_error", { shouldRetry: true });
/** The upstream reports a timeout; the caller gets a timeout error. */
const saysLate = failed(504, "upstream_timeout", "server_error", { shouldRetry: true });

export const moreTable: Readonly<Record<string, Cells>> = {
  // No fault: also called before each round, so that slowness of a new process is not taken for lateness.
  sound: harmless,
  status_400: callersOwn("invalid_value", "invalid_request"),
  status_400_context: callersOwn("context_length_exceeded"),
  status_400_filter: callersOwn("content_filter"),
  status_422: callersOwn("invalid_request"),
  status_404: four(refusedUs, fellBack),
  status_413: four(failed(413, "request_too_large", "request_too_large", { shouldRetry: false }), fellBack),
  status_429_plain: four(throttled(1, 1), fellBack),
  status_503: four(overloaded, fellBack),
  status_408: four(saysLate, fellBack),
  status_409: isNoAnswer,
  // The upstream sent Retry-After, so the same deployment is not retried immediately.
  status_500_wait: isNoAnswer,
  status_503_wait: four({ ...overloaded, retryAfter: [5, 5] }, fellBack),
  status_504: four(saysLate, fellBack),
  status_529: four(overloaded, fellBack),
  status_429_ms: four(throttled(3, 3), fellBack),
  status_429_half: four(throttled(1, 1), fellBack),
  status_429_past: four(throttled(0, 1), fellBack),
  status_429_quota: four(outOfQuota, fellBack),
  // Waiting does not help, so no Retry-After is sent.
  status_429_larger: four(
    failed(429, "rate_limit_exceeded", "rate_limit_error", { shouldRetry: false }),
    fellBack,
  ),
  throttled_in_band: four(throttled(1, 1), fellBack),
  empty_200: isNoAnswer,
  no_json: isNoAnswer,
  half_chunk: brokenBefore,
  done_without_finish: [cutAfterUsage, cutAfterUsage, sound, sound],
  closed_after_finish: [cut, cut, sound, sound],
  black_hole: four(late("connect"), fellBackAfter("connect")),
  plain_for_tls: brokenBefore,
};
