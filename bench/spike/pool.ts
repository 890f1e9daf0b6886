/**
 * The connections to one origin: those not in use, the last used first, and a bound for all. TLS connections
 * share the latest session, so that only the first of them pays for a whole handshake.
 */
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { messageKind } from "../../server/src/transport/llhttp/engine.ts";
import type { Llhttp } from "../../server/src/transport/llhttp/llhttp.ts";
import type { Deadlines } from "../../server/src/transport/sockets/deadlines.ts";
import type { DirectWriter } from "../../server/src/transport/sockets/direct.ts";
import {
  createOutboundWriter,
  OutboundConnection,
  type OutboundLimits,
  type OutboundShared,
} from "./outbound.ts";

export interface Origin {
  readonly host: string;
  readonly port: number;
  /** Undefined: plain TCP. */
  readonly tls?: { readonly servername: string; readonly ca: string | undefined } | undefined;
}

export interface PoolOptions {
  readonly llhttp: Llhttp;
  readonly ticker: Deadlines;
  readonly limits: OutboundLimits;
  readonly connectionsMax: number;
  readonly direct: DirectWriter | undefined;
}

export interface Pool {
  /** An idle connection, or a new one that may still be connecting. Undefined when there are too many. */
  take(): OutboundConnection | undefined;
  /** All connections, in use or not. */
  readonly count: number;
  readonly idleCount: number;
  /** Ends every connection. */
  close(): void;
}

export function createPool(origin: Origin, options: PoolOptions): Pool {
  const { llhttp, ticker, limits, connectionsMax, direct } = options;
  const idle: OutboundConnection[] = [];
  const all = new Set<OutboundConnection>();
  let session: Buffer | undefined;

  const shared: OutboundShared = {
    llhttp,
    ticker,
    writer: createOutboundWriter(llhttp, origin.tls === undefined ? direct : undefined),
    limits,
    give: (connection) => void idle.push(connection),
    forget(connection) {
      all.delete(connection);
      const index = idle.lastIndexOf(connection);
      if (index >= 0) idle.splice(index, 1);
    },
  };

  function connect(callback: (bytes: number) => boolean): Socket {
    const { host, port, tls } = origin;
    const onread = { buffer: llhttp.area, callback };
    if (tls === undefined) return connectTcp({ host, port, onread, noDelay: true });
    const { servername, ca } = tls;
    const socket = connectTls({
      ...{ host, port, onread, noDelay: true, ALPNProtocols: ["http/1.1"] },
      ...(isIP(servername) === 0 ? { servername } : {}),
      ...(ca === undefined ? {} : { ca }),
      ...(session === undefined ? {} : { session }),
    });
    return socket.on("session", (latest) => {
      session = latest;
    });
  }

  function open(): OutboundConnection | undefined {
    if (all.size >= connectionsMax) return undefined;
    const parser = llhttp.open(messageKind.response);
    if (parser === undefined) return undefined;
    let connection: OutboundConnection | undefined;
    const socket = connect((bytes) => {
      connection?.read(bytes);
      return true;
    });
    connection = new OutboundConnection(shared, parser, socket, origin.tls ? "secureConnect" : "connect");
    all.add(connection);
    return connection;
  }

  return {
    take() {
      for (let last = idle.pop(); last !== undefined; last = idle.pop()) {
        if (last.isUsable) return last;
      }
      return open();
    },
    get count() {
      return all.size;
    },
    get idleCount() {
      return idle.length;
    },
    close() {
      for (const connection of all) connection.abort();
    },
  };
}
