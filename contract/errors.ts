/**
 * The one catalogue of errors a caller can meet: code → HTTP status, OpenAI error type, retry hint. What each
 * says is in `messages/en/error.ts`, under its code. It knows nothing of HTTP sockets or upstreams;
 * `docs/call/errors.md` is generated from it and a test keeps the two equal.
 */
import { type Message, message, type RenderedMessage, rendered, textOf } from "./messages/message.ts";
import type { Params } from "./messages/shape.ts";

/**
 * OpenAI's error families; SDKs show them, applications sometimes switch on them. OpenAI names none for
 * 408, 409 and 413, and LiteLLM reads `invalid_request_error` as a bad request whatever the status, so
 * those have the names Anthropic gives them.
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
  /**
   * HTTP status of the answer. Chosen knowing that OpenAI's SDKs retry 408, 409, 429 and 5xx by themselves.
   */
  readonly status: number;
  readonly type: ErrorType;
  /** May the same call succeed if repeated? Sent as `x-should-retry`, which the SDKs obey. */
  readonly retryable: boolean;
  /** For `docs/call/errors.md`: when it happens and what to do. */
  readonly help: string;
}

export const errorCatalogue = {
  invalid_request: {
    status: 400,
    type: "invalid_request_error",
    retryable: false,
    help: "The body is not JSON, a required field is missing or has the wrong type, or the HTTP request itself is malformed. `param` names the field where there is one.",
  },
  unsupported_parameter: {
    status: 400,
    type: "invalid_request_error",
    retryable: false,
    help: "`param` names the parameter. Leave it out, or choose a model that supports it.",
  },
  wrong_endpoint: {
    status: 400,
    type: "invalid_request_error",
    retryable: false,
    help: "The model is for something else, like embeddings. The message names the path to call, or says that this version does not serve it; `operations` in `GET /v1/models` says what each model is for.",
  },
  context_length_exceeded: {
    status: 400,
    type: "invalid_request_error",
    retryable: false,
    help: "Shorten the messages, ask for less output, or choose a model with a larger context.",
  },
  content_filter: {
    status: 400,
    type: "invalid_request_error",
    retryable: false,
    help: "The upstream refused the prompt. Change the prompt; repeating it gives the same answer.",
  },
  invalid_api_key: {
    status: 401,
    type: "invalid_request_error",
    retryable: false,
    help: "No key, a mistyped key, or one that does not exist or was revoked. Send `Authorization: Bearer sk-plaza-…`; `x-api-key` and `api-key` are read as well.",
  },
  api_key_expired: {
    status: 401,
    type: "invalid_request_error",
    retryable: false,
    help: "Ask for a new key, or have the expiry changed.",
  },
  api_key_disabled: {
    status: 401,
    type: "invalid_request_error",
    retryable: false,
    help: "The key exists but was switched off by its owner or the operator.",
  },
  not_signed_in: {
    status: 401,
    type: "invalid_request_error",
    retryable: false,
    help: "The console's API needs a session, or an operator token sent as `Authorization: Bearer …`. Sign in and try again.",
  },
  sign_in_failed: {
    status: 401,
    type: "invalid_request_error",
    retryable: false,
    help: "Which of them is not told. After several tries the next one has to wait.",
  },
  second_factor_required: {
    status: 401,
    type: "invalid_request_error",
    retryable: false,
    help: "Send the same request with `code`, six digits or a recovery code.",
  },
  insufficient_balance: {
    status: 402,
    type: "insufficient_quota",
    retryable: false,
    help: "The prepaid balance does not cover the call. 402 and not 429, because waiting does not help.",
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
    help: "The key carries a list of models. `GET /v1/models` shows those it may use.",
  },
  ip_not_allowed: {
    status: 403,
    type: "permission_error",
    retryable: false,
    help: "The key carries a list of addresses and the caller's is not on it.",
  },
  not_permitted: {
    status: 403,
    type: "permission_error",
    retryable: false,
    help: "The route is another role's, or the token lacks the scope it needs. The message names it.",
  },
  forgery_suspected: {
    status: 403,
    type: "permission_error",
    retryable: false,
    help: "A change made with a session needs the header `x-plaza-csrf` with the value from `GET /api/session`, and no foreign `Origin`. Reload the page.",
  },
  account_suspended: {
    status: 403,
    type: "permission_error",
    retryable: false,
    help: "The operator suspended the account; every key of it is refused until that is lifted.",
  },
  model_not_found: {
    status: 404,
    type: "invalid_request_error",
    retryable: false,
    help: "`GET /v1/models` lists the ids that can be asked for. Of one that is listed, the upstream said that it knows no such model.",
  },
  not_found: {
    status: 404,
    type: "invalid_request_error",
    retryable: false,
    help: "Check the path; the endpoint is `POST {base_url}/v1/chat/completions`.",
  },
  method_not_allowed: {
    status: 405,
    type: "invalid_request_error",
    retryable: false,
    help: "The `Allow` header lists the methods it takes.",
  },
  request_timeout: {
    status: 408,
    type: "timeout_error",
    retryable: true,
    help: "Headers or body came too slowly. Check the network and send again.",
  },
  idempotency_in_flight: {
    status: 409,
    type: "conflict_error",
    retryable: true,
    help: "Wait as long as `Retry-After` says and repeat the call: it gets the answer of the first one.",
  },
  idempotency_answer_not_kept: {
    status: 409,
    type: "conflict_error",
    retryable: false,
    help: "The first call was charged; the message names it. To ask again, and pay again, use a new key.",
  },
  changed_meanwhile: {
    status: 409,
    type: "conflict_error",
    retryable: false,
    help: "Nothing was written. Read it again, and make your change to what is there now.",
  },
  already_exists: {
    status: 409,
    type: "conflict_error",
    retryable: false,
    help: "Choose another name or id; `param` says which field.",
  },
  managed_by_file: {
    status: 409,
    type: "conflict_error",
    retryable: false,
    help: "Change plaza.yaml and apply it; what the file lists is read-only in the console.",
  },
  already_used: {
    status: 409,
    type: "conflict_error",
    retryable: false,
    help: "A link or a code works once. Ask whoever gave it to you for another one.",
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
    help: "Set `Content-Type: application/json`. Where `Content-Encoding` is sent, it is `gzip` or `zstd`, once.",
  },
  idempotency_key_reused: {
    status: 422,
    type: "invalid_request_error",
    retryable: false,
    help: "A key belongs to one body, byte for byte. Use a new key for a new call.",
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
    help: "Signing in and redeeming are slowed down after several failures. Wait as long as `Retry-After` says.",
  },
  internal_error: {
    status: 500,
    type: "server_error",
    retryable: true,
    help: "A fault of ours. Report it with the `x-request-id` of the answer.",
  },
  upstream_error: {
    status: 502,
    type: "server_error",
    retryable: true,
    help: "The upstream broke the connection, answered with an error, or sent something that is not an answer.",
  },
  no_available_upstream: {
    status: 503,
    type: "server_error",
    retryable: true,
    help: "Every deployment of the model is overloaded, out of quota or switched off. Try again shortly or choose another model.",
  },
  overloaded: {
    status: 503,
    type: "server_error",
    retryable: true,
    help: "A bound of this installation was reached, or the process is draining before it stops. `Retry-After` says when to come back.",
  },
  ledger_unavailable: {
    status: 503,
    type: "server_error",
    retryable: true,
    help: "The database cannot be reached or is full. Nothing is served that cannot be recorded.",
  },
  unsupported_http_version: {
    status: 505,
    type: "invalid_request_error",
    retryable: false,
    help: "The client began with HTTP/2 without asking (h2c with prior knowledge), or named it in a request line. HTTP/2 is for a proxy in front, which speaks HTTP/1.1 with Plaza.",
  },
  upstream_timeout: {
    status: 504,
    type: "server_error",
    retryable: true,
    help: "One of the four upstream timers (connect, first token, idle, total) ran out.",
  },
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof errorCatalogue;

/**
 * Codes of OpenAI's own 400 answers that are passed on as they are when an upstream refuses a caller's
 * request with them, because applications switch on them (source: docs/wire/openai-chat.md section 7). All
 * are 400, not retryable.
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
]);

/** One field at fault. */
export interface FieldFault {
  /** As in `limits.concurrency` or `deployments.0.weight`; empty for the whole. */
  readonly path: string;
  readonly message: Message;
}

/** What may be said about one error beyond its row. */
export interface ErrorDetail {
  /** For the caller instead of the code's own; must hold no secret, host or other account's data. */
  readonly message?: Message | undefined;
  /** The request field at fault, as a path like `messages[0].content`. */
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

/** What an error of that code says where nothing more is known. */
export function defaultMessage(code: ErrorCode): Message {
  return message(`error.${code}`);
}

/** Thrown to leave a request; `error-wire.ts` makes it the answer, or the last event of a stream. */
export class GatewayError extends Error {
  readonly code: ErrorCode;
  readonly detail: ErrorDetail;
  /** What `message` says in English, for other languages. */
  readonly messageRef: Message;

  constructor(code: ErrorCode, detail: ErrorDetail = {}) {
    const made = detail.message ?? defaultMessage(code);
    super(textOf(made));
    this.name = "GatewayError";
    this.code = code;
    this.detail = detail;
    this.messageRef = made;
  }
}

/** One field at fault, on the wire of `/api`. */
interface RenderedField extends Partial<RenderedMessage> {
  readonly path: string;
  readonly message: string;
}

/** The wire form of every error: the body of an answer, or the data of a stream's last event. */
export interface ErrorBody {
  readonly error: {
    readonly message: string;
    readonly type: ErrorType;
    readonly param: string | null;
    readonly code: string;
    /** Only in `/api`, whose console may say the message in another language. */
    readonly id?: string;
    readonly params?: Params | undefined;
    /** Only where a form was refused. */
    readonly fields?: readonly RenderedField[];
  };
}

/** Renders the one error shape. `code` and `message` are the seed's; `type` and `param` are OpenAI's. */
export function errorBody(error: GatewayError): ErrorBody {
  return {
    error: {
      message: error.message,
      type: errorCatalogue[error.code].type,
      param: error.detail.param ?? null,
      code: error.detail.passedCode ?? error.code,
    },
  };
}

/** The same for `/api`: with the ids of its messages, and with every field of a form. */
export function consoleErrorBody(error: GatewayError): ErrorBody {
  const { fields } = error.detail;
  return {
    error: {
      ...errorBody(error).error,
      ...rendered(error.messageRef),
      ...(fields === undefined
        ? {}
        : { fields: fields.map(({ path, message: fault }) => ({ path, ...rendered(fault) })) }),
    },
  };
}
