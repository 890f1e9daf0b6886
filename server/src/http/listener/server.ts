/**
 * The HTTP listener, and everything it refuses before routing: slow or malformed headers, bad Host headers,
 * absolute-form targets, too many connections, pipelined floods.
 */
import { createServer, type OutgoingHttpHeader, type OutgoingHttpHeaders, type Server } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { GatewayError } from "@plaza/contract/errors.ts";
import { type Message, message } from "@plaza/contract/messages/message.ts";
import { isCallersPath } from "../../gateway/endpoints/path-families.ts";
import { Reply } from "../../gateway/request/reply.ts";
import type { Exchange } from "../../lib/net/exchange.ts";
import { NodeExchange, NodeRequest, NodeResponse, pathOf } from "../node-exchange.ts";
import { corsHeaders } from "../routes/cors.ts";
import type { Connections } from "./connections.ts";
import { onClientError, type RefusingAtOnce, refusalAtOnce, wrongVersion } from "./refusals.ts";
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

export interface HttpServerOptions extends RefusingAtOnce {
  readonly settings: HttpSettings;
  readonly route: Route;
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
export const hostPattern = /^(?:[A-Za-z0-9._-]{1,255}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/;

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

/**
 * Refuses a request as cheaply as possible, for an overloaded process: one write, no state, the connection is
 * kept and node:http discards the body.
 */
function refuseAtOnce(options: HttpServerOptions, req: NodeRequest, res: NodeResponse): boolean {
  const isAlone = options.connections.unansweredOn(req.socket) === 0 && res.shouldKeepAlive;
  const path = pathOf(req);
  const refused = isAlone ? refusalAtOnce(options, req.method ?? "", path, req.headers) : undefined;
  if (refused === undefined) return false;
  options.connections.begin(req.socket);
  res.writeHead(refused.status, refused.headers as string[]);
  res.end(refused.text, "latin1");
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

/** Returns the error for a request with invalid headers; undefined = none. */
function headRefusal(req: NodeRequest): GatewayError | undefined {
  if (req.httpVersionMajor > 1) return wrongVersion;
  const fault = headFault(req);
  return fault === undefined ? undefined : new GatewayError("invalid_request", { message: fault });
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
  pauseHeadChecks(server, options.connections, settings.headersTimeoutMs);
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
