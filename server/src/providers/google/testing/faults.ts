/**
 * Upstream failures in Google's format (docs/wire/upstream-errors.md section 2) and the outcome each must
 * have. Written from the documentation, independently of the product code.
 */
import {
  badRequest,
  broken,
  busy,
  type FaultCause,
  gone,
  late,
  noMoney,
  refusedUs,
  throttled,
  tooLong,
} from "../../testing/fault-outcomes.ts";

/** The details of an error that says when to retry. */
export const secondsToCome = (seconds: number): object => ({
  details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: `${seconds}s` }],
});
const perDay = {
  details: [
    {
      "@type": "type.googleapis.com/google.rpc.QuotaFailure",
      violations: [{ quotaId: "GenerateRequestsPerDayPerProjectPerModel-FreeTier" }],
    },
  ],
};
const badKey = {
  details: [
    {
      "@type": "type.googleapis.com/google.rpc.ErrorInfo",
      reason: "API_KEY_INVALID",
      domain: "googleapis.com",
    },
  ],
};

export const googleFaults: readonly FaultCause[] = [
  {
    fault: "bad request",
    outcome: badRequest,
    words: [400, "INVALID_ARGUMENT", "Invalid value at 'contents'."],
  },
  {
    fault: "context",
    outcome: tooLong,
    words: [
      400,
      "INVALID_ARGUMENT",
      "The input token count (1100000) exceeds the maximum number of tokens allowed (1048576).",
    ],
  },
  {
    fault: "model gone",
    outcome: gone,
    words: [404, "NOT_FOUND", "models/m is not found for API version v1beta."],
  },
  {
    fault: "bad credential",
    outcome: refusedUs,
    words: [400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", badKey],
  },
  { fault: "no permission", outcome: refusedUs, words: [403, "PERMISSION_DENIED", "Permission denied."] },
  {
    fault: "region",
    outcome: refusedUs,
    words: [400, "FAILED_PRECONDITION", "User location is not supported for the API use."],
  },
  {
    fault: "no money",
    outcome: noMoney,
    words: [429, "RESOURCE_EXHAUSTED", "You exceeded your current quota.", perDay],
  },
  {
    fault: "throttled",
    outcome: throttled(13),
    words: [429, "RESOURCE_EXHAUSTED", "Quota exceeded.", secondsToCome(12.5)],
  },
  { fault: "overloaded", outcome: busy, words: [503, "UNAVAILABLE", "The model is overloaded."] },
  { fault: "broken", outcome: broken, words: [500, "INTERNAL", "An internal error has occurred."] },
  { fault: "timeout", outcome: late, words: [504, "DEADLINE_EXCEEDED", "Deadline expired."] },
  {
    // A normal answer with the finish reason `content_filter`.
    fault: "blocked prompt",
    outcome: { status: 200, attempts: 1, fallsBack: false },
    reply: (_wire, isStream) => {
      const body = JSON.stringify({
        promptFeedback: { blockReason: "SAFETY" },
        usageMetadata: { promptTokenCount: 10, totalTokenCount: 10 },
      });
      return isStream
        ? { headers: { "content-type": "text/event-stream" }, body: `data: ${body}\n\n` }
        : { body };
    },
  },
];
