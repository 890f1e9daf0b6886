/** For the relay's tests: a relay before an upstream that a test scripts, and a caller that speaks bytes. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import type { TestContext } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import type { InboundLimits } from "./inbound.ts";
import type { OutboundLimits } from "./outbound.ts";
import type { Origin } from "./pool.ts";
import { createRelay, type Relay } from "./relay.ts";

/** The tests hold for each way to reach the sockets: see `RelayOptions.inside`. */
const inside = process.env["SPIKE_INSIDE"];

const inboundLimits: InboundLimits = {
  headMs: 20_000,
  bodyMs: 20_000,
  idleMs: 20_000,
  stalledMs: 20_000,
  lingerMs: 20_000,
};
const outboundLimits: OutboundLimits = {
  connectMs: 20_000,
  answerMs: 20_000,
  pieceMs: 20_000,
  idleMs: 20_000,
  ageMs: 60_000,
};

export interface RelaySetting {
  readonly inbound?: Partial<InboundLimits>;
  readonly outbound?: Partial<OutboundLimits>;
  readonly tls?: Origin["tls"];
  readonly authorizations?: ReadonlySet<string>;
  readonly connectionsMax?: number;
}

/** Long enough for the bytes to have been read on the other side of a loopback connection in this process. */
export async function settle(): Promise<void> {
  for (let count = 0; count < 4; count++) await turn();
}

async function listen(test: TestContext, server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  test.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}

/** One end of a connection with what has arrived so far. */
export class Wire {
  readonly socket: Socket;
  received = "";
  /** Has the other side ended, or the connection closed? */
  isOver = false;
  #wake: (() => void) | undefined;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.setNoDelay(true);
    socket.on("data", (bytes) => {
      this.received += bytes.toString("latin1");
      this.#wake?.();
    });
    socket.on("error", () => {});
    for (const event of ["end", "close"]) {
      socket.on(event, () => {
        this.isOver = true;
        this.#wake?.();
      });
    }
  }

  send(text: string): void {
    this.socket.write(text, "latin1");
  }

  /** Waits until it is true; fails when the connection is over first. */
  async until(isTrue: () => boolean): Promise<void> {
    while (!isTrue()) {
      if (this.isOver) throw new Error(`over, after ${JSON.stringify(this.received.slice(0, 500))}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async over(): Promise<void> {
    while (!this.isOver) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Takes everything received, once `text` is in it. */
  async take(text: string): Promise<string> {
    await this.until(() => this.received.includes(text));
    const { received } = this;
    this.received = "";
    return received;
  }
}

export interface Rig {
  readonly relay: Relay;
  readonly port: number;
  /** Connections of the relay to the upstream, in order. */
  readonly upstream: Wire[];
  call(): Promise<Wire>;
  /** The next connection the upstream has not been asked for yet. */
  accepted(): Promise<Wire>;
}

/** A relay before `server`, or before an upstream that only takes what the test makes it say. */
export async function startRig(
  test: TestContext,
  setting: RelaySetting = {},
  server: Server = createServer({ allowHalfOpen: true }),
): Promise<Rig> {
  const upstream: Wire[] = [];
  let asked = 0;
  const waiting: (() => void)[] = [];
  server.on(setting.tls === undefined ? "connection" : "secureConnection", (socket: Socket) => {
    upstream.push(new Wire(socket));
    for (const wake of waiting.splice(0)) wake();
  });
  const relay = createRelay({
    origin: { host: "127.0.0.1", port: await listen(test, server), tls: setting.tls },
    inbound: { ...inboundLimits, ...setting.inbound },
    outbound: { ...outboundLimits, ...setting.outbound },
    connectionsMax: setting.connectionsMax ?? 100,
    authorizations: setting.authorizations,
    inside: inside as "public" | "direct" | undefined,
  });
  const port = await listen(test, relay.server);
  test.after(() => relay.close());
  return {
    relay,
    port,
    upstream,
    async call() {
      const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
      test.after(() => socket.destroy());
      await once(socket, "connect");
      return new Wire(socket);
    },
    async accepted() {
      while (upstream.length === asked) {
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
        });
      }
      asked++;
      return upstream[asked - 1] as Wire;
    },
  };
}
