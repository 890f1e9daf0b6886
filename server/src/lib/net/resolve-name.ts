/**
 * Resolves a name through DNS. Does not use the system's `getaddrinfo`, which blocks one of four threads
 * while a name server is slow, so that all other look-ups wait. Knows no project words.
 */
import { Resolver } from "node:dns/promises";

/** All addresses of a name as text; rejects when there are none or no server answers. */
export type Resolve = (name: string, signal: AbortSignal) => Promise<readonly string[]>;

/** Queries IPv6 and IPv4 addresses in parallel; one kind is enough. `servers` default to the system's. */
export function createResolve(servers?: readonly string[]): Resolve {
  return async (name, signal) => {
    const resolver = new Resolver({ timeout: 2_000, tries: 2 });
    if (servers !== undefined) resolver.setServers(servers);
    const cancel = (): void => resolver.cancel();
    signal.addEventListener("abort", cancel, { once: true });
    try {
      const found = await Promise.allSettled([resolver.resolve6(name), resolver.resolve4(name)]);
      const addresses = found.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
      if (addresses.length === 0) throw new Error("the name has no address");
      return addresses;
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  };
}
