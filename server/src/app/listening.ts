/** The addresses a serving process listens on, and its listener operations. Types only. */
import type { Server } from "node:net";
import type { SocketHandle } from "../process/shared-sockets.ts";

/** Ports listened on; equal unless the console has its own address. */
export interface Ports {
  readonly endpoint: number;
  readonly console: number;
}

/** Bound sockets to use instead of the configured addresses: a worker's copies. */
export interface ListenSockets {
  readonly endpoint: SocketHandle;
  readonly console?: SocketHandle | undefined;
}

export interface Listeners {
  /** The endpoint's server. */
  readonly server: Server;
  listen(sockets?: ListenSockets): Promise<Ports>;
  /** From now on answers carry `Connection: close`. */
  leave(): void;
  /** Accepts no further connections. `isShared`: other processes keep accepting. */
  stopAccepting(isShared?: boolean): Promise<unknown>;
  /**
   * After `stopAccepting`: closes connections as they become idle. Returns true when all are closed within
   * `ms`.
   */
  closeIdle(ms: number): Promise<boolean>;
  /** After `stopAccepting`: closes all remaining connections and stops background work. */
  close(): Promise<unknown>;
}
