/**
 * Answers that listeners give before any route: to bytes that are not HTTP, and to new calls of an overloaded
 * process. The same for every transport.
 */
import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { type WireError, wireError } from "@plaza/contract/error-wire.ts";
import { type ErrorCode, GatewayError } from "@plaza/contract/errors.ts";
import { type Message, message } from "@plaza/contract/messages/message.ts";
import { formatOfPath, isCallersPath } from "../../gateway/endpoints/path-families.ts";
import { errorAnswer } from "../../gateway/request/error-answer.ts";
import { answerType } from "../../gateway/request/reply.ts";
import type { RequestHeaders } from "../../lib/net/exchange.ts";

/** Discarding a body of up to this size costs less than closing the connection. */
const readPastBytesMax = 64 * 1024;

interface ReadyWire {
  readonly status: number;
  readonly text: string;
  /** Without the request id. */
  readonly headers: readonly string[];
}

/** Encoded errors, cached because the same few are sent again and again. */
const readyWires = new WeakMap<GatewayError, ReadyWire>();

function readyWireOf({ status, body, headers }: WireError): ReadyWire {
  const length = String(body.length);
  return {
    status,
    text: body.toString("latin1"),
    headers: ["content-type", answerType, "content-length", length, ...headers],
  };
}

function wireOf(error: GatewayError): ReadyWire {
  const ready = readyWires.get(error);
  if (ready !== undefined) return ready;
  const made = readyWireOf(wireError(error));
  readyWires.set(error, made);
  return made;
}

/** The same in the format of a path's client; with the request's id in it, so that it is made each time. */
function wireIn(path: string, callers: RequestHeaders, error: GatewayError, requestId: string): ReadyWire {
  const format = formatOfPath(path, callers);
  if (format === undefined) return wireOf(error);
  const wire = readyWireOf(errorAnswer(error, { format, requestId, headers: {} }));
  const more = format.errors?.headers?.(requestId) ?? [];
  return { ...wire, headers: [...more, ...wire.headers] };
}

/** What a listener needs for `refusalAtOnce`. */
export interface RefusingAtOnce {
  readonly newRequestId: () => string;
  /** Returns the error for a new request when the process is overloaded; absent = it never is. */
  readonly refusalOf?: (bodyBytes: number) => GatewayError | undefined;
}

/** A whole answer; `text`: the body's bytes as latin1. */
interface ReadyAnswer {
  readonly status: number;
  readonly headers: readonly string[];
  readonly text: string;
}

/**
 * The refusal of a request for which an overloaded process must not spend more: sent in one write, with the
 * connection kept and the body discarded. Only for plain requests where this is certain to work; undefined:
 * the request is routed, where it may get the same error.
 */
export function refusalAtOnce(
  { refusalOf, newRequestId }: RefusingAtOnce,
  method: string,
  path: string,
  headers: RequestHeaders,
): ReadyAnswer | undefined {
  if (refusalOf === undefined) return undefined;
  const bodyBytes = Number(headers["content-length"] ?? 0);
  const isPlain =
    bodyBytes <= readPastBytesMax &&
    headers["transfer-encoding"] === undefined &&
    headers.origin === undefined &&
    headers["expect"] === undefined &&
    method !== "OPTIONS" &&
    isCallersPath(path);
  const refusal = isPlain ? refusalOf(bodyBytes) : undefined;
  if (refusal === undefined) return undefined;
  const requestId = newRequestId();
  const { status, text, headers: errorHeaders } = wireIn(path, headers, refusal, requestId);
  return { status, text, headers: ["x-request-id", requestId, ...errorHeaders] };
}

/** For HTTP/2 without TLS (prior knowledge) and for HTTP/2.0 in a request line. */
export const wrongVersion = new GatewayError("unsupported_http_version");

/** Returns the closest answer to bytes that are not an HTTP request. */
function clientErrorAnswer(error: Pick<NodeJS.ErrnoException, "code">): {
  status: number;
  error: GatewayError;
} {
  const as = (code: ErrorCode, made: Message, status?: number) => {
    const gatewayError = new GatewayError(code, { message: made });
    return { status: status ?? wireError(gatewayError).status, error: gatewayError };
  };
  if (error.code === "ERR_HTTP_REQUEST_TIMEOUT") return as("request_timeout", message("server.headLate"));
  if (error.code === "HPE_PAUSED_H2_UPGRADE")
    return { status: wireError(wrongVersion).status, error: wrongVersion };
  if (error.code === "ERR_SSL_HTTP_REQUEST") return as("invalid_request", message("server.plainHttp"));
  if (error.code === "HPE_HEADER_OVERFLOW") return as("invalid_request", message("server.headTooLarge"), 431);
  return as("invalid_request", message("server.notHttp"));
}

/**
 * Answers what cannot be read as HTTP, and closes. `error`: node:http's, or one of the own transport with the
 * same `code`. `sent` is called when the answer is with the system.
 */
export function onClientError(
  error: Pick<NodeJS.ErrnoException, "code">,
  socket: Duplex,
  newRequestId: () => string,
  sent = (): void => void socket.destroy(),
): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const answer = clientErrorAnswer(error);
  const { body } = wireError(answer.error);
  const head = [
    `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? ""}`,
    "content-type: application/json; charset=utf-8",
    `content-length: ${body.length}`,
    `x-request-id: ${newRequestId()}`,
    "x-should-retry: false",
    "connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body.toString()}`, sent);
}
