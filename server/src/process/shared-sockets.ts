/**
 * The primary's copies of the sockets that workers accept on (docs/decisions/0003). The primary binds them;
 * only workers listen and accept, each on its own copies.
 * The primary must be able to close its copies while workers keep theirs, which node:cluster's own sockets
 * cannot do. Node has no public API to send a bound but not listening socket to another process;
 * `net._createServerHandle`, which node:cluster uses, has existed in every version since 0.6.
 */
import { lookup } from "node:dns/promises";
import net from "node:net";
import { getSystemErrorName } from "node:util";
import type { ListenAddress } from "../config/values.ts";

/** A bound socket, as accepted by `Server.listen` and `Worker.send`. */
export interface SocketHandle {
  /** Returns 0, or the system's error number for the socket. */
  getsockname(out: { port?: number }): number;
  close(): void;
}

export interface SharedSockets {
  /**
   * Returns one socket per address, in order, and binds again after `close`. Throws the same errors as
   * `listen`.
   */
  open(): readonly SocketHandle[];
  /** Closes the primary's copies; workers keep theirs. */
  close(): void;
}

/** Returns the system's error number on failure. */
type CreateServerHandle = (
  address: string,
  port: number,
  family: number,
  fd: number,
  flags: number,
) => SocketHandle | number;

interface BoundAddress {
  readonly address: string;
  readonly family: number;
  /** When 0, replaced by the port the system chose. */
  port: number;
}

function bindError(number: number, { address, port }: BoundAddress): NodeJS.ErrnoException {
  const code = getSystemErrorName(number);
  const where = { code, errno: number, syscall: "listen", address, port };
  return Object.assign(new Error(`listen ${code}: ${address}:${port}`), where);
}

function bind(address: BoundAddress): SocketHandle {
  const { _createServerHandle: create } = net as unknown as { _createServerHandle?: CreateServerHandle };
  if (create === undefined)
    throw new Error(`Node.js ${process.version} cannot share a socket: start without --workers`);
  const handle = create(address.address, address.port, address.family, -1, 0);
  if (typeof handle === "number") throw bindError(handle, address);
  // The first place where an address in use is reported.
  const bound: { port?: number } = {};
  const problem = handle.getsockname(bound);
  if (problem !== 0) {
    handle.close();
    throw bindError(problem, address);
  }
  address.port = bound.port ?? address.port;
  return handle;
}

function bindAll(addresses: readonly BoundAddress[]): SocketHandle[] {
  const bound: SocketHandle[] = [];
  try {
    for (const address of addresses) bound.push(bind(address));
    return bound;
  } catch (error) {
    for (const handle of bound) handle.close();
    throw error;
  }
}

/** Binds a socket per address. Rejects with the system's error for the first that fails. */
export async function bindSharedSockets(listenAddresses: readonly ListenAddress[]): Promise<SharedSockets> {
  const addresses = await Promise.all(
    listenAddresses.map(async ({ host, port }): Promise<BoundAddress> => ({ ...(await lookup(host)), port })),
  );
  let bound: SocketHandle[] | undefined = bindAll(addresses);
  return {
    open() {
      bound ??= bindAll(addresses);
      return bound;
    },
    close() {
      for (const handle of bound ?? []) handle.close();
      bound = undefined;
    },
  };
}
