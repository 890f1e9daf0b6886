/** Who calls the upstreams: undici, or the transport of our own, directly or through the operator's proxy. */
import type { Config } from "../config/config.ts";
import { type CreateHttpClient, createHttpClient } from "../lib/net/http-client.ts";
import type { Clock } from "../lib/time/clock.ts";
import { createLlhttp } from "../transport/llhttp/llhttp.ts";
import { createOutbound } from "../transport/outbound/client.ts";
import { createDeadlines } from "../transport/sockets/deadlines.ts";

export interface Outbound {
  readonly createClient: CreateHttpClient;
  /** Call it when all clients are closed. */
  stop(): void;
}

export function openOutbound({ transport }: Pick<Config, "transport">, clock: Clock): Outbound {
  if (transport === "node") return { createClient: createHttpClient, stop() {} };
  const deadlines = createDeadlines(() => clock.elapsedMs());
  return { createClient: createOutbound({ llhttp: createLlhttp(), deadlines }), stop: deadlines.stop };
}
