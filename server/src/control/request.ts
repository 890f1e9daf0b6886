/** What the control plane reads of an HTTP request besides its input: cookies, the caller's address, the site it is on. */
import type { HttpBindings } from "@hono/node-server";
import { GatewayError } from "@plaza/contract/errors.ts";
import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { placeOf } from "./auth/proxies.ts";
import type { ControlContext, Cookies, Origin, Viewer } from "./context.ts";
import type { Asking } from "./identify.ts";

export interface HonoBindings {
  readonly Bindings: HttpBindings;
  Variables: { asking: Asking; viewer: Viewer };
}

function cookiesOf(honoContext: Context<HonoBindings>, isSecure: boolean): Cookies {
  const options = { path: "/", httpOnly: true, sameSite: "Lax", secure: isSecure } as const;
  return {
    get: (name) => getCookie(honoContext, name),
    set: (name, value, maxAge) => setCookie(honoContext, name, value, { ...options, maxAge }),
    clear: (name) => void deleteCookie(honoContext, name, options),
  };
}

/** The number the listener gave this request, before it handed it to the control plane. */
export function requestIdOf(honoContext: Context<HonoBindings>): string {
  const id = honoContext.env.outgoing.getHeader("x-request-id");
  return typeof id === "string" ? id : "";
}

/** Everything about a request that identifying its sender needs. */
export function askingOf(honoContext: Context<HonoBindings>, { config }: ControlContext): Asking {
  const header = (name: string) => honoContext.req.header(name);
  const { remoteAddress } = honoContext.env.incoming.socket;
  const { ip, site, origins } = placeOf({ remoteAddress, header }, config);
  const from: Origin = {
    ip,
    userAgent: (header("user-agent") ?? "").slice(0, 300),
    site,
    requestId: requestIdOf(honoContext),
  };
  return {
    method: honoContext.req.method,
    header,
    cookies: cookiesOf(honoContext, site.startsWith("https:")),
    from,
    origins,
  };
}

/**
 * Reads the body, however its length is told, for the validators to find it. Throws `request_too_large` as soon as it is known to be
 * longer than `bytesMax`. (Hono's own limit cannot read a body of unknown length behind this listener.)
 */
export async function holdBody(honoContext: Context<HonoBindings>, bytesMax: number): Promise<void> {
  const tooLarge = () =>
    new GatewayError("request_too_large", { message: `The body may have ${bytesMax} bytes at most.` });
  if (Number(honoContext.req.header("content-length") ?? 0) > bytesMax) throw tooLarge();
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of honoContext.req.raw.body ?? []) {
    bytes += piece.length;
    if (bytes > bytesMax) throw tooLarge();
    pieces.push(piece);
  }
  const cache = honoContext.req.bodyCache as { text?: unknown };
  cache.text = Promise.resolve(Buffer.concat(pieces).toString("utf8"));
}
