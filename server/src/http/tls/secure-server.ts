/**
 * HTTPS: a listener that does the TLS handshake and gives the sockets behind it to a listener of either
 * transport, which serves them as it serves plain ones. So all its limits hold: an application has no way to
 * tell the two apart. The own transport reads such sockets by public API only (`copyingInto`), because what
 * it does inside of Node is for handles of the system.
 *
 * Until its handshake is over a connection counts as one whose first head has not arrived: among the most
 * there may be, for as long as a head may take, and in a drain.
 */
import type { Socket } from "node:net";
import { Server, type TLSSocket } from "node:tls";
import type { Connections, ListeningServer } from "../listener/connections.ts";
import { onClientError } from "../listener/refusals.ts";
import { contextOptionsOf } from "./certificate.ts";
import { contextByName } from "./context-by-name.ts";
import type { ServedCertificates } from "./served-certificate.ts";

export interface SecureServerOptions {
  /** Serves the secured sockets. It does not listen itself. */
  readonly inner: ListeningServer;
  readonly certificates: ServedCertificates;
  readonly connections: Connections;
  readonly settings: { readonly headersTimeoutMs: number; readonly connectionsMax: number };
  readonly newRequestId: () => string;
}

/** The same for the socket of the system and the TLS socket on it. */
const keyOf = ({ remoteAddress, remotePort, localAddress }: Socket): string =>
  `${remoteAddress} ${remotePort} ${localAddress}`;

/** Accepts connections, and counts them until they close. */
export class SecureServer extends Server {
  readonly #inner: ListeningServer;
  readonly #connections: Connections;
  /** Sockets of the system whose handshake is under way. */
  readonly #handshakes = new Map<string, Socket>();

  constructor({ inner, certificates, connections, settings, newRequestId }: SecureServerOptions) {
    const [initial] = certificates;
    const findContext = contextByName(certificates);
    super({
      ...contextOptionsOf(initial.current),
      SNICallback: (name, use) => use(null, findContext(name)),
      ALPNProtocols: ["http/1.1"],
      handshakeTimeout: settings.headersTimeoutMs,
      // A caller that ends its side in the handshake has gone; afterwards it may only have no more to say.
      allowHalfOpen: false,
      noDelay: true,
    });
    this.#inner = inner;
    this.#connections = connections;
    this.maxConnections = settings.connectionsMax;
    // It does not listen, but from this event on node:http keeps its time limits.
    inner.emit("listening");
    initial.onChange((next) => this.setSecureContext(contextOptionsOf(next)));
    this.on("connection", (socket: Socket) => this.#begin(socket));
    this.on("drop", () => connections.refuse());
    this.on("secureConnection", (secured: TLSSocket) => {
      const socket = this.#handshakes.get(keyOf(secured));
      if (socket !== undefined) this.#end(socket);
      secured.allowHalfOpen = true;
      inner.emit("connection", secured);
    });
    this.on("tlsClientError", (error: NodeJS.ErrnoException, secured: TLSSocket) => {
      const socket = this.#handshakes.get(keyOf(secured));
      // The answer is written past TLS, at once: the connection closes with the error.
      if (error.code === "ERR_SSL_HTTP_REQUEST" && socket !== undefined)
        onClientError(error, socket, newRequestId);
      secured.destroy();
    });
  }

  #begin(socket: Socket): void {
    this.#connections.addHandshake(socket);
    const key = keyOf(socket);
    this.#handshakes.set(key, socket);
    socket.once("close", () => {
      if (this.#handshakes.get(key) === socket) this.#handshakes.delete(key);
    });
  }

  /** From here on the secured socket counts. */
  #end(socket: Socket): void {
    this.#handshakes.delete(keyOf(socket));
    this.#connections.forget(socket);
  }

  /** Leaves handshakes to their time limit, as heads that have begun. */
  closeIdleConnections(): void {
    this.#inner.closeIdleConnections();
  }

  closeAllConnections(): void {
    this.#inner.closeAllConnections();
    for (const socket of this.#handshakes.values()) socket.destroy();
  }
}
