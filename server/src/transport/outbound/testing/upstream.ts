/** For tests: an upstream that says exactly the bytes a test tells it to, and how it was asked. */
import { once } from "node:events";
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from "node:net";
import type { TestContext } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { createServer as createTlsServer } from "node:tls";
import { localhostTestCertificate, localhostTestKey } from "../../../lib/net/testing/certificate.ts";

/** Long enough for the bytes to have been read on the other side of a loopback connection in this process. */
export async function settle(): Promise<void> {
  for (let count = 0; count < 4; count++) await turn();
}

/** The upstream's end of a connection. */
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

  /** Each byte, or each piece of this size, arrives in a read of its own. */
  async sendInPieces(text: string, bytes = 1): Promise<void> {
    for (let at = 0; at < text.length && !this.isOver; at += bytes) {
      this.send(text.slice(at, at + bytes));
      await settle();
    }
  }

  async until(isTrue: () => boolean): Promise<void> {
    while (!isTrue()) {
      if (this.isOver) throw new Error(`over, after ${JSON.stringify(this.received.slice(0, 500))}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Takes one whole request off what has been received. */
  async request(): Promise<string> {
    await this.until(() => this.#requestBytes() > 0);
    const bytes = this.#requestBytes();
    const request = this.received.slice(0, bytes);
    this.received = this.received.slice(bytes);
    return request;
  }

  /** 0: it is not complete. */
  #requestBytes(): number {
    const end = this.received.indexOf("\r\n\r\n") + 4;
    if (end === 3) return 0;
    const length = /content-length: (\d+)/i.exec(this.received.slice(0, end))?.[1];
    const whole = end + Number(length ?? 0);
    return this.received.length < whole ? 0 : whole;
  }

  async over(): Promise<void> {
    while (!this.isOver) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

export interface ScriptedUpstream {
  readonly port: number;
  /** `http://127.0.0.1:PORT`, or `https://localhost:PORT`. */
  readonly origin: string;
  /** In the order they came. */
  readonly wires: readonly Wire[];
  /** The next connection that was not asked for yet. */
  accepted(): Promise<Wire>;
}

export interface UpstreamSetting {
  readonly isTls?: boolean;
  readonly host?: string;
  /** Runs for each connection. Errors after its end of the connection are ignored. */
  readonly script?: (wire: Wire, index: number) => Promise<void> | void;
}

export async function startUpstream(
  test: TestContext,
  setting: UpstreamSetting = {},
): Promise<ScriptedUpstream> {
  const wires: Wire[] = [];
  const waiting: (() => void)[] = [];
  let asked = 0;
  const credentials = { cert: localhostTestCertificate, key: localhostTestKey };
  const isTls = setting.isTls === true;
  const server: Server = isTls
    ? createTlsServer({ ...credentials, ALPNProtocols: ["h2", "http/1.1"] })
    : createTcpServer({ allowHalfOpen: true });
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
  });
  server.on(isTls ? "secureConnection" : "connection", (socket: Socket) => {
    const wire = new Wire(socket);
    wires.push(wire);
    for (const wake of waiting.splice(0)) wake();
    void Promise.resolve(setting.script?.(wire, wires.length - 1)).catch((error: unknown) => {
      if (!wire.isOver) throw error;
    });
  });
  server.on("tlsClientError", () => {});
  server.listen(0, setting.host ?? "127.0.0.1");
  await once(server, "listening");
  test.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    origin: isTls ? `https://localhost:${port}` : `http://127.0.0.1:${port}`,
    wires,
    async accepted() {
      while (wires.length === asked) await new Promise<void>((resolve) => waiting.push(resolve));
      asked++;
      return wires[asked - 1] as Wire;
    },
  };
}
