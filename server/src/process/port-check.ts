/**
 * Checks whether an address can be listened on, without listening there. A listener that closes a moment
 * later would reset connections made in between.
 */
import { lookup } from "node:dns/promises";
import { connect } from "node:net";
import type { ListenAddress } from "../config/values.ts";

/** Usually unused. What answers there does not matter. */
const targetPort = 1;
/** A connection attempt that has started was bound successfully. */
const waitMs = 500;

const wildcards: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

/** Rejects with the same error as `listen` (EADDRINUSE, EACCES, EADDRNOTAVAIL …). Port 0 is always free. */
export async function requireFreePort({ host, port }: ListenAddress): Promise<void> {
  if (port === 0) return;
  const { address, family } = await lookup(host);
  await new Promise<void>((resolve, reject) => {
    // Binds like a listener would, then connects to a port that should have none.
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
