/**
 * Test fixtures, built from wire/errors-map.md section 2, wire/chat-completions.md section 7 and
 * wire/bedrock-azure-others.md section 3 (no live upstream was recorded): an answer and the fault it must become.
 */
import type { Fault, UpstreamHeaders } from "../provider.ts";

export interface FaultFixture {
  readonly name: string;
  readonly status: number;
  readonly headers?: UpstreamHeaders;
  /** JSON value, or a text that is sent as it is. */
  readonly body: unknown;
  readonly kind: Fault["kind"];
  /** What else the fault must hold exactly. */
  readonly also?: Partial<Fault>;
}

const openaiError = (
  message: string,
  code: string | null = null,
  type = "invalid_request_error",
  param: string | null = null,
) => ({
  error: { message, type, param, code },
});

const openai: readonly FaultFixture[] = [
  {
    name: "OpenAI: prompt too long",
    status: 400,
    body: openaiError(
      "This model's maximum context length is 128000 tokens.",
      "context_length_exceeded",
      undefined,
      "messages",
    ),
    kind: "context_length",
    also: {
      param: "messages",
      message: "This model's maximum context length is 128000 tokens.",
      code: undefined,
    },
  },
  {
    name: "OpenAI: value refused",
    status: 400,
    body: openaiError(
      "Unsupported value: 'temperature' does not support 3.",
      "unsupported_value",
      undefined,
      "temperature",
    ),
    kind: "bad_request",
    also: {
      code: "unsupported_value",
      param: "temperature",
      message: "Unsupported value: 'temperature' does not support 3.",
    },
  },
  {
    name: "OpenAI: parameter refused",
    status: 400,
    body: openaiError(
      "Unsupported parameter: 'max_tokens'.",
      "unsupported_parameter",
      undefined,
      "max_tokens",
    ),
    kind: "bad_request",
    also: { code: "unsupported_parameter", param: "max_tokens" },
  },
  {
    name: "OpenAI: required field missing, odd path",
    status: 400,
    body: openaiError("Missing parameter 'tool_call_id'", null, undefined, "messages.[3].tool_call_id"),
    kind: "bad_request",
    also: { code: undefined, param: "messages.[3].tool_call_id" },
  },
  {
    name: "OpenAI: orphan tool message",
    status: 400,
    body: openaiError(
      "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
      null,
      undefined,
      "messages",
    ),
    kind: "bad_request",
  },
  {
    name: "OpenAI: unknown code is not passed on",
    status: 400,
    body: openaiError("No.", "some_new_code"),
    kind: "bad_request",
    also: { code: undefined, message: "No." },
  },
  {
    name: "OpenAI: moderation",
    status: 400,
    body: openaiError(
      "Your request was rejected as a result of our safety system.",
      "content_policy_violation",
      undefined,
      "prompt",
    ),
    kind: "content_filter",
  },
  {
    name: "OpenAI: wrong key",
    status: 401,
    body: openaiError("Incorrect API key provided: sk-proj-****abcd.", "invalid_api_key"),
    kind: "upstream_auth",
    also: { message: undefined, note: "401 invalid_api_key invalid_request_error: Incorrect [removed]" },
  },
  {
    name: "OpenAI: no such member",
    status: 401,
    body: openaiError("You must be a member"),
    kind: "upstream_auth",
  },
  {
    name: "OpenAI: region",
    status: 403,
    body: openaiError("Country not supported", "unsupported_country_region_territory", "request_forbidden"),
    kind: "upstream_auth",
  },
  { name: "OpenAI: forbidden", status: 403, body: openaiError("No access"), kind: "upstream_auth" },
  {
    name: "OpenAI: project without the model",
    status: 403,
    body: openaiError("Project does not have access to model", "model_not_found"),
    kind: "model_unavailable",
  },
  {
    name: "OpenAI: unknown model",
    status: 404,
    body: openaiError("no such model", "model_not_found"),
    kind: "model_unavailable",
  },
  {
    name: "OpenAI: unknown URL",
    status: 404,
    body: openaiError("Invalid URL (POST /v1/x)"),
    kind: "model_unavailable",
  },
  {
    name: "OpenAI: quota by code and type",
    status: 429,
    body: openaiError("You exceeded your current quota", "insufficient_quota", "insufficient_quota"),
    kind: "upstream_quota",
  },
  {
    name: "OpenAI: quota by type, new code",
    status: 429,
    body: openaiError("Stop.", "brand_new_limit", "insufficient_quota"),
    kind: "upstream_quota",
  },
  {
    name: "OpenAI: quota by type though the code says rate",
    status: 429,
    body: openaiError("Stop.", "rate_limit_exceeded", "insufficient_quota"),
    kind: "upstream_quota",
  },
  {
    name: "OpenAI: credit used up",
    status: 429,
    body: openaiError("x", "credit_balance_exhausted", "x"),
    kind: "upstream_quota",
  },
  {
    name: "OpenAI: spend limit",
    status: 429,
    body: openaiError("x", "project_spend_limit_reached", "x"),
    kind: "upstream_quota",
  },
  {
    name: "OpenAI: request larger than the minute",
    status: 429,
    body: openaiError(
      "Request too large for gpt-x in organization org-abc123 on tokens per min (TPM): Limit 30000, Requested 45,210.",
      "rate_limit_exceeded",
      "tokens",
    ),
    kind: "request_over_limit",
  },
  {
    name: "OpenAI: the minute is used up",
    status: 429,
    headers: { "retry-after": "2" },
    body: openaiError(
      "Rate limit reached for gpt-x on tokens per min (TPM): Limit 30000, Used 29000, Requested 1500. Please try again in 18.642s. Visit https://platform.openai.com/account/billing to add a payment method.",
      "rate_limit_exceeded",
      "tokens",
    ),
    kind: "rate_limit",
    also: { retryAfterMs: 2_000, message: undefined },
  },
  {
    name: "OpenAI: rate limit without headers",
    status: 429,
    body: openaiError("Rate limit reached. Please try again in 18.642s.", "rate_limit_exceeded", "requests"),
    kind: "rate_limit",
    also: { retryAfterMs: 18_642 },
  },
  {
    name: "OpenAI: slow down",
    status: 429,
    body: openaiError("slow", "slow_down", "rate_limit_error"),
    kind: "rate_limit",
  },
  {
    name: "OpenAI: slow down, 503",
    status: 503,
    body: openaiError("slow", "slow_down", "rate_limit_error"),
    kind: "overloaded",
  },
  {
    name: "OpenAI: server error",
    status: 500,
    body: openaiError("The server had an error", null, "server_error"),
    kind: "server",
  },
  {
    name: "OpenAI: overloaded",
    status: 503,
    body: openaiError("busy", "server_is_overloaded", "service_unavailable_error"),
    kind: "overloaded",
  },
  {
    name: "OpenAI: 503 without code",
    status: 503,
    body: openaiError("busy", null, "server_error"),
    kind: "overloaded",
  },
];

const azure: readonly FaultFixture[] = [
  {
    name: "Azure: prompt blocked",
    status: 400,
    body: {
      error: {
        code: "content_filter",
        message:
          "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
        param: "prompt",
        status: 400,
        innererror: { code: "ResponsibleAIPolicyViolation", content_filter_result: {} },
      },
    },
    kind: "content_filter",
    also: { param: "prompt" },
  },
  {
    name: "Azure: prompt blocked, inner code only",
    status: 400,
    body: {
      error: { code: "400", message: "Blocked.", innererror: { code: "ResponsibleAIPolicyViolation" } },
    },
    kind: "content_filter",
  },
  {
    name: "Azure: wrong key",
    status: 401,
    body: { statusCode: 401, message: "Access denied" },
    kind: "upstream_auth",
  },
  {
    name: "Azure: wrong key, wrapped",
    status: 401,
    body: { error: { code: "401", message: "no" } },
    kind: "upstream_auth",
  },
  {
    name: "Azure: 403",
    status: 403,
    body: { error: { code: "403", message: "vnet" } },
    kind: "upstream_auth",
  },
  {
    name: "Azure: no deployment",
    status: 404,
    body: { error: { code: "DeploymentNotFound", message: "gone" } },
    kind: "model_unavailable",
  },
  {
    name: "Azure: timeout",
    status: 408,
    body: { error: { code: "Timeout", message: "slow" } },
    kind: "timeout",
  },
  {
    name: "Azure: limit",
    status: 429,
    headers: { "retry-after": "1", "retry-after-ms": "1234" },
    body: { error: { code: "RateLimitReached", message: "calls" } },
    kind: "rate_limit",
    also: { retryAfterMs: 1_234 },
  },
];

const routers: readonly FaultFixture[] = [
  {
    name: "OpenRouter: credits",
    status: 402,
    body: { error: { code: 402, message: "Insufficient credits" } },
    kind: "upstream_quota",
  },
  {
    name: "OpenRouter: budget in flight",
    status: 402,
    headers: { "retry-after": "3" },
    body: {
      error: { code: 402, message: "wait", metadata: { limit_source: "openrouter_in_flight_budget" } },
    },
    kind: "rate_limit",
    also: { retryAfterMs: 3_000 },
  },
  {
    name: "OpenRouter: moderation",
    status: 403,
    body: {
      error: { code: 403, message: "flagged", metadata: { reasons: ["violence"], flagged_input: "…" } },
    },
    kind: "content_filter",
  },
  {
    name: "OpenRouter: key without access",
    status: 403,
    body: { error: { code: 403, message: "no" } },
    kind: "upstream_auth",
  },
  {
    name: "OpenRouter: timeout",
    status: 408,
    body: { error: { code: 408, message: "slow" } },
    kind: "timeout",
  },
  {
    name: "OpenRouter: bad gateway",
    status: 502,
    body: { error: { code: 502, message: "x" } },
    kind: "server",
  },
  {
    name: "OpenRouter: nobody serves it",
    status: 503,
    body: { error: { code: 503, message: "x" } },
    kind: "overloaded",
  },
  {
    name: "OpenRouter: error chunk in a stream",
    status: 200,
    body: {
      id: "gen-1",
      error: { code: 429, message: "Provider returned error" },
      choices: [{ index: 0, delta: { content: "" }, finish_reason: "error" }],
    },
    kind: "rate_limit",
  },
  {
    name: "OpenRouter: the cause is only in the nested text",
    status: 400,
    body: {
      error: {
        code: 400,
        message: "Provider returned error",
        metadata: { raw: '{"error":"prompt is too long: 9 > 8"}' },
      },
    },
    kind: "context_length",
    also: { message: "Provider returned error" },
  },
];

const vendors: readonly FaultFixture[] = [
  {
    name: "DeepSeek: balance",
    status: 402,
    body: openaiError("Insufficient Balance", null, "unknown_error"),
    kind: "upstream_quota",
  },
  {
    name: "DeepSeek: parameters",
    status: 422,
    body: openaiError("bad body"),
    kind: "bad_request",
    also: { message: "bad body" },
  },
  {
    name: "DeepSeek: JSON under another content type",
    status: 400,
    headers: { "content-type": "application/octet-stream" },
    body: openaiError("The `reasoning_content` in the thinking mode must be passed back to the API."),
    kind: "bad_request",
  },
  {
    name: "Groq: the model's call was unreadable",
    status: 400,
    body: {
      error: {
        message: "Failed to call a function.",
        type: "invalid_request_error",
        code: "tool_use_failed",
        failed_generation: "<f>",
      },
    },
    kind: "server",
  },
  {
    name: "Groq: request larger than the minute",
    status: 413,
    body: openaiError(
      "Request too large for model in organization `org_01jx`: Limit 6000, Requested 9000",
      "rate_limit_exceeded",
      "tokens",
    ),
    kind: "request_over_limit",
  },
  {
    name: "Groq: the day is used up",
    status: 429,
    body: openaiError(
      "Rate limit reached on tokens per day (TPD): Limit 100000, Used 99999, Requested 50. Please try again in 7m12.5s.",
      "rate_limit_exceeded",
      "tokens",
    ),
    kind: "upstream_quota",
    also: { retryAfterMs: 432_500 },
  },
  {
    name: "Groq: flex capacity",
    status: 498,
    body: openaiError("capacity", "capacity_exceeded"),
    kind: "overloaded",
  },
  { name: "Groq: model error", status: 424, body: openaiError("dependency"), kind: "server" },
  { name: "Groq: cancelled", status: 499, body: openaiError("cancelled"), kind: "server" },
  {
    name: "DashScope: inspection",
    status: 400,
    body: {
      error: { code: "data_inspection_failed", message: "x", type: "data_inspection_failed" },
      request_id: "r",
    },
    kind: "content_filter",
  },
  {
    name: "DashScope: inspection by text",
    status: 400,
    body: {
      error: {
        code: "invalid_parameter_error",
        message: "<400> InternalError.Algo.DataInspectionFailed: Input data may contain",
      },
    },
    kind: "content_filter",
  },
  {
    name: "DashScope: throttling",
    status: 400,
    body: { error: { code: "Throttling.RateQuota", message: "x" } },
    kind: "rate_limit",
  },
  {
    name: "DashScope: unpaid",
    status: 400,
    body: { error: { code: "Arrearage", message: "Access denied, overdue" } },
    kind: "upstream_quota",
  },
  {
    name: "DashScope: unpaid by text",
    status: 400,
    body: {
      error: { code: "x", message: "Access denied, please make sure your account is in good standing." },
    },
    kind: "upstream_quota",
  },
  {
    name: "DashScope: prompt too long",
    status: 400,
    body: openaiError(
      "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 30720]",
      "invalid_parameter_error",
    ),
    kind: "context_length",
  },
  {
    name: "Moonshot: balance",
    status: 429,
    body: { error: { type: "exceeded_current_quota_error", message: "x" } },
    kind: "upstream_quota",
  },
  {
    name: "Moonshot: load",
    status: 429,
    body: { error: { type: "engine_overloaded_error", message: "x" } },
    kind: "overloaded",
  },
  {
    name: "Moonshot: rate",
    status: 429,
    body: { error: { type: "rate_limit_reached_error", message: "x" } },
    kind: "rate_limit",
  },
  {
    name: "Moonshot: key",
    status: 401,
    body: { error: { type: "invalid_authentication_error", message: "x" } },
    kind: "upstream_auth",
  },
  {
    name: "Moonshot: filter",
    status: 400,
    body: { error: { type: "content_filter", message: "x" } },
    kind: "content_filter",
  },
  {
    name: "Zhipu: filter",
    status: 400,
    body: { error: { code: "1301", message: "系统检测到" } },
    kind: "content_filter",
  },
  {
    name: "Zhipu: rate",
    status: 429,
    body: { error: { code: "1302", message: "并发" } },
    kind: "rate_limit",
  },
  {
    name: "Zhipu: rate under another status",
    status: 400,
    body: { error: { code: "1303", message: "x" } },
    kind: "rate_limit",
  },
  { name: "Zhipu: load", status: 429, body: { error: { code: "1305", message: "x" } }, kind: "overloaded" },
  {
    name: "Zhipu: week used up",
    status: 429,
    body: { error: { code: "1310", message: "x" } },
    kind: "upstream_quota",
  },
  {
    name: "Zhipu: balance",
    status: 429,
    body: { error: { code: 1113, message: "余额不足" } },
    kind: "upstream_quota",
  },
  {
    name: "Zhipu: prompt too long",
    status: 400,
    body: { error: { code: "1261", message: "x" } },
    kind: "context_length",
  },
  {
    name: "Mistral: validation list",
    status: 422,
    body: {
      detail: [
        { loc: ["body", "messages", 0, "role"], msg: "Input should be 'user'", type: "enum" },
        { loc: ["body"], msg: "x" },
      ],
    },
    kind: "bad_request",
    also: { message: "messages.0.role: Input should be 'user'; x", param: "messages.0.role" },
  },
  {
    name: "Mistral: flat",
    status: 400,
    body: {
      object: "error",
      message: "Prompt contains 40000 tokens, too large for model with 32768 maximum context length",
      type: "invalid_request_error",
      param: null,
      code: null,
    },
    kind: "context_length",
  },
  { name: "Mistral: key", status: 401, body: { detail: "Unauthorized" }, kind: "upstream_auth" },
  {
    name: "xAI: wrong key as 400",
    status: 400,
    body: {
      code: "Client specified an invalid argument",
      error: "Incorrect API key provided: xa***yz. Get one at https://console.x.ai.",
    },
    kind: "upstream_auth",
    also: { message: undefined },
  },
  {
    name: "xAI: bad argument",
    status: 400,
    body: { code: "Client specified an invalid argument", error: "Argument not supported: stop" },
    kind: "bad_request",
    also: { message: "Argument not supported: stop" },
  },
  {
    name: "xAI: content",
    status: 403,
    body: { code: "forbidden", error: "Content violates usage guidelines." },
    kind: "content_filter",
  },
  {
    name: "xAI: key without right",
    status: 403,
    body: { code: "forbidden", error: "Your API key has no permission" },
    kind: "upstream_auth",
  },
  {
    name: "xAI: rate",
    status: 429,
    body: { code: "exhausted", error: "Too many requests" },
    kind: "rate_limit",
  },
  {
    name: "vLLM: prompt too long",
    status: 400,
    body: {
      error: {
        message: "This model's maximum context length is 8192 tokens. However, you requested 9000",
        type: "BadRequestError",
        param: "input_tokens",
        code: 400,
      },
    },
    kind: "context_length",
  },
  {
    name: "vLLM: prompt too long, other words",
    status: 400,
    body: {
      object: "error",
      message: "The decoder prompt (length 9000) is longer than the maximum model length of 8192.",
      type: "BadRequestError",
      param: null,
      code: 400,
    },
    kind: "context_length",
  },
  {
    name: "vLLM: no model",
    status: 404,
    body: { error: { message: "The model `x` does not exist.", type: "NotFoundError", code: 404 } },
    kind: "model_unavailable",
  },
  {
    name: "vLLM: in a stream",
    status: 200,
    body: { error: { message: "bad", type: "BadRequestError", code: 400 } },
    kind: "bad_request",
  },
  {
    name: "SGLang: prompt too long",
    status: 400,
    body: {
      object: "error",
      message: "The input (9000 tokens) exceeds maximum input length (8192).",
      type: "BadRequest",
      param: null,
      code: 400,
    },
    kind: "context_length",
  },
  {
    name: "SGLang: flat error in a stream",
    status: 200,
    body: { object: "error", message: "x", type: "InternalServerError", code: 500 },
    kind: "server",
  },
  {
    name: "llama.cpp: prompt too long",
    status: 400,
    body: {
      error: {
        code: 400,
        message: "the request exceeds the available context size",
        type: "exceed_context_size_error",
      },
    },
    kind: "context_length",
  },
  {
    name: "llama.cpp: loading",
    status: 503,
    body: { error: { code: 503, message: "Loading model", type: "unavailable_error" } },
    kind: "overloaded",
  },
  {
    name: "Ollama: model not pulled",
    status: 404,
    body: { error: { message: 'model "x" not found', type: "not_found_error", code: null } },
    kind: "model_unavailable",
  },
  {
    name: "Ollama: plain string",
    status: 500,
    body: { error: "llama runner process has terminated" },
    kind: "server",
  },
  {
    name: "LM Studio: plain string",
    status: 400,
    body: { error: "'response_format.type' must be 'json_schema'" },
    kind: "bad_request",
  },
  {
    name: "SiliconFlow: flat with a number",
    status: 400,
    body: { code: 20015, message: "length of prompt_tokens must be less", data: null },
    kind: "bad_request",
  },
  { name: "SiliconFlow: bare string", status: 401, body: '"Invalid token"', kind: "upstream_auth" },
  {
    name: "Cerebras: flat",
    status: 429,
    body: {
      message: "Tokens per minute limit exceeded",
      type: "too_many_tokens_error",
      param: "quota",
      code: "token_quota_exceeded",
    },
    kind: "rate_limit",
  },
  {
    name: "Cohere: flat",
    status: 400,
    body: { message: "invalid request: top_p", id: "x" },
    kind: "bad_request",
  },
  {
    name: "Perplexity: code as number",
    status: 401,
    body: { error: { type: "unauthorized", message: "x", code: 401 } },
    kind: "upstream_auth",
  },
  {
    name: "Gemini's compatible endpoint: list, minute",
    status: 429,
    body: [
      {
        error: {
          code: 429,
          message: "You exceeded your current quota, please check your plan and billing details.",
          status: "RESOURCE_EXHAUSTED",
        },
      },
    ],
    kind: "rate_limit",
  },
  {
    name: "Gemini's compatible endpoint: list, day",
    status: 429,
    body: [
      {
        error: {
          code: 429,
          message: "quota",
          status: "RESOURCE_EXHAUSTED",
          details: [{ violations: [{ quotaId: "RequestsPerDayPerProject" }] }],
        },
      },
    ],
    kind: "upstream_quota",
  },
  {
    name: "Gemini's compatible endpoint: wrong key",
    status: 400,
    body: [
      {
        error: {
          code: 400,
          message: "API key not valid. Please pass a valid API key.",
          status: "INVALID_ARGUMENT",
        },
      },
    ],
    kind: "upstream_auth",
  },
  {
    name: "Anthropic's compatible endpoint: no credit",
    status: 400,
    body: openaiError("Your credit balance is too low to access the API."),
    kind: "upstream_quota",
  },
  {
    name: "Anthropic's compatible endpoint: overloaded",
    status: 529,
    body: { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
    kind: "overloaded",
  },
];

const anyone: readonly FaultFixture[] = [
  {
    name: "web page",
    status: 502,
    body: "<html><head><title>502 Bad Gateway</title></head></html>",
    kind: "server",
    also: { note: "502: HTML page: 502 Bad Gateway" },
  },
  {
    name: "web page of a firewall",
    status: 403,
    body: "<!DOCTYPE html><title>Attention Required!</title>",
    kind: "upstream_auth",
  },
  { name: "plain text", status: 503, body: "upstream connect error", kind: "overloaded" },
  { name: "empty body", status: 500, body: "", kind: "server", also: { note: "500: no text" } },
  { name: "JSON cut off", status: 429, body: '{"error":{"message":"Rate limit', kind: "rate_limit" },
  { name: "origin errors of a proxy", status: 522, body: "", kind: "server" },
  { name: "gateway timeout", status: 504, body: "stream timeout", kind: "timeout" },
  { name: "too large", status: 413, body: "<html>413</html>", kind: "too_large" },
  {
    name: "method refused (wrong base URL)",
    status: 405,
    body: { detail: "Method Not Allowed" },
    kind: "server",
  },
  { name: "conflict", status: 409, body: openaiError("conflict"), kind: "server" },
  {
    name: "redirect",
    status: 301,
    headers: { location: "https://evil.test/" },
    body: "moved",
    kind: "server",
    also: { note: "301: redirect, not followed" },
  },
  { name: "redirect that keeps the method", status: 308, body: "", kind: "server" },
  {
    name: "200 with an error",
    status: 200,
    body: openaiError("busy", "server_is_overloaded", "server_error"),
    kind: "overloaded",
  },
  {
    name: "200 with an error, by type",
    status: 200,
    body: openaiError("Too long: context window", null),
    kind: "context_length",
  },
  {
    name: "200 with an error of no known kind",
    status: 200,
    body: { error: { message: "x" } },
    kind: "server",
  },
  { name: "200 with a web page", status: 200, body: "<html>login</html>", kind: "server" },
  { name: "200 with nothing", status: 200, body: "", kind: "server" },
  {
    name: "200 with an answer where a stream was asked for: its text is not noted",
    status: 200,
    body: {
      id: "1",
      object: "chat.completion",
      choices: [{ index: 0, message: { role: "assistant", content: "private" } }],
    },
    kind: "server",
    also: { note: "an answer that is neither a result nor an error" },
  },
];

/** Texts a caller can put into an error by what it sends: the fault stays the caller's. */
const echoes: readonly FaultFixture[] = [
  {
    name: "echoed: a wrong key",
    status: 400,
    body: openaiError(
      "Invalid value: 'incorrect api key'. Supported values are: 'a'.",
      "invalid_value",
      undefined,
      "x",
    ),
    kind: "bad_request",
  },
  {
    name: "echoed far into the text",
    status: 400,
    body: openaiError(
      `1 validation error for ChatCompletionRequest: messages.0.role Input should be a role, input: ${"incorrect api key"}`,
    ),
    kind: "bad_request",
  },
  {
    name: "echoed, with a param",
    status: 400,
    body: openaiError("invalid api key is no temperature", null, undefined, "temperature"),
    kind: "bad_request",
  },
  {
    name: "echoed: no credit",
    status: 422,
    body: { detail: [{ loc: ["body", "user"], msg: "arrearage" }] },
    kind: "bad_request",
  },
];

export const faultFixtures: readonly FaultFixture[] = [
  ...openai,
  ...azure,
  ...routers,
  ...vendors,
  ...anyone,
  ...echoes,
];
