/**
 * The gateway's HTTP client on sockets of its own: the same calls and the same events as undici's
 * (`lib/net/http-client.ts`), with chunks that are views of the area every socket of the process reads into.
 */
import { isIP } from "node:net";
import type { AnswerHandler, CreateHttpClient, HttpCall } from "../../lib/net/http-client.ts";
import type { Llhttp } from "../llhttp/llhttp.ts";
import type { Deadlines } from "../sockets/deadlines.ts";
import type { DirectWriter } from "../sockets/direct.ts";
import { OutboundCall } from "./call.ts";
import { failure } from "./failure.ts";
import { type Origin, Pool } from "./pool.ts";
import { createRequestHeads } from "./request-head.ts";
import type { Tunnels } from "./tunnel.ts";

export interface OutboundOptions {
  readonly llhttp: Llhttp;
  readonly deadlines: Deadlines;
  /** Writes requests past the sockets' streams, where that is known to work. */
  readonly direct?: DirectWriter | undefined;
  /** How an upstream is reached, by its origin and id; undefined: directly. */
  readonly tunnelsFor?: ((origin: string, upstream: string) => Tunnels | undefined) | undefined;
  /** For tests. */
  readonly limits?: Partial<typeof limits>;
}

/** In milliseconds, but the count. Half of the parsers are for upstreams: there are fewer ports than that. */
const limits = {
  idleMs: 30_000,
  idleMsMax: 300_000,
  ageMs: 300_000,
  connectionsMax: 50_000,
};

const emptyBody = Buffer.alloc(0);

/** Reads `http://host:port`. */
function readOrigin(text: string): Origin & { readonly hostField: string } {
  const { protocol, hostname, port, host } = new URL(text);
  const isTls = protocol === "https:";
  const bare = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
  return {
    isTls,
    host: isIP(bare) === 0 ? hostname : bare,
    port: port === "" ? (isTls ? 443 : 80) : Number(port),
    hostField: host,
  };
}

/** Makes clients; they share what `options` holds, and each has its own connections. */
export function createOutbound(options: OutboundOptions): CreateHttpClient {
  const { llhttp, deadlines, direct, tunnelsFor } = options;
  const { connectionsMax, ...given } = { ...limits, ...options.limits };
  return (text, connectMs, upstream) => {
    const origin = readOrigin(text);
    const heads = createRequestHeads(origin.hostField);
    const pool = new Pool(origin, {
      llhttp,
      deadlines,
      direct,
      limits: { ...given, connectMs },
      connectionsMax,
      tunnels: tunnelsFor?.(text, upstream),
    });

    function send(
      method: "GET" | "POST",
      call: Omit<HttpCall, "body">,
      body: Buffer | undefined,
      handler: AnswerHandler,
    ) {
      const head = heads({ method, target: call.path }, call.headers, body?.length);
      const outbound = new OutboundCall(head ?? "", body, handler);
      if (head === undefined) outbound.fail(failure("INVALID_CALL"));
      else pool.send(outbound);
    }

    return {
      post: (call, handler) => send("POST", call, call.body ?? emptyBody, handler),
      get: (call, handler) => send("GET", call, undefined, handler),
      close: () => pool.close(),
    };
  };
}
