/**
 * The catalogue of all errors a caller can get: code → HTTP status, OpenAI error type, retry hint.
 * `messages/en/error.ts` has the texts by code. `docs/call/errors.md` is generated from it, and a test keeps
 * them equal.
 */
import { type Message, message, textOf } from "./messages/message.ts";

/**
 * OpenAI's error types; SDKs show them, and some applications switch on them. OpenAI has none for 408, 409
 * and 413, and LiteLLM treats `invalid_request_error` as a bad request at any status, so these have
 * Anthropic's names.
 */
export type ErrorType =
  | "invalid_request_error"
  | "insufficient_quota"
  | "permission_error"
  | "rate_limit_error"
  | "timeout_error"
  | "conflict_error"
  | "request_too_large"
  | "server_error";

/** One row of the catalogue. */
interface ErrorRow {
  /** HTTP status of the answer. Note that OpenAI's SDKs retry 408, 409, 429 and 5xx by themselves. */
  readonly status: number;
  readonly type: ErrorType;
  /** True when the same call may succeed if repeated. Sent as `x-should-retry`, which the SDKs obey. */
  readonly retryable: boolean;
  /** For `docs/call/errors.md`: when it happens and what to do. */
  readonly help: string;
}

export const errorCatalogue = {
  invalid_request: {
    status: 400,
    type: "invalid_request_error",
    retryable: false,
    help: "The body is not JSON, a required field is missing or has the wrong type, or the HTTP request is malformed. `param` names the field, if any.",
  },
  unsupported_parameter: {
    status: 400,
    type: "invalid_request_error",
    retryable: false,
    help: "`param` names the parameter. Remove it, or choose a model that supports it.",
  },
  wrong_endpoint: {
    status: 400,
    type: "invalid_request_error",
    retryable: false,
    help: "The model is for another operation, for example embeddings. The message names the correct path, or says that this version does not support the operation. `GET /v1/models` lists each model's `operations`.",
  },
  context_length_exceeded: {
    status: 400,
    type: "invalid_request_error",
    retryable: false,
    help: "Shorten the messages, request less output, or choose a model with a larger context.",
  },
  content_filter: {
    status: 400,
    type: "invalid_request_error",
    retryable: false,
    help: "The upstream rejected the prompt. Change the prompt: repeating it gives the same result.",
  },
  invalid_api_key: {
    status: 401,
    type: "invalid_request_error",
    retryable: false,
    help: "The key is missing, mistyped, unknown or revoked. Send `Authorization: Bearer sk-plaza-…`. Plaza also reads `x-api-key`, `api-key` and `x-goog-api-key`.",
  },
  api_key_expired: {
    status: 401,
    type: "invalid_request_error",
    retryable: false,
    help: "Create a new key, or change the expiry of this one.",
  },
  api_key_disabled: {
    status: 401,
    type: "invalid_request_error",
    retryable: false,
    help: "The key's owner or the operator disabled it. Enable it or use another key.",
  },
  not_signed_in: {
    status: 401,
    type: "invalid_request_error",
    retryable: false,
    help: "The console API requires a session, or an operator token sent as `Authorization: Bearer …`. Sign in and try again.",
  },
  sign_in_failed: {
    status: 401,
    type: "invalid_request_error",
    retryable: false,
    help: "Plaza does not say which one. After several failed attempts, further attempts must wait.",
  },
  second_factor_required: {
    status: 401,
    type: "invalid_request_error",
    retryable: false,
    help: "Send the same request with `code`: six digits or a recovery code.",
  },
  insufficient_balance: {
    status: 402,
    type: "insufficient_quota",
    retryable: false,
    help: "The prepaid balance does not cover the request. The status is 402, not 429, because retrying does not help.",
  },
  budget_exceeded: {
    status: 402,
    type: "insufficient_quota",
    retryable: false,
    help: "Raise the key's budget, use another key, or wait for the next period.",
  },
  model_not_allowed: {
    status: 403,
    type: "permission_error",
    retryable: false,
    help: "The key is restricted to certain models. `GET /v1/models` lists them.",
  },
  ip_not_allowed: {
    status: 403,
    type: "permission_error",
    retryable: false,
    help: "The key is restricted to certain IP addresses, and yours is not one of them.",
  },
  not_permitted: {
    status: 403,
    type: "permission_error",
    retryable: false,
    help: "The route requires another role, or a scope that the token lacks. The message names it.",
  },
  forgery_suspected: {
    status: 403,
    type: "permission_error",
    retryable: false,
    help: "A change made with a session requires the header `x-plaza-csrf` with the value from `GET /api/session`, and no foreign `Origin`. Reload the page.",
  },
  account_suspended: {
    status: 403,
    type: "permission_error",
    retryable: false,
    help: "The operator suspended the account. Plaza rejects all its keys until the operator resumes it.",
  },
  model_not_found: {
    status: 404,
    type: "invalid_request_error",
    retryable: false,
    help: "`GET /v1/models` lists the available model IDs. If the model is listed, the upstream does not know it.",
  },
  not_found: {
    status: 404,
    type: "invalid_request_error",
    retryable: false,
    help: "Check the path; the client's base URL ends in `/v1`. The message names the paths Plaza serves.",
  },
  method_not_allowed: {
    status: 405,
    type: "invalid_request_error",
    retryable: false,
    help: "The `Allow` header lists the supported methods.",
  },
  websocket_not_supported: {
    status: 426,
    type: "invalid_request_error",
    retryable: false,
    help: "The client asked for a WebSocket, for example for Responses. Codex and others go on over HTTP by themselves; turn WebSockets off in those that do not.",
  },
  request_timeout: {
    status: 408,
    type: "timeout_error",
    retryable: true,
    help: "Headers or body arrived too slowly. Check the network and send the request again.",
  },
  idempotency_in_flight: {
    status: 409,
    type: "conflict_error",
    retryable: true,
    help: "Wait as long as `Retry-After` says and repeat the request. It gets the response of the first one.",
  },
  idempotency_answer_not_kept: {
    status: 409,
    type: "conflict_error",
    retryable: false,
    help: "The first request was charged; the message names it. To run and pay for it again, use a new key.",
  },
  changed_meanwhile: {
    status: 409,
    type: "conflict_error",
    retryable: false,
    help: "Nothing was saved. Read the current values and apply your change again.",
  },
  already_exists: {
    status: 409,
    type: "conflict_error",
    retryable: false,
    help: "Choose another name or ID. `param` names the field.",
  },
  managed_by_file: {
    status: 409,
    type: "conflict_error",
    retryable: false,
    help: "Change plaza.yaml and apply it. Items of the file are read-only in the console.",
  },
  already_used: {
    status: 409,
    type: "conflict_error",
    retryable: false,
    help: "A link or code works once. Ask the person who gave it to you for another one.",
  },
  request_too_large: {
    status: 413,
    type: "request_too_large",
    retryable: false,
    help: "The message names the limit: bytes, nesting depth or number of JSON values.",
  },
  unsupported_media_type: {
    status: 415,
    type: "invalid_request_error",
    retryable: false,
    help: "Set `Content-Type: application/json`. If you send `Content-Encoding`, use `gzip` or `zstd`, once.",
  },
  idempotency_key_reused: {
    status: 422,
    type: "invalid_request_error",
    retryable: false,
    help: "A key belongs to one body, byte for byte. Use a new key for a new request.",
  },
  rate_limit_exceeded: {
    status: 429,
    type: "rate_limit_error",
    retryable: true,
    help: "A limit of the key, account, model or upstream was reached. Wait as long as `Retry-After` says.",
  },
  too_many_attempts: {
    status: 429,
    type: "rate_limit_error",
    retryable: true,
    help: "Plaza delays sign-in and redemption after several failures. Wait as long as `Retry-After` says.",
  },
  internal_error: {
    status: 500,
    type: "server_error",
    retryable: true,
    help: "This is a bug in Plaza. Report it with the `x-request-id` of the response.",
  },
  upstream_error: {
    status: 502,
    type: "server_error",
    retryable: true,
    help: "The upstream closed the connection, returned an error, or sent an invalid response.",
  },
  no_available_upstream: {
    status: 503,
    type: "server_error",
    retryable: true,
    help: "All deployments of the model are overloaded, out of quota or disabled. Try again shortly or choose another model.",
  },
  overloaded: {
    status: 503,
    type: "server_error",
    retryable: true,
    help: "A limit of this installation was reached, or the process is draining before it stops. `Retry-After` says when to retry.",
  },
  ledger_unavailable: {
    status: 503,
    type: "server_error",
    retryable: true,
    help: "The database is unreachable or full. Plaza serves no request that it cannot record.",
  },
  unsupported_http_version: {
    status: 505,
    type: "invalid_request_error",
    retryable: false,
    help: "The client used HTTP/2 directly (h2c with prior knowledge) or named it in a request line. For HTTP/2, use a proxy in front that speaks HTTP/1.1 with Plaza.",
  },
  upstream_timeout: {
    status: 504,
    type: "server_error",
    retryable: true,
    help: "One of the four upstream timeouts (connect, first token, idle, total) expired.",
  },
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof errorCatalogue;

/**
 * Codes of OpenAI's own 400 answers, not retryable. They are passed on when an upstream refuses a caller's
 * request with them, because applications switch on them (source: docs/wire/openai-chat.md section 7).
 */
export const upstreamRequestCodes: ReadonlySet<string> = new Set([
  "missing_required_parameter",
  "unknown_parameter",
  "unsupported_value",
  "invalid_type",
  "invalid_value",
  "empty_array",
  "array_above_max_length",
  "string_above_max_length",
  "integer_above_max_value",
  "integer_below_min_value",
  "decimal_above_max_value",
  "decimal_below_min_value",
  "invalid_function_parameters",
  "invalid_image_url",
  "invalid_image_format",
  "image_parse_error",
  "tool_use_failed",
  "invalid_encrypted_content",
]);

/** One faulty field. */
export interface FieldFault {
  /** Like `limits.concurrency` or `deployments.0.weight`; empty for the whole. */
  readonly path: string;
  readonly message: Message;
}

/** Details of one error beyond its row. */
export interface ErrorDetail {
  /** Replaces the code's default message; must not contain a secret, a host or another account's data. */
  readonly message?: Message | undefined;
  /** The faulty request field, as a path like `messages[0].content`. */
  readonly param?: string | undefined;
  /** What is wrong with each field of a form. */
  readonly fields?: readonly FieldFault[] | undefined;
  /** Sent as `Retry-After` (whole seconds, rounded up) and `retry-after-ms`. */
  readonly retryAfterMs?: number | undefined;
  /** Overrides the row's `retryable` in `x-should-retry`. */
  readonly shouldRetry?: boolean | undefined;
  /** Shown in place of the row's code: one of `upstreamRequestCodes`, or `unsupported_parameter`. */
  readonly passedCode?: string | undefined;
  /** Methods for the `Allow` header of a 405. */
  readonly allow?: string | undefined;
}

/** The default message of a code. */
export const defaultMessage = (code: ErrorCode): Message => message(`error.${code}`);

/** The runtime's setting for stacks, which not every browser has. */
const stacks: { stackTraceLimit?: number } = Error;

/**
 * Thrown to end a request; `error-wire.ts` turns it into the answer, or the last event of a stream. Says all
 * there is to know by its code and message, so it has no stack: taking one costs ten times as much as all the
 * rest (8 µs), which callers could make us pay with wrong keys.
 */
export class GatewayError extends Error {
  readonly code: ErrorCode;
  readonly detail: ErrorDetail;
  /** The message as an id, for other languages. */
  readonly messageRef: Message;
  /** Its bytes, kept by `error-wire.ts`: the same error may be sent many times. */
  wire: object | undefined = undefined;

  constructor(code: ErrorCode, detail: ErrorDetail = {}) {
    const made = detail.message ?? defaultMessage(code);
    const { stackTraceLimit } = stacks;
    stacks.stackTraceLimit = 0;
    super(textOf(made));
    if (stackTraceLimit !== undefined) stacks.stackTraceLimit = stackTraceLimit;
    this.name = "GatewayError";
    this.code = code;
    this.detail = detail;
    this.messageRef = made;
  }
}
