/**
 * Upstream failures in Bedrock's format (docs/wire/upstream-errors.md section 2) and the outcome each must
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
  noAnswer,
  noMoney,
  notThere,
  refusedUs,
  throttled,
  tooLong,
} from "../../testing/fault-outcomes.ts";

export const bedrockFaults: readonly FaultCause[] = [
  {
    fault: "bad request",
    outcome: badRequest,
    words: [400, "ValidationException", "The toolConfig is not valid."],
  },
  {
    fault: "content filter",
    outcome: filtered,
    words: [400, "ValidationException", "Output blocked by content filtering policy"],
  },
  {
    fault: "context",
    outcome: tooLong,
    words: [400, "ValidationException", "Input is too long for requested model."],
  },
  {
    fault: "model gone",
    outcome: gone,
    words: [404, "ResourceNotFoundException", "Could not resolve the foundation model."],
  },
  {
    fault: "wrong model",
    outcome: notThere,
    words: [400, "ValidationException", "The provided model identifier is invalid."],
  },
  {
    fault: "bad credential",
    outcome: refusedUs,
    words: [403, "UnrecognizedClientException", "The security token included in the request is invalid."],
  },
  {
    fault: "expired",
    outcome: refusedUs,
    words: [403, "ExpiredTokenException", "The security token included in the request is expired"],
  },
  { fault: "no money", outcome: noMoney, words: [400, "ServiceQuotaExceededException", "Quota."] },
  {
    fault: "throttled",
    outcome: throttled(1),
    words: [429, "ThrottlingException", "Too many requests, please wait before trying again."],
  },
  {
    fault: "throttled, with a wait",
    outcome: throttled(6),
    words: [429, "ThrottlingException", "Too many tokens, please wait.", {}, { "retry-after": "6" }],
  },
  { fault: "not ready", outcome: busy, words: [429, "ModelNotReadyException", "The model is not ready."] },
  { fault: "overloaded", outcome: busy, words: [503, "ServiceUnavailableException", "Busy."] },
  { fault: "broken", outcome: broken, words: [500, "InternalServerException", "Oops."] },
  { fault: "model failed", outcome: noAnswer, words: [424, "ModelErrorException", "The model failed."] },
  { fault: "timeout", outcome: late, words: [408, "ModelTimeoutException", "Too late."] },
];
