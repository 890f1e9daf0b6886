/**
 * Two load balancers for rigs: one forwards bytes (L4), one forwards requests over kept connections (L7).
 * Both poll `/readyz` of their targets, use ready targets only, and try another target when a connection is
 * refused. Neither repeats a request that was sent.
 */
import { once } from "node:events";
import {
  Agent,
  createServer as createHttpServer,
  type IncomingMessage,
  request,
  type ServerResponse,
} from "node:http";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { get } from "../http-client.ts";
import { pause } from "../measure/clock.ts";

export interface Balancer {
  readonly port: number;
  close(): Promise<void>;
}

const probeEveryMs = 100;

/** The ready ports, polled until `stop`. */
class Targets {
  readonly #ready = new Set<number>();
  #next = 0;
  #isOver = false;

  constructor(ports: readonly number[]) {
    for (const port of ports) void this.#watch(port);
  }

  stop(): void {
    this.#isOver = true;
  }

  /** All ready ports, starting from a different one each time. */
  inTurn(): number[] {
    const ready = [...this.#ready];
    const from = this.#next++ % Math.max(1, ready.length);
    return [...ready.slice(from), ...ready.slice(0, from)];
  }

  async #watch(port: number): Promise<void> {
    while (!this.#isOver) {
      const { status } = await get(`http://127.0.0.1:${port}/readyz`).catch(() => ({ status: 0 }));
      if (status === 200) this.#ready.add(port);
      else this.#ready.delete(port);
      await pause(probeEveryMs);
    }
  }
}

async function listening(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** Connects to the first of the ports that accepts. */
async function connectToOne(ports: readonly number[]): Promise<Socket | undefined> {
  for (const port of ports) {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true, allowHalfOpen: true });
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once("connect", () => resolve(true));
      socket.once("error", () => resolve(false));
    });
    if (isOpen) return socket;
  }
  return undefined;
}

function join(from: Socket, to: Socket): void {
  from.on("error", () => to.destroy());
  from.on("close", () => to.destroy());
  from.pipe(to);
}

/** Forwards bytes, each connection to one target. */
export async function startL4(ports: readonly number[]): Promise<Balancer> {
  const targets = new Targets(ports);
  const open = new Set<Socket>();
  const server = createServer(
    { pauseOnConnect: true, noDelay: true, allowHalfOpen: true },
    async (caller) => {
      open.add(caller);
      caller.once("close", () => open.delete(caller));
      caller.on("error", () => {});
      const target = await connectToOne(targets.inTurn());
      if (target === undefined) {
        caller.destroy();
        return;
      }
      join(caller, target);
      join(target, caller);
    },
  );
  return {
    port: await listening(server),
    async close() {
      targets.stop();
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}

/**
 * Sends a request with its whole body to the first of the ports; tries the next when a connection is refused.
 */
function forward(
  req: IncomingMessage,
  body: Buffer,
  res: ServerResponse,
  ports: readonly number[],
  agent: Agent,
): void {
  const [port, ...others] = ports;
  if (port === undefined) {
    res.writeHead(502).end("nobody is ready");
    return;
  }
  const headers = { ...req.headers, connection: undefined };
  const call = request(
    { port, host: "127.0.0.1", method: req.method, path: req.url, headers: clean(headers), agent },
    (answer) => {
      const {
        connection: _own,
        "keep-alive": _time,
        "transfer-encoding": _framing,
        ...passed
      } = answer.headers;
      res.writeHead(answer.statusCode ?? 502, passed);
      answer.on("error", () => res.destroy());
      answer.pipe(res);
    },
  );
  call.once("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "ECONNREFUSED") forward(req, body, res, others, agent);
    else if (res.headersSent) res.destroy();
    else res.writeHead(502).end(`upstream: ${error.message}`);
  });
  call.end(body);
}

const clean = (headers: Record<string, string | string[] | undefined>): Record<string, string | string[]> =>
  Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string | string[]] => entry[1] !== undefined),
  );

/** Forwards requests over kept connections. */
export async function startL7(ports: readonly number[]): Promise<Balancer> {
  const targets = new Targets(ports);
  const agent = new Agent({ keepAlive: true });
  const server = createHttpServer(async (req, res) => {
    const parts: Buffer[] = [];
    for await (const part of req) parts.push(part as Buffer);
    forward(req, Buffer.concat(parts), res, targets.inTurn(), agent);
  });
  return {
    port: await listening(server),
    async close() {
      targets.stop();
      agent.destroy();
      server.closeAllConnections();
      server.close();
    },
  };
}
