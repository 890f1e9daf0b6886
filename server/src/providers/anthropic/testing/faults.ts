/**
 * Upstream failures in Anthropic's format (docs/wire/upstream-errors.md section 2) and the outcome each must
 * have. Written from the documentation, independently of the product code.
 */
import {
  badRequest,
  broken,
  busy,
  busyFor,
  type FaultCause,
  filtered,
  gone,
  late,
  noMoney,
  refusedUs,
  throttled,
  tooLarge,
  tooLong,
} from "../../testing/fault-outcomes.ts";

export const anthropicFaults: readonly FaultCause[] = [
  {
    fault: "bad request",
    outcome: badRequest,
    words: [400, "invalid_request_error", "messages.0: wrong."],
  },
  {
    fault: "content filter",
    outcome: filtered,
    words: [400, "invalid_request_error", "Output blocked by content filtering policy"],
  },
  {
    fault: "context",
    outcome: tooLong,
    words: [400, "invalid_request_error", "prompt is too long: 215034 tokens > 200000 maximum"],
  },
  {
    fault: "too large",
    outcome: tooLarge,
    words: [413, "request_too_large", "Request exceeds the maximum allowed number of bytes."],
  },
  { fault: "model gone", outcome: gone, words: [404, "not_found_error", "model: m"] },
  {
    fault: "bad credential",
    outcome: refusedUs,
    words: [401, "authentication_error", "invalid x-api-key"],
  },
  {
    fault: "no permission",
    outcome: refusedUs,
    words: [403, "permission_error", "Your API key does not have permission."],
  },
  {
    fault: "no money",
    outcome: noMoney,
    words: [400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API."],
  },
  {
    fault: "spend limit",
    outcome: noMoney,
    words: [429, "rate_limit_error", "Limit.", { details: { error_code: "workspace_spend_limit_reached" } }],
  },
  {
    fault: "throttled",
    outcome: throttled(11),
    words: [429, "rate_limit_error", "This request would exceed your limit.", {}, { "retry-after": "11" }],
  },
  { fault: "overloaded", outcome: busy, words: [529, "overloaded_error", "Overloaded"] },
  {
    fault: "overloaded, with a wait",
    outcome: busyFor(4),
    words: [529, "overloaded_error", "Overloaded", {}, { "retry-after": "4" }],
  },
  { fault: "broken", outcome: broken, words: [500, "api_error", "Internal server error"] },
  { fault: "timeout", outcome: late, words: [504, "timeout_error", "Request timed out."] },
];
