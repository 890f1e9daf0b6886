/**
 * The listener on connections of our own: plain requests of callers are served on them, all other connections
 * are handed to node:http (`server.ts`). What either answers follows the same rules.
 */
import type { Socket } from "node:net";
import { isCallersPath } from "../../gateway/endpoints/path-families.ts";
import { Reply } from "../../gateway/request/reply.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { BrokenCode, InboundApplication } from "../../transport/inbound/connection.ts";
import type { InboundExchange } from "../../transport/inbound/exchange.ts";
import { FrontServer } from "../../transport/inbound/front.ts";
import { lingerMs } from "../node-exchange.ts";
import { corsHeaders } from "../routes/cors.ts";
import { onClientError, refusalAtOnce } from "./refusals.ts";
import { createHttpServer, type HttpServerOptions, hostPattern } from "./server.ts";

export interface OwnServerOptions extends HttpServerOptions {
  readonly clock: Clock;
}

/** node:http keeps an idle connection this much longer than it announces. Milliseconds. */
const keepAliveBufferMs = 1_000;

/** Closes connections as a server of node:http does, which is behind it. */
export class OwnServer extends FrontServer {
  readonly #behind: ReturnType<typeof createHttpServer>;

  constructor(
    options: ConstructorParameters<typeof FrontServer>[0],
    behind: ReturnType<typeof createHttpServer>,
  ) {
    super(options);
    this.#behind = behind;
  }

  closeIdleConnections(): void {
    this.closeIdleOwn();
    this.#behind.closeIdleConnections();
  }

  closeAllConnections(): void {
    this.closeAllOwn();
    this.#behind.closeAllConnections();
  }
}

/** Returns the `Date` of a moment; it changes once per second. */
function createDate({ wallMs }: Clock): () => string {
  let second = -1;
  let text = "";
  return () => {
    const now = Math.floor(wallMs() / 1_000);
    if (now !== second) {
      second = now;
      text = new Date(now * 1_000).toUTCString();
    }
    return text;
  };
}

/** Answers a request: at once when the process is overloaded, else by its route. */
function serve(options: HttpServerOptions, exchange: InboundExchange, socket: Socket): void {
  const { connections, settings } = options;
  connections.begin(socket);
  const { headers, method, path } = exchange;
  const isKept = headers["connection"]?.length !== 5;
  const refused = isKept ? refusalAtOnce(options, method, path, headers) : undefined;
  if (refused !== undefined) {
    exchange.writeHead(refused.status, refused.headers);
    exchange.endText(refused.text);
    return;
  }
  const cors = corsHeaders(settings.corsOrigins, headers.origin);
  options.route(exchange, new Reply(exchange, options.newRequestId(), cors));
}

/** Creates the server. The caller calls `prepare`, listens and closes. */
export function createOwnServer(options: OwnServerOptions): OwnServer {
  const { settings, connections, clock, newRequestId } = options;
  const behind = createHttpServer(options);
  // It does not listen, but from this event on it knows its connections and their time limits.
  behind.emit("listening");
  /** Most callers say the same. */
  let lastHost = "";
  const application: InboundApplication = {
    get isDraining() {
      return connections.isDraining;
    },
    date: createDate(clock),
    isPath: isCallersPath,
    isHost(host) {
      if (host === lastHost) return true;
      if (!hostPattern.test(host)) return false;
      lastHost = host;
      return true;
    },
    serve: (exchange, socket) => serve(options, exchange, socket),
    over: (socket) => connections.end(socket),
    refuse(socket, code: BrokenCode) {
      // A caller in the middle of a body still sends; closing now would lose the answer. The connection
      // closes by itself.
      if (code === "HPE_INVALID") onClientError({ code }, socket, newRequestId, () => {});
      else onClientError({ code }, socket, newRequestId);
    },
    handOver(socket, unread) {
      connections.forget(socket);
      // `clientError` and the limits are those of the server that a socket says is its own.
      Object.assign(socket, { server: behind });
      behind.emit("connection", socket);
      socket.unshift(unread);
      socket.resume();
    },
  };
  const front = new OwnServer(
    {
      application,
      limits: {
        headMs: settings.headersTimeoutMs,
        idleMs: settings.keepAliveTimeoutMs + keepAliveBufferMs,
        lingerMs,
      },
      keepAliveSeconds: Math.floor(settings.keepAliveTimeoutMs / 1_000),
      elapsedMs: clock.elapsedMs,
      opened: (socket) => connections.add(socket),
    },
    behind,
  );
  front.maxConnections = settings.connectionsMax;
  front.on("drop", () => connections.refuse());
  return front;
}
