/** Where a serving process listens, and what it can do about that. Types only. */
import type { Server } from "node:http";
import type { SocketHandle } from "../process/shared-sockets.ts";

/** Where a process listens; the same port twice unless the console has an address of its own. */
export interface Ports {
  readonly endpoint: number;
  readonly console: number;
}

/** Bound sockets to listen on instead of the configured addresses: a worker's copies. */
export interface ListenSockets {
  readonly endpoint: SocketHandle;
  readonly console?: SocketHandle | undefined;
}

export interface Listeners {
  /** The endpoint's. */
  readonly server: Server;
  listen(sockets?: ListenSockets): Promise<Ports>;
  /** From now on answers say that their connection closes. */
  leave(): void;
  /** Takes no newcomers any more. `isShared`: other processes do. */
  stopAccepting(isShared?: boolean): Promise<unknown>;
  /** After `stopAccepting`: closes connections as they become idle. True when all were gone within `ms`. */
  closeIdle(ms: number): Promise<boolean>;
  /**
   * After `stopAccepting`: closes what is left, whatever happens on it,
   * and ends what works in the background.
   */
  close(): Promise<unknown>;
}
