/**
 * The HTTP listener, and everything it refuses before routing: slow or malformed headers, bad Host headers,
 * absolute-form targets, too many connections, pipelined floods.
 */

import {
  createServer,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  type Server,
  STATUS_CODES,
} from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type WireError, wireError } from "@plaza/contract/error-wire.ts";
import { type ErrorCode, GatewayError } from "@plaza/contract/errors.ts";
import { type Message, message } from "@plaza/contract/messages/message.ts";
import { formatOfPath, isCallersPath } from "../../gateway/endpoints/path-families.ts";
import { errorAnswer } from "../../gateway/request/error-answer.ts";
import { answerType, Reply } from "../../gateway/request/reply.ts";
import type { Exchange } from "../../lib/net/exchange.ts";
import { NodeExchange, NodeRequest, NodeResponse, pathOf } from "../node-exchange.ts";
import { corsHeaders } from "../routes/cors.ts";
import type { Connections } from "./connections.ts";
import { headCheckMs, pauseHeadChecks } from "./slow-heads.ts";

export interface HttpSettings {
  readonly headersTimeoutMs: number;
  readonly keepAliveTimeoutMs: number;
  readonly connectionsMax: number;
  /** Origins whose pages may call models: `*`, a comma-separated list, or empty for none. */
  readonly corsOrigins: string;
}

/** Answers one request. Must not throw. */
export type Route = (exchange: Exchange, reply: Reply) => void;

export interface HttpServerOptions {
  readonly settings: HttpSettings;
  readonly newRequestId: () => string;
  readonly route: Route;
  /** Returns the error for a new request under /v1 when the process is overloaded; see `refuseAtOnce`. */
  readonly refusalOf?: (bodyBytes: number) => GatewayError | undefined;
  /** Tracks the connections of this server only. */
  readonly connections: Connections;
}

const headBytesMax = 32 * 1024;
const headersMax = 200;
/**
 * Maximum number of unanswered requests per connection. A browser or SDK has one; a pipelining flood has
 * hundreds.
 */
const pipelinedMax = 16;

/**
 * Adds `Connection: close` while the listener drains. In `writeHead`, because every answer passes through it.
 */
function responsesOf(connections: Connections): typeof NodeResponse {
  return class Response extends NodeResponse {
    override writeHead(
      status: number,
      reasonOrHeaders?: string | OutgoingHttpHeaders | OutgoingHttpHeader[],
      headers?: OutgoingHttpHeaders | OutgoingHttpHeader[],
    ): this {
      // Only the last of several pipelined requests may close the connection.
      const isLast = connections.unansweredOn(this.req.socket) <= 1;
      if (connections.isDraining && isLast) this.shouldKeepAlive = false;
      return super.writeHead(status, reasonOrHeaders as string, headers);
    }
  };
}

/** A plain authority. A path, query, user or space makes the header invalid. */
const hostPattern = /^(?:[A-Za-z0-9._-]{1,255}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/;

function hostFault(req: NodeRequest): Message | undefined {
  let hosts = 0;
  const raw = req.rawHeaders;
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index] ?? "";
    if (name.length === 4 && name.toLowerCase() === "host") hosts += 1;
  }
  if (hosts > 1) return message("server.hostHeader");
  const host = req.headers.host;
  if (host === undefined) return req.httpVersionMinor === 0 ? undefined : message("server.hostHeader");
  return hostPattern.test(host) ? undefined : message("server.hostForm");
}

/** Returns what is wrong with headers that node's parser accepted; undefined = nothing. */
function headFault(req: NodeRequest): Message | undefined {
  if (req.url?.charCodeAt(0) !== 0x2f) return message("server.targetForm");
  if ((req.method === "GET" || req.method === "HEAD") && hasBody(req)) return message("server.getWithBody");
  if (req.httpVersionMinor === 0 && req.headers["transfer-encoding"] !== undefined) {
    return message("server.http10Coding");
  }
  if (req.rawHeaders.length > headersMax * 2) return message("server.headersTooMany", { max: headersMax });
  return hostFault(req);
}

function hasBody(req: NodeRequest): boolean {
  const length = req.headers["content-length"];
  return (length !== undefined && length !== "0") || req.headers["transfer-encoding"] !== undefined;
}

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

/** The same in the format of a path; with the request's id in it, so that it is made each time. */
function wireIn(path: string, error: GatewayError, requestId: string): ReadyWire {
  const format = formatOfPath(path);
  if (format === undefined) return wireOf(error);
  const wire = readyWireOf(errorAnswer(error, { format, requestId, headers: {} }));
  const more = format.errors?.headers?.(requestId) ?? [];
  return { ...wire, headers: [...more, ...wire.headers] };
}

/**
 * Refuses a request as cheaply as possible, for an overloaded process: one write, no state, the connection is
 * kept and node:http discards the body. Only for plain requests where this is certain to work; others get the
 * same error from their route.
 */
function refuseAtOnce(options: HttpServerOptions, req: NodeRequest, res: NodeResponse): boolean {
  const { headers } = req;
  const bodyBytes = Number(headers["content-length"] ?? 0);
  const isPlain =
    bodyBytes <= readPastBytesMax &&
    headers["transfer-encoding"] === undefined &&
    headers.origin === undefined &&
    headers.expect === undefined &&
    req.method !== "OPTIONS" &&
    req.url !== undefined &&
    isCallersPath(req.url) &&
    options.connections.unansweredOn(req.socket) === 0 &&
    res.shouldKeepAlive;
  const refusal = isPlain ? options.refusalOf?.(bodyBytes) : undefined;
  if (refusal === undefined) return false;
  const requestId = options.newRequestId();
  const path = pathOf(req);
  const { status, text, headers: errorHeaders } = wireIn(path, refusal, requestId);
  options.connections.begin(req.socket);
  res.writeHead(status, ["x-request-id", requestId, ...errorHeaders]);
  res.end(text, "latin1");
  options.connections.end(req.socket);
  return true;
}

function onRequest(options: HttpServerOptions, req: NodeRequest, res: NodeResponse): void {
  if (refuseAtOnce(options, req, res)) return;
  const { connections, settings } = options;
  const exchange = new NodeExchange(req, res, connections);
  const isPublic = isCallersPath(exchange.path);
  const cors = isPublic ? corsHeaders(settings.corsOrigins, req.headers.origin) : undefined;
  const reply = new Reply(exchange, options.newRequestId(), cors);
  if (connections.begin(req.socket) > pipelinedMax) {
    req.socket.destroy();
    return;
  }
  const refusal = headRefusal(req);
  if (refusal !== undefined) {
    reply.closeAfter();
    reply.refuse(refusal);
    return;
  }
  options.route(exchange, reply);
}

/** For HTTP/2 without TLS (prior knowledge) and for HTTP/2.0 in a request line. */
const wrongVersion = new GatewayError("unsupported_http_version");

/** Returns the error for a request with invalid headers; undefined = none. */
function headRefusal(req: NodeRequest): GatewayError | undefined {
  if (req.httpVersionMajor > 1) return wrongVersion;
  const fault = headFault(req);
  return fault === undefined ? undefined : new GatewayError("invalid_request", { message: fault });
}

/** Returns the closest answer to bytes that are not an HTTP request. */
function clientErrorAnswer(error: NodeJS.ErrnoException): { status: number; error: GatewayError } {
  const as = (code: ErrorCode, made: Message, status?: number) => {
    const gatewayError = new GatewayError(code, { message: made });
    return { status: status ?? wireError(gatewayError).status, error: gatewayError };
  };
  if (error.code === "ERR_HTTP_REQUEST_TIMEOUT") return as("request_timeout", message("server.headLate"));
  if (error.code === "HPE_PAUSED_H2_UPGRADE")
    return { status: wireError(wrongVersion).status, error: wrongVersion };
  if (error.code === "HPE_HEADER_OVERFLOW") return as("invalid_request", message("server.headTooLarge"), 431);
  return as("invalid_request", message("server.notHttp"));
}

function onClientError(error: NodeJS.ErrnoException, socket: Duplex, newRequestId: () => string): void {
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
  socket.end(`${head.join("\r\n")}\r\n\r\n${body.toString()}`, () => socket.destroy());
}

/** Creates the server. The caller listens and closes. */
export function createHttpServer(options: HttpServerOptions): Server {
  const { settings } = options;
  const server = createServer(
    {
      headersTimeout: settings.headersTimeoutMs,
      requestTimeout: 0,
      connectionsCheckingInterval: headCheckMs,
      keepAliveTimeout: settings.keepAliveTimeoutMs,
      maxHeaderSize: headBytesMax,
      insecureHTTPParser: false,
      requireHostHeader: false,
      noDelay: true,
      IncomingMessage: NodeRequest,
      ServerResponse: responsesOf(options.connections),
    },
    (req, res) => onRequest(options, req, res),
  );
  server.maxConnections = settings.connectionsMax;
  server.on("connection", (socket: Socket) => options.connections.add(socket));
  pauseHeadChecks(server, () => options.connections.open);
  server.on("drop", () => options.connections.refuse());
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) =>
    onClientError(error, socket, options.newRequestId),
  );
  server.on("checkContinue", (req: NodeRequest, res: NodeResponse) => {
    // Sends 100 Continue only when the body is read, so that a request refused by its headers uploads
    // nothing.
    req.once("resume", () => {
      if (!res.headersSent) res.writeContinue();
    });
    onRequest(options, req, res);
  });
  server.on("checkExpectation", (req: NodeRequest, res: NodeResponse) => onRequest(options, req, res));
  server.on("dropRequest", (_req: NodeRequest, socket: Duplex) => socket.destroy());
  return server;
}
