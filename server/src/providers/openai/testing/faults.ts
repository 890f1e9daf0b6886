/**
 * Upstream failures in OpenAI's format (docs/wire/upstream-errors.md section 2) and the outcome each must
 * have. Written from the documentation, independently of the product code.
 */
import {
  badRequest,
  broken,
  busy,
  busyFor,
  type FaultCause,
  gone,
  late,
  noMoney,
  refusedUs,
  throttled,
  tooLarge,
  tooLong,
} from "../../testing/fault-outcomes.ts";

export const openaiFaults: readonly FaultCause[] = [
  { fault: "bad request", outcome: badRequest, words: [400, "something_new", "Invalid value for 'x'."] },
  {
    fault: "context",
    outcome: tooLong,
    words: [400, "context_length_exceeded", "This model's maximum context length is 8192 tokens."],
  },
  { fault: "too large", outcome: tooLarge, words: [413, "request_too_large", "Payload too large."] },
  { fault: "model gone", outcome: gone, words: [404, "model_not_found", "The model `m` does not exist."] },
  {
    fault: "bad credential",
    outcome: refusedUs,
    words: [401, "invalid_api_key", "Incorrect API key provided: sk-up-0***."],
  },
  {
    fault: "no money",
    outcome: noMoney,
    words: [429, "insufficient_quota", "You exceeded your current quota.", { type: "insufficient_quota" }],
  },
  {
    fault: "throttled",
    outcome: throttled(7),
    words: [429, "rate_limit_exceeded", "Slow down.", {}, { "retry-after": "7" }],
  },
  {
    fault: "throttled, in its text",
    outcome: throttled(21),
    words: [429, "rate_limit_exceeded", "Rate limit reached. Please try again in 20.5s."],
  },
  { fault: "overloaded", outcome: busy, words: [503, "server_is_overloaded", "Busy."] },
  {
    fault: "overloaded, with a wait",
    outcome: busyFor(9),
    words: [503, "slow_down", "Busy.", {}, { "retry-after": "9" }],
  },
  { fault: "broken", outcome: broken, words: [500, "server_error", "Oops."] },
  { fault: "timeout", outcome: late, words: [504, "timeout", "Too late."] },
];
