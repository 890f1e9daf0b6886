/**
 * The sockets the workers of `--workers N` accept on, as the primary holds them: bound here,
 * listened on and accepted from by workers only, each with copies of its own. Knows sockets, not
 * who gets them (docs/decisions/0003).
 *
 * The primary must be able to close its copies while workers keep theirs, which node:cluster's own sockets
 * cannot. Node has no public way yet to send a socket that is bound but not listened on to another process;
 * `net._createServerHandle`, which node:cluster uses, is there in every version since 0.6.
 */
import { lookup } from "node:dns/promises";
import net from "node:net";
import { getSystemErrorName } from "node:util";
import type { ListenAddress } from "../config/values.ts";

/** A bound socket, as `Server.listen` and `Worker.send` take it. */
export interface SocketHandle {
  /** 0, or the system's number of what is wrong with the socket. */
  getsockname(out: { port?: number }): number;
  close(): void;
}

export interface SharedSockets {
  /**
   * One for each address, in their order; bound anew when they have been closed. Throws what
   * the system says, as `listen` would.
   */
  open(): readonly SocketHandle[];
  /** Closes the primary's copies; those of workers stay open. */
  close(): void;
}

/** Returns the system's number of an error where it fails. */
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
  /** Once it was 0, the one the system chose. */
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
  // An address in use is reported here at the earliest.
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

/** Binds a socket for each address. Rejects with what the system says of the first that cannot be had. */
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
