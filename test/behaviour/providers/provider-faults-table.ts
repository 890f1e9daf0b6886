/**
 * What goes wrong at upstreams, in each provider's own words (docs/wire/upstream-errors.md section 2 and the
 * pages of the protocols), and what it has to come to: docs/call/errors.md, docs/operate/routing.md and
 * docs/call/billing.md. Written down before the product was run; knows nothing of its code.
 */
import { anywhere, blocked, counted } from "./provider-faults-breaks.ts";
import {
  badRequest,
  broken,
  busy,
  busyFor,
  type FaultRow,
  filtered,
  gone,
  late,
  noAnswer,
  noMoney,
  notThere,
  type Outcome,
  refusedUs,
  throttled,
  tooLarge,
  tooLong,
} from "./provider-faults-outcomes.ts";
import type { Reply, Wire } from "./provider-wires.ts";

type Words = readonly [
  status: number,
  type: string,
  message: string,
  more?: object,
  headers?: Readonly<Record<string, string>>,
];

/** An error of a status, whose exception Bedrock names in a header too. */
const says =
  (...[status, type, message, more, headers]: Words) =>
  (wire: Wire): Reply => ({
    status,
    body: wire.error(status, type, message, more),
    headers: {
      ...(wire.id === "bedrock" ? { "x-amzn-errortype": `${type}:http://internal.amazon.com/coral/` } : {}),
      ...headers,
    },
  });

const secondsToCome = (seconds: number): object => ({
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

interface Cause {
  readonly fault: string;
  readonly outcome: Outcome;
  readonly words: Words;
}

/** Answers that are errors by their status, provider by provider. */
const told: Readonly<Record<string, readonly Cause[]>> = {
  openai: [
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
  ],
  azure: [
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
  ],
  anthropic: [
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
      words: [
        429,
        "rate_limit_error",
        "Limit.",
        { details: { error_code: "workspace_spend_limit_reached" } },
      ],
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
  ],
  google: [
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
  ],
  bedrock: [
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
  ],
};

/** Claude on Vertex AI fails as Claude does, and as Google's own door does, which speaks first. */
const doors: readonly Cause[] = [
  {
    fault: "bad token, Google's words",
    outcome: refusedUs,
    words: [401, "UNAUTHENTICATED", "Request had invalid authentication credentials."],
  },
  {
    fault: "forbidden, Google's words",
    outcome: refusedUs,
    words: [403, "PERMISSION_DENIED", "Permission 'aiplatform.endpoints.predict' denied on resource."],
  },
  {
    fault: "throttled, Google's words",
    outcome: throttled(13),
    words: [429, "RESOURCE_EXHAUSTED", "Quota exceeded.", secondsToCome(12.5)],
  },
  { fault: "overloaded, Google's words", outcome: busy, words: [503, "UNAVAILABLE", "Try again."] },
];
const everyTold = { ...told, "vertex-anthropic": [...(told["anthropic"] ?? []), ...doors] };

export const faultRows: readonly FaultRow[] = [
  ...Object.entries(everyTold).flatMap(([provider, causes]) =>
    causes.map(
      ({ fault, outcome, words }): FaultRow => ({ fault, provider, outcome, reply: says(...words) }),
    ),
  ),
  ...Object.keys(everyTold).flatMap(anywhere),
  ...counted,
  ...blocked,
];
