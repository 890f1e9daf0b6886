/**
 * What the control plane reads from an HTTP request besides its input: cookies, the caller's address, the
 * site.
 */
import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { clientAddressOf } from "./auth/proxies.ts";
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

/** The id the listener gave this request. */
export function requestIdOf(honoContext: Context<HonoBindings>): string {
  const id = honoContext.env.outgoing.getHeader("x-request-id");
  return typeof id === "string" ? id : "";
}

/** What is needed to identify the sender of a request. */
export function askingOf(honoContext: Context<HonoBindings>, { config }: ControlContext): Asking {
  const header = (name: string) => honoContext.req.header(name);
  const { remoteAddress } = honoContext.env.incoming.socket;
  const { ip, site, origins } = clientAddressOf({ remoteAddress, header }, config);
  const from: Origin = {
    ip,
    userAgent: (header("user-agent") ?? "").slice(0, 300),
    site,
    requestId: requestIdOf(honoContext),
  };
  return {
    method: honoContext.req.method,
    header,
    cookies: cookiesOf(
      honoContext,
      origins.some((origin) => origin.startsWith("https:")),
    ),
    from,
    origins,
  };
}

/** Passes the received body to the validators, which would otherwise read it themselves. */
export function keepBody(honoContext: Context<HonoBindings>, body: Buffer): void {
  const cache = honoContext.req.bodyCache as { text?: unknown };
  cache.text = Promise.resolve(body.toString("utf8"));
}
