/**
 * The error answers of `/fail` and `/error` with OpenAI's messages (docs/wire/openai-chat.md section 7), and
 * the 400 for an invalid request.
 */
import type { Problem } from "./checks.ts";

/** An error answer before it is serialized. */
export interface Failure {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
}

interface Row {
  readonly message: string;
  readonly type: string;
  readonly code: string | null;
  readonly param?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const invalid = "invalid_request_error";

const byStatus: Readonly<Record<number, Row>> = {
  400: { message: "The demo was told to refuse this request.", type: invalid, code: null },
  401: { message: "Incorrect API key provided: sk-demo****demo.", type: invalid, code: "invalid_api_key" },
  402: { message: "Insufficient Balance", type: "unknown_error", code: null },
  403: {
    message: "Country, region, or territory not supported",
    type: "request_forbidden",
    code: "unsupported_country_region_territory",
  },
  404: {
    message: "The model does not exist or you do not have access to it.",
    type: invalid,
    code: "model_not_found",
  },
  413: { message: "Request body too large.", type: invalid, code: null },
  429: {
    message: "Rate limit reached for requests. Please try again in 1s.",
    type: "requests",
    code: "rate_limit_exceeded",
    headers: { "retry-after": "1", "retry-after-ms": "1000" },
  },
  500: {
    message: "The server had an error while processing your request. Sorry about that!",
    type: "server_error",
    code: null,
  },
  503: {
    message: "The server is currently overloaded with other requests.",
    type: "service_unavailable_error",
    code: "server_is_overloaded",
    headers: { "retry-after": "1" },
  },
};

const byCode: Readonly<Record<string, Row>> = {
  context_length_exceeded: {
    message: "This model's maximum context length is 8192 tokens. Please reduce the length of the messages.",
    type: invalid,
    code: "context_length_exceeded",
    param: "messages",
  },
  unsupported_parameter: {
    message: "Unsupported parameter: 'max_tokens' is not supported with this model.",
    type: invalid,
    code: "unsupported_parameter",
    param: "max_tokens",
  },
  content_filter: {
    message: "The prompt was blocked by the content policy.",
    type: invalid,
    code: "content_filter",
    param: "prompt",
  },
  insufficient_quota: {
    message: "You exceeded your current quota, please check your plan and billing details.",
    type: "insufficient_quota",
    code: "insufficient_quota",
  },
};

function bodyOf({ message, type, code, param }: Row): object {
  return { error: { message, type, param: param ?? null, code } };
}

/** The answer of `/fail STATUS [CODE]`. A code without its own message replaces the status's code. */
export function failureOf(status: number, code: string | undefined): Failure {
  const family = status >= 500 ? "server_error" : invalid;
  const plain: Row = { message: `The demo was told to fail with ${status}.`, type: family, code: null };
  const known = code !== undefined && Object.hasOwn(byCode, code) ? byCode[code] : undefined;
  const row = known ?? { ...(byStatus[status] ?? plain), ...(code === undefined ? {} : { code }) };
  return { status, headers: row.headers ?? {}, body: bodyOf(row) };
}

/** The body of the `/error` event, and of the whole answer when not streaming. */
export const serverErrorBody: object = failureOf(500, undefined).body;

export function problemBody({ message, param, code }: Problem): object {
  return { error: { message, type: invalid, param, code } };
}
