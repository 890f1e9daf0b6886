/**
 * Finds out whether an address can be listened on without listening there: a listener that is closed again a
 * moment later resets the callers that came in between.
 */
import { lookup } from "node:dns/promises";
import { connect } from "node:net";
import type { ListenAddress } from "../config/values.ts";

/** Usually unused; what answers there does not matter. */
const targetPort = 1;
/** A connection that is begun was bound before. */
const waitMs = 500;

const wildcards: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

/**
 * Rejects with what the system says of the address (EADDRINUSE, EACCES, EADDRNOTAVAIL …) as
 * `listen` would. Port 0 is free always.
 */
export async function requireFreePort({ host, port }: ListenAddress): Promise<void> {
  if (port === 0) return;
  const { address, family } = await lookup(host);
  await new Promise<void>((resolve, reject) => {
    // Bound to the address as a listener would be, connecting to an address without a listener.
    const socket = connect({
      localAddress: address,
      localPort: port,
      host: wildcards[address] ?? address,
      port: targetPort,
      family,
    });
    const end = (error?: NodeJS.ErrnoException): void => {
      socket.destroy();
      if (error?.syscall === "bind" || error?.code === "EADDRINUSE") reject(error);
      else resolve();
    };
    socket.setTimeout(waitMs, () => end());
    socket.once("connect", () => end());
    socket.once("error", end);
  });
}
