/** Who calls the upstreams: undici, or the transport of our own, directly or through the operator's proxy. */
import type { Config } from "../config/config.ts";
import { isLoopbackName } from "../config/values.ts";
import { type CreateHttpClient, createHttpClient } from "../lib/net/http-client.ts";
import type { Clock } from "../lib/time/clock.ts";
import { checkInside } from "../transport/inbound/hand-over.ts";
import { sharedLlhttp } from "../transport/llhttp/llhttp.ts";
import { createOutbound } from "../transport/outbound/client.ts";
import { createTunnelConnect, createTunnels, type Tunnels } from "../transport/outbound/tunnel.ts";
import { createDeadlines } from "../transport/sockets/deadlines.ts";

export interface Outbound {
  readonly createClient: CreateHttpClient;
  /** Call it when all clients are closed. */
  stop(): void;
}

/** Upstreams of this machine are not behind the proxy. */
const isBehindProxy = (origin: string): boolean => !isLoopbackName(new URL(origin).hostname);

export async function openOutbound(
  config: Pick<Config, "transport" | "egressProxy">,
  clock: Clock,
): Promise<Outbound> {
  const { transport, egressProxy } = config;
  if (transport === "node" && egressProxy === undefined) return { createClient: createHttpClient, stop() {} };
  const llhttp = sharedLlhttp();
  const tunnels: Tunnels | undefined =
    egressProxy === undefined ? undefined : createTunnels(egressProxy, llhttp);
  const tunnelsFor = (origin: string): Tunnels | undefined => (isBehindProxy(origin) ? tunnels : undefined);
  if (transport === "own") {
    const deadlines = createDeadlines(() => clock.elapsedMs());
    const { direct } = await checkInside();
    return { createClient: createOutbound({ llhttp, deadlines, direct, tunnelsFor }), stop: deadlines.stop };
  }
  return {
    createClient(origin, connectMs) {
      const through = tunnelsFor(origin);
      const connect = through === undefined ? undefined : createTunnelConnect(through, connectMs);
      return createHttpClient(origin, connectMs, connect);
    },
    stop() {},
  };
}
