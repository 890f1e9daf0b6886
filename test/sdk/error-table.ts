/**
 * What each SDK makes of every error of the catalogue: its own exception class, and whether it calls again by
 * itself. Written by hand from what an application should meet; `errors.test.ts` compares.
 */
import type { ErrorCode } from "@plaza/contract/errors.ts";

/**
 * Names of classes. Where an SDK has none for a status, the class is its general one and the status tells.
 */
export interface Expected {
  readonly status: number;
  /** `openai` of npm and of PyPI (2.x and 3.x), which share their names but for the general class. */
  readonly openai: string;
  readonly litellm: string;
  /** LangChain for Python. */
  readonly langchain: string;
  /** LangChain for JavaScript: its class, and its own code where it gives one. */
  readonly langchainJs: string;
  /**
   * Does an SDK that obeys `x-should-retry` call again? The `openai` packages and whatever is built on them.
   */
  readonly isRetried: boolean;
  /** Vercel's AI SDK uses only the status; LangChain for JavaScript has its own rules. */
  readonly isRetriedByAiSdk: boolean;
  readonly isRetriedByLangchainJs: boolean;
}

/** The general class, named differently in Python. */
export const generalClass = "APIError";
export const generalClassOfPython = "APIStatusError";

/** By status, once and for all; what differs by code is said with the code. */
const never = { isRetried: false, isRetriedByAiSdk: false, isRetriedByLangchainJs: false };
const always = { isRetried: true, isRetriedByAiSdk: true, isRetriedByLangchainJs: true };

const badRequest: Expected = {
  status: 400,
  openai: "BadRequestError",
  litellm: "BadRequestError",
  langchain: "OpenAIInvalidRequestError",
  langchainJs: "BadRequestError",
  ...never,
};
const wrongKey: Expected = {
  status: 401,
  openai: "AuthenticationError",
  litellm: "AuthenticationError",
  langchain: "OpenAIAuthenticationError",
  langchainJs: "AuthenticationError MODEL_AUTHENTICATION",
  ...never,
};
/**
 * A 401 of `/api`: about a session, not a key. No SDK calls there; LiteLLM would take it for a bad request.
 */
const notSignedIn: Expected = { ...wrongKey, litellm: "BadRequestError" };
const unpaid: Expected = {
  status: 402,
  openai: generalClass,
  litellm: generalClass,
  langchain: generalClassOfPython,
  langchainJs: generalClass,
  ...never,
};
const forbidden: Expected = {
  status: 403,
  openai: "PermissionDeniedError",
  litellm: generalClass,
  langchain: "OpenAIPermissionDeniedError",
  langchainJs: "PermissionDeniedError",
  ...never,
};
const notFound: Expected = {
  status: 404,
  openai: "NotFoundError",
  litellm: "NotFoundError",
  langchain: "OpenAIModelNotFoundError",
  langchainJs: "NotFoundError MODEL_NOT_FOUND",
  ...never,
};
/**
 * The AI SDK repeats every 409, whatever `x-should-retry` says; the answer stays the same and costs nothing.
 */
const conflict: Expected = {
  status: 409,
  openai: "ConflictError",
  litellm: generalClass,
  langchain: "ConflictError",
  langchainJs: "ConflictError",
  ...never,
  isRetriedByAiSdk: true,
};
/** Without a `Retry-After`, LangChain for JavaScript gives up immediately. */
const tooMany: Expected = {
  status: 429,
  openai: "RateLimitError",
  litellm: "RateLimitError",
  langchain: "OpenAIRateLimitError",
  langchainJs: "RateLimitError MODEL_RATE_LIMIT",
  ...always,
  isRetriedByLangchainJs: false,
};
const ours: Expected = {
  status: 500,
  openai: "InternalServerError",
  litellm: "InternalServerError",
  langchain: "OpenAIAPIError",
  langchainJs: "InternalServerError",
  ...always,
};
const unavailable: Expected = { ...ours, status: 503, litellm: "ServiceUnavailableError" };
/** Statuses OpenAI's SDKs have no class for. */
const general = (status: number): Expected => ({ ...unpaid, status });

export const expectedErrors: Readonly<Record<ErrorCode, Expected>> = {
  invalid_request: badRequest,
  unsupported_parameter: badRequest,
  wrong_endpoint: badRequest,
  context_length_exceeded: {
    ...badRequest,
    litellm: "ContextWindowExceededError",
    langchain: "OpenAIContextOverflowError",
    langchainJs: "ContextOverflowError",
  },
  content_filter: { ...badRequest, litellm: "ContentPolicyViolationError" },
  invalid_api_key: wrongKey,
  api_key_expired: wrongKey,
  api_key_disabled: wrongKey,
  not_signed_in: notSignedIn,
  sign_in_failed: notSignedIn,
  second_factor_required: notSignedIn,
  insufficient_balance: unpaid,
  budget_exceeded: unpaid,
  model_not_allowed: forbidden,
  ip_not_allowed: forbidden,
  not_permitted: forbidden,
  forgery_suspected: forbidden,
  account_suspended: forbidden,
  model_not_found: notFound,
  // OpenAI's own type for an unknown address, which LiteLLM calls a bad request.
  not_found: { ...notFound, litellm: "BadRequestError" },
  method_not_allowed: { ...general(405), litellm: "BadRequestError" },
  websocket_not_supported: { ...general(426), litellm: "BadRequestError", isRetriedByLangchainJs: true },
  request_timeout: { ...general(408), litellm: "Timeout", ...always },
  idempotency_in_flight: { ...conflict, isRetried: true },
  idempotency_answer_not_kept: conflict,
  changed_meanwhile: conflict,
  already_exists: conflict,
  managed_by_file: conflict,
  already_used: conflict,
  request_too_large: general(413),
  unsupported_media_type: { ...general(415), litellm: "BadRequestError", isRetriedByLangchainJs: true },
  idempotency_key_reused: {
    status: 422,
    openai: "UnprocessableEntityError",
    litellm: "BadRequestError",
    langchain: "UnprocessableEntityError",
    langchainJs: "UnprocessableEntityError",
    ...never,
    isRetriedByLangchainJs: true,
  },
  rate_limit_exceeded: tooMany,
  too_many_attempts: tooMany,
  internal_error: ours,
  upstream_error: { ...ours, status: 502, litellm: "BadGatewayError" },
  no_available_upstream: unavailable,
  overloaded: unavailable,
  ledger_unavailable: unavailable,
  unsupported_http_version: {
    ...ours,
    status: 505,
    litellm: "BadRequestError",
    ...never,
    isRetriedByAiSdk: true,
    isRetriedByLangchainJs: true,
  },
  upstream_timeout: { ...ours, status: 504, litellm: "Timeout" },
};
