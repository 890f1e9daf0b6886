/**
 * The connections to one origin: those at rest, the last used first, and a bound for all. Calls that can have
 * a resting one wait for the end of the loop's turn, so that it is known to be open when it is written to.
 */
import { connect as connectTcp } from "node:net";
import { messageKind } from "../llhttp/engine.ts";
import type { Llhttp } from "../llhttp/llhttp.ts";
import type { Deadlines } from "../sockets/deadlines.ts";
import type { DirectWriter } from "../sockets/direct.ts";
import type { OutboundCall } from "./call.ts";
import { OutboundConnection, type OutboundLimits, type OutboundShared } from "./connection.ts";
import { failure } from "./failure.ts";
import { createTlsDialer, type TlsDialer, tcpOptions } from "./tls.ts";
import type { Tunnels } from "./tunnel.ts";

export interface Origin {
  readonly isTls: boolean;
  /** A name, or an address without brackets. */
  readonly host: string;
  readonly port: number;
}

export interface PoolOptions {
  readonly llhttp: Llhttp;
  readonly deadlines: Deadlines;
  readonly direct: DirectWriter | undefined;
  readonly limits: OutboundLimits;
  /** Connections in use and at rest together. */
  readonly connectionsMax: number;
  /** Undefined: directly. */
  readonly tunnels: Tunnels | undefined;
}

/** A class because it has a lifetime: connections stay open between calls. */
export class Pool {
  readonly #origin: Origin;
  readonly #options: PoolOptions;
  readonly #tls: TlsDialer | undefined;
  readonly #shared: OutboundShared;
  readonly #all = new Set<OutboundConnection>();
  /** Those at rest; the last one was used last. */
  readonly #idle: OutboundConnection[] = [];
  /** Calls for which there is a resting connection. */
  #waiting: OutboundCall[] = [];
  #isTurnAsked = false;
  #isClosed = false;
  #emptied: (() => void) | undefined;
  readonly #turn = (): void => this.#sendWaiting();

  constructor(origin: Origin, options: PoolOptions) {
    const { llhttp, deadlines, direct, limits } = options;
    this.#origin = origin;
    this.#options = options;
    this.#tls = origin.isTls ? createTlsDialer() : undefined;
    this.#shared = {
      area: llhttp.area,
      deadlines,
      direct,
      limits,
      give: (connection) => void this.#idle.push(connection),
      forget: (connection) => this.#forget(connection),
    };
  }

  send(call: OutboundCall): void {
    if (this.#isClosed) {
      call.fail(failure("CLIENT_CLOSED"));
    } else if (this.#waiting.length < this.#idle.length) {
      this.#waiting.push(call);
      if (this.#isTurnAsked) return;
      this.#isTurnAsked = true;
      setImmediate(this.#turn);
    } else {
      this.#open(call);
    }
  }

  /** Ends every connection and every call. Resolves when all have closed. */
  close(): Promise<void> {
    this.#isClosed = true;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const call of waiting) call.fail(failure("CLIENT_CLOSED"));
    for (const connection of [...this.#all]) connection.close(failure("CLIENT_CLOSED"));
    if (this.#all.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#emptied = resolve;
    });
  }

  /** What has arrived by now on resting connections, their ends above all, has been read. */
  #sendWaiting(): void {
    this.#isTurnAsked = false;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const call of waiting) {
      if (!call.isOver && !this.#sendAtOnce(call)) this.#open(call);
    }
  }

  #sendAtOnce(call: OutboundCall): boolean {
    for (let last = this.#idle.pop(); last !== undefined; last = this.#idle.pop()) {
      if (last.isUsable && last.begin(call)) return true;
    }
    return false;
  }

  #open(call: OutboundCall): void {
    const { llhttp, connectionsMax } = this.#options;
    const parser = this.#all.size < connectionsMax ? llhttp.open(messageKind.response) : undefined;
    if (parser === undefined) {
      call.fail(failure("CONNECTIONS_MAX"));
      return;
    }
    const connection = new OutboundConnection(this.#shared, parser, call);
    this.#all.add(connection);
    this.#dial(connection);
  }

  #dial(connection: OutboundConnection): void {
    const { host, port } = this.#origin;
    const { llhttp, tunnels } = this.#options;
    const { area } = llhttp;
    const onread = {
      buffer: area,
      callback(bytes: number): boolean {
        connection.read(bytes);
        return true;
      },
    };
    const tls = this.#tls;
    if (tunnels !== undefined) {
      const tunnel = tunnels.open(this.#origin, {
        // A socket over another one, or made without a buffer of ours, cannot read into the area itself.
        opened(socket) {
          const over = tls === undefined ? socket : tls.connect({ socket, host });
          over.on("data", (bytes: Buffer) => readCopied(connection, area, bytes));
          connection.use(over, tls === undefined ? undefined : "secureConnect");
          over.resume();
        },
        failed: (error) => connection.refuse(error),
      });
      connection.dial(tunnel);
    } else if (tls !== undefined) {
      connection.use(tls.connect({ host, port }, onread), "secureConnect");
    } else {
      connection.use(connectTcp({ ...tcpOptions, host, port, onread }), "connect");
    }
  }

  #forget(connection: OutboundConnection): void {
    this.#all.delete(connection);
    const index = this.#idle.lastIndexOf(connection);
    if (index >= 0) this.#idle.splice(index, 1);
    if (this.#all.size === 0) this.#emptied?.();
  }
}

/** One read of a socket's is 64 KB at most; the area holds more, but need not be trusted to. */
function readCopied(connection: OutboundConnection, area: Buffer, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; at += area.length) {
    connection.read(bytes.copy(area, 0, at, Math.min(bytes.length, at + area.length)));
  }
}
