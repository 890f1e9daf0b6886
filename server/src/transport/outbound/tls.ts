/**
 * How connections to the outside are opened. TLS to an upstream: HTTP/1.1, the process's authorities, and one
 * session for all connections to a host.
 */
import { isIP, type OnReadOpts, type Socket } from "node:net";
import { connect, type TLSSocket } from "node:tls";

/**
 * Of every connection. Answers may be silent for minutes; routers between forget connections on which nothing
 * moves.
 */
export const tcpOptions = {
  noDelay: true,
  keepAlive: true,
  keepAliveInitialDelay: 60_000,
} as const;

/** Where to: a host and port, or a socket that leads there already. */
export type TlsWay =
  | { readonly host: string; readonly port: number }
  | { readonly socket: Socket; readonly host: string };

export interface TlsDialer {
  /** The socket emits `secureConnect` once the certificate was found good for the host, otherwise `error`. */
  connect(way: TlsWay, onread?: OnReadOpts): TLSSocket;
}

/**
 * Only the first connections pay for a whole handshake; the latest session serves all that follow. Node's
 * default authorities are asked at each connect, so that they may change.
 */
export function createTlsDialer(): TlsDialer {
  let session: Buffer | undefined;
  return {
    connect(way, onread) {
      const socket = connect({
        ...tcpOptions,
        ...way,
        ALPNProtocols: ["http/1.1"],
        ...(isIP(way.host) === 0 ? { servername: way.host } : {}),
        ...(session === undefined ? {} : { session }),
        ...(onread === undefined ? {} : { onread }),
      });
      return socket.on("session", (latest) => {
        session = latest;
      });
    },
  };
}
