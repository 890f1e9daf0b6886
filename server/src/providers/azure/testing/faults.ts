/**
 * Upstream failures in Azure's format (docs/wire/upstream-errors.md section 2) and the outcome each must
 * have. Written from the documentation, independently of the product code.
 */
import {
  badRequest,
  broken,
  busy,
  type FaultCause,
  filtered,
  gone,
  late,
  refusedUs,
  throttled,
  tooLong,
} from "../../testing/fault-outcomes.ts";

export const azureFaults: readonly FaultCause[] = [
  { fault: "bad request", outcome: badRequest, words: [400, "BadRequest", "Unknown thing."] },
  {
    fault: "content filter",
    outcome: filtered,
    words: [
      400,
      "content_filter",
      "The response was filtered.",
      { param: "prompt", innererror: { code: "ResponsibleAIPolicyViolation" } },
    ],
  },
  {
    fault: "context",
    outcome: tooLong,
    words: [400, "context_length_exceeded", "This model's maximum context length is 8192 tokens."],
  },
  {
    fault: "model gone",
    outcome: gone,
    words: [404, "DeploymentNotFound", "The API deployment for this resource does not exist."],
  },
  {
    fault: "bad credential",
    outcome: refusedUs,
    words: [401, "401", "Access denied due to invalid subscription key."],
  },
  {
    fault: "no permission",
    outcome: refusedUs,
    words: [403, "PermissionDenied", "Principal does not have access."],
  },
  {
    fault: "throttled",
    outcome: throttled(3),
    words: [
      429,
      "RateLimitReached",
      "Please retry after 3 seconds.",
      {},
      { "retry-after-ms": "2500", "retry-after": "3" },
    ],
  },
  { fault: "overloaded", outcome: busy, words: [503, "ServiceUnavailable", "Busy."] },
  { fault: "broken", outcome: broken, words: [500, "InternalServerError", "Oops."] },
  { fault: "timeout", outcome: late, words: [408, "Timeout", "The operation was timeout."] },
];
