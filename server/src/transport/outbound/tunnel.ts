/**
 * A connection through the operator's HTTP proxy (CONNECT, RFC 9110 9.3.6): the proxy resolves the upstream's
 * name and passes bytes on; with TLS it cannot read them. The same tunnel serves both clients.
 */
import { connect as connectTcp, isIPv6, type Socket } from "node:net";
import type { Connect } from "../../lib/net/http-client.ts";
import { messageKind } from "../llhttp/engine.ts";
import type { Llhttp } from "../llhttp/llhttp.ts";
import { type FailureCode, failure } from "./failure.ts";
import { createTlsDialer, type TlsDialer, tcpOptions } from "./tls.ts";

/** A proxy as the operator configured it. */
export interface EgressProxy {
  readonly isTls: boolean;
  readonly host: string;
  readonly port: number;
  /** `user:password`, a secret; undefined without. */
  readonly userinfo: string | undefined;
}

export interface Target {
  readonly host: string;
  readonly port: number;
}

/** Exactly one of them is called, once. */
export interface TunnelTaker {
  /** The socket leads to the target; nothing has been read from it, and it reads nothing yet. */
  opened(socket: Socket): void;
  failed(error: NodeJS.ErrnoException): void;
}

/** More interim answers than this are not meant well. */
const interimMax = 8;

/** `host:port`, as CONNECT names it. */
const authority = ({ host, port }: Target): string => `${isIPv6(host) ? `[${host}]` : host}:${port}`;

function connectHead(proxy: EgressProxy, target: Target): string {
  const to = authority(target);
  const { userinfo } = proxy;
  const authorization =
    userinfo === undefined
      ? ""
      : `proxy-authorization: Basic ${Buffer.from(userinfo, "utf8").toString("base64")}\r\n`;
  return `CONNECT ${to} HTTP/1.1\r\nhost: ${to}\r\n${authorization}\r\n`;
}

/** A tunnel being made. */
class Tunnel {
  readonly #socket: Socket;
  readonly #llhttp: Llhttp;
  #taker: TunnelTaker | undefined;
  readonly #parser: ReturnType<Llhttp["open"]>;
  #interims = 0;
  readonly #onData = (bytes: Buffer): void => this.#read(bytes);
  readonly #onEnd = (): void => this.#fail(failure("PROXY_CLOSED"));
  readonly #onError = (error: NodeJS.ErrnoException): void => this.#fail(error);

  constructor(socket: Socket, llhttp: Llhttp, taker: TunnelTaker) {
    this.#socket = socket;
    this.#llhttp = llhttp;
    this.#taker = taker;
    this.#parser = llhttp.open(messageKind.response);
    if (this.#parser !== undefined) this.#parser.skipsBody = true;
    socket.on("data", this.#onData);
    socket.on("end", this.#onEnd);
    socket.on("close", this.#onEnd);
    socket.on("error", this.#onError);
  }

  destroy(): void {
    this.#taker = undefined;
    this.#parser?.release();
    this.#socket.destroy();
  }

  #fail(error: NodeJS.ErrnoException): void {
    const taker = this.#taker;
    if (taker === undefined) return;
    this.destroy();
    taker.failed(error);
  }

  #read(bytes: Buffer): void {
    if (this.#taker === undefined) return;
    const outcome = this.#judge(bytes);
    if (outcome === "open") this.#opened();
    else if (outcome !== undefined) this.#fail(failure(outcome));
  }

  /** What the proxy has answered; undefined: not all of it yet. */
  #judge(bytes: Buffer): FailureCode | "open" | undefined {
    const { area } = this.#llhttp;
    const parser = this.#parser;
    // One read of a socket is 64 KB at most; the area holds more.
    if (parser === undefined || bytes.length > area.length) return "CONNECTIONS_MAX";
    bytes.copy(area);
    for (let start = 0; start < bytes.length; start = parser.consumed) {
      if (!parser.execute(start, bytes.length)) return "PROXY_FRAMING";
      if (!parser.hasHead) continue;
      const { status, isUpgrade } = parser.head;
      if (status < 200 && status !== 101 && !isUpgrade && ++this.#interims <= interimMax) continue;
      if (status < 200 || status > 299) return `PROXY_${status}`;
      // Bytes behind the answer would be the upstream's, which was asked nothing yet.
      return parser.consumed < bytes.length ? "PROXY_FRAMING" : "open";
    }
    return undefined;
  }

  #opened(): void {
    const taker = this.#taker;
    const socket = this.#socket;
    this.#taker = undefined;
    this.#parser?.release();
    socket.pause();
    socket.off("data", this.#onData);
    socket.off("end", this.#onEnd);
    socket.off("close", this.#onEnd);
    // The listener for errors stays until the taker has its own: an unhandled error ends the process.
    taker?.opened(socket);
  }
}

/** Makes tunnels through one proxy. */
export interface Tunnels {
  /** Without a time limit: destroy what it returns when it takes too long. */
  open(target: Target, taker: TunnelTaker): { destroy(): void };
}

export function createTunnels(proxy: EgressProxy, llhttp: Llhttp): Tunnels {
  const tls: TlsDialer | undefined = proxy.isTls ? createTlsDialer() : undefined;
  const { host, port } = proxy;
  return {
    open(target, taker) {
      const socket = tls?.connect({ host, port }) ?? connectTcp({ ...tcpOptions, host, port });
      socket.once(tls === undefined ? "connect" : "secureConnect", () => {
        socket.write(connectHead(proxy, target), "latin1");
      });
      return new Tunnel(socket, llhttp, taker);
    },
  };
}

/**
 * The same for undici, as the `connect` of its pool. `connectMs`: for the proxy, the tunnel and TLS together.
 * Upstreams are offered HTTP/1.1 only, as by our own client.
 */
export function createTunnelConnect(tunnels: Tunnels, connectMs: number): Connect {
  const tls = createTlsDialer();
  return ({ hostname: host, port, protocol }, callback) => {
    const isTls = protocol === "https:";
    let opening: { destroy(): void } | undefined;
    const timer = setTimeout(() => failed(failure("ETIMEDOUT")), connectMs);
    let isOver = false;
    const failed = (error: NodeJS.ErrnoException): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      opening?.destroy();
      callback(error, null);
    };
    const opened = (socket: Socket): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      callback(null, socket);
    };
    opening = tunnels.open(
      { host, port: port === "" ? (isTls ? 443 : 80) : Number(port) },
      {
        failed,
        opened(socket) {
          if (!isTls) {
            opened(socket);
            return;
          }
          const encrypted = tls.connect({ socket, host });
          opening = encrypted;
          encrypted.once("secureConnect", () => opened(encrypted));
          encrypted.on("error", failed);
          encrypted.on("close", () => failed(failure("PROXY_CLOSED")));
        },
      },
    );
  };
}
