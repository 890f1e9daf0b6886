/**
 * Who calls the upstreams: undici, or the transport of our own, directly or through the operator's proxy. And
 * the machine's identity, for upstreams that are called with it.
 */
import { type Config, processEnvironment } from "../config/config.ts";
import { isLoopbackName } from "../config/values.ts";
import { createMachineIdentity, type MachineIdentity } from "../identity/machine-identity.ts";
import {
  type CreateHttpClient,
  createHttpClient,
  createHttpClientThrough,
  loadHttpClient,
} from "../lib/net/http-client.ts";
import type { Clock } from "../lib/time/clock.ts";
import { checkInside } from "../transport/inbound/hand-over.ts";
import { type Llhttp, sharedLlhttp } from "../transport/llhttp/llhttp.ts";
import { createOutbound } from "../transport/outbound/client.ts";
import { createTunnelConnect, createTunnels, type Tunnels } from "../transport/outbound/tunnel.ts";
import { createDeadlines } from "../transport/sockets/deadlines.ts";

export interface Outbound {
  readonly createClient: CreateHttpClient;
  /** Call it when all clients are closed. */
  stop(): void;
}

type ProxyConfig = Pick<Config, "egressProxy" | "upstreamProxies">;

/**
 * Which proxy an upstream is behind: its own, or that of all, which upstreams of this machine are not behind.
 * Undefined: it is called directly.
 */
function createTunnelsFor(
  { egressProxy, upstreamProxies }: ProxyConfig,
  llhttp: Llhttp,
): (origin: string, upstream: string) => Tunnels | undefined {
  const ofAll = egressProxy === undefined ? undefined : createTunnels(egressProxy, llhttp);
  const own = new Map<string, Tunnels | undefined>();
  for (const [upstream, proxy] of upstreamProxies ?? [])
    own.set(upstream, proxy === "direct" ? undefined : createTunnels(proxy, llhttp));
  return (origin, upstream) => {
    if (own.has(upstream)) return own.get(upstream);
    return isLoopbackName(new URL(origin).hostname) ? undefined : ofAll;
  };
}

/** The identity of the machine that this process runs on. */
export const machineIdentity = (clock: Clock): MachineIdentity =>
  createMachineIdentity({ env: processEnvironment(), clock });

/** Clients on undici, each through its upstream's proxy. */
export function nodeClients(config: ProxyConfig): CreateHttpClient {
  if (config.egressProxy === undefined && config.upstreamProxies === undefined) return createHttpClient;
  const tunnelsFor = createTunnelsFor(config, sharedLlhttp());
  return (origin, connectMs, upstream) => {
    const through = tunnelsFor(origin, upstream);
    if (through === undefined) return createHttpClient(origin, connectMs);
    return createHttpClientThrough(origin, createTunnelConnect(through, connectMs));
  };
}

/** Does what takes `openOutbound` 10 ms, once per process, so that a start can do it while it waits. */
export async function prepareOutbound({ transport }: Pick<Config, "transport">): Promise<void> {
  if (transport === "node") await loadHttpClient();
  else {
    sharedLlhttp();
    await checkInside();
  }
}

export async function openOutbound(
  config: ProxyConfig & Pick<Config, "transport">,
  clock: Clock,
): Promise<Outbound> {
  if (config.transport === "node") {
    await loadHttpClient();
    return { createClient: nodeClients(config), stop() {} };
  }
  const llhttp = sharedLlhttp();
  const tunnelsFor = createTunnelsFor(config, llhttp);
  const deadlines = createDeadlines(() => clock.elapsedMs());
  const { direct } = await checkInside();
  return { createClient: createOutbound({ llhttp, deadlines, direct, tunnelsFor }), stop: deadlines.stop };
}
