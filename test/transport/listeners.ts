/**
 * The listener on node:http and the one on connections of our own, in this process, with one route that
 * answers with what it saw. Connections are in memory (`FakeSocket`).
 */
import { GatewayError } from "@plaza/contract/errors.ts";
import { Connections, type ListeningServer } from "../../server/src/http/listener/connections.ts";
import { createOwnServer } from "../../server/src/http/listener/own-server.ts";
import { createHttpServer, type Route } from "../../server/src/http/listener/server.ts";
import { systemClock } from "../../server/src/lib/time/clock.ts";
import { FakeSocket } from "./fake-socket.ts";

export type Transport = "node" | "own";

/** Counts what happened in any listener, to find out when nothing happens any more. */
let activity = 0;
const active = (): void => {
  activity += 1;
};

/** Resolves after some turns of the event loop in which nothing happened. */
export async function quiet(): Promise<void> {
  let before = -1;
  for (let still = 0; still < 5; still = before === activity ? still + 1 : 0) {
    before = activity;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const textType = "text/plain";

/** Answers with the request as it was seen; how depends on the path. */
const echo: Route = (exchange, reply) => {
  const { method, path, query, headers } = exchange;
  active();
  if (path.endsWith("/close")) reply.closeAfter();
  if (path.endsWith("/refuse")) {
    reply.refuse(new GatewayError("request_too_large"));
    return;
  }
  const pieces: Buffer[] = [];
  const answer = (): void => {
    active();
    const names = Object.keys(headers).sort();
    const shown = names.map((name) => `${name}=${String(headers[name])}`).join("|");
    const seen = Buffer.from(`<${method} ${path} ?${query} ${shown} ${Buffer.concat(pieces)}>`);
    if (path.endsWith("/stream")) {
      reply.beginStream();
      reply.write(seen);
      reply.write(Buffer.alloc(0));
      reply.endStream(Buffer.from("end"));
    } else reply.send(200, textType, seen);
  };
  exchange.receive({
    piece: (bytes) => void pieces.push(bytes),
    ended() {
      if (path.endsWith("/later")) setImmediate(() => setImmediate(answer));
      else answer();
    },
  });
};

/** What became of one connection. */
export interface Outcome {
  /** The answers, without their dates. */
  readonly text: string;
  readonly isEnded: boolean;
  readonly isClosed: boolean;
}

export interface Listener {
  readonly connections: Connections;
  open(): FakeSocket;
}

const fuzzSettings = {
  headersTimeoutMs: 300_000,
  keepAliveTimeoutMs: 300_000,
  connectionsMax: 100,
  corsOrigins: "",
};

function createServerOf(transport: Transport): { server: ListeningServer; connections: Connections } {
  const connections = new Connections(systemClock);
  const options = { settings: fuzzSettings, connections, newRequestId: () => "req_1", route: echo };
  const server =
    transport === "own" ? createOwnServer({ ...options, clock: systemClock }) : createHttpServer(options);
  return { server, connections };
}

export function createListener(transport: Transport): Listener {
  const { server, connections } = createServerOf(transport);
  return {
    connections,
    open() {
      const socket = new FakeSocket(active);
      server.emit("connection", socket);
      return socket;
    },
  };
}

export function outcomeOf(socket: FakeSocket): Outcome {
  return {
    text: socket.text.replace(/\r\nDate: [^\r]*/g, ""),
    isEnded: socket.writableEnded,
    isClosed: socket.destroyed,
  };
}
