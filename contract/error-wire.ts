/**
 * Converts a thrown value to the common error shape. Knows the catalogue and HTTP headers, but nothing of
 * models, upstreams or money.
 */
import { type ErrorType, errorCatalogue, GatewayError } from "./errors.ts";
import { type RenderedMessage, rendered } from "./messages/message.ts";
import type { Params } from "./messages/shape.ts";

/** One faulty field in `/api`'s format. */
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
    /** Only in `/api`, where the console may translate the message. */
    readonly id?: string;
    readonly params?: Params | undefined;
    /** Only when a form was refused. */
    readonly fields?: readonly RenderedField[];
  };
}

/** Renders the common error shape. */
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

/** The same for `/api`: with message ids, and every field of a form. */
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

/** Returns a GatewayError unchanged; any other value becomes an internal error whose text is not shown. */
export function toGatewayError(thrown: unknown): GatewayError {
  return thrown instanceof GatewayError ? thrown : new GatewayError("internal_error");
}

/** A request to `/v1` with this header gets errors with their message ids. The console sends it. */
export const messageIdsHeader = "x-plaza-message-ids";

/** The body for a request with these headers. */
export function bodyFor(error: GatewayError, headers: Readonly<Record<string, unknown>>): ErrorBody {
  return headers[messageIdsHeader] === undefined ? errorBody(error) : consoleErrorBody(error);
}

/** What is the same in every format. */
export interface ErrorHead {
  readonly status: number;
  /** Flat name, value list beyond the headers every answer carries. */
  readonly headers: readonly string[];
  /** Milliseconds until trying again may help; undefined = unknown. */
  readonly retryAfterMs: number | undefined;
}

export interface WireError extends Omit<ErrorHead, "retryAfterMs"> {
  readonly body: Buffer;
}

/** Status and headers of an error answer. */
export function errorHead(error: GatewayError): ErrorHead {
  const row = errorCatalogue[error.code];
  const shouldRetry = error.detail.shouldRetry ?? row.retryable;
  const headers = ["x-should-retry", shouldRetry ? "true" : "false"];
  const retryAfterMs = error.detail.retryAfterMs ?? (row.status === 503 && shouldRetry ? 1000 : undefined);
  if (retryAfterMs !== undefined) {
    headers.push("retry-after", String(Math.ceil(retryAfterMs / 1000)));
    headers.push("retry-after-ms", String(Math.ceil(retryAfterMs)));
  }
  if (error.detail.allow !== undefined) headers.push("allow", error.detail.allow);
  return { status: row.status, headers, retryAfterMs };
}

/**
 * Status, JSON body and headers of an error answer. `body`: another than the common one; the answer with that
 * is made once for each error.
 */
export function wireError(error: GatewayError, body?: ErrorBody): WireError {
  const kept = body === undefined ? (error.wire as WireError | undefined) : undefined;
  if (kept !== undefined) return kept;
  const { status, headers } = errorHead(error);
  const made = { status, body: Buffer.from(JSON.stringify(body ?? errorBody(error))), headers };
  if (body === undefined) error.wire = made;
  return made;
}

/** The same for a request with these headers. */
export function wireErrorFor(error: GatewayError, headers: Readonly<Record<string, unknown>>): WireError {
  return wireError(error, headers[messageIdsHeader] === undefined ? undefined : consoleErrorBody(error));
}

/** The last event of a failed stream, on which OpenAI's SDKs throw. No `[DONE]` follows. */
export function wireErrorEvent(error: GatewayError, body: ErrorBody = errorBody(error)): Buffer {
  return Buffer.from(`data: ${JSON.stringify(body)}\n\n`);
}
