/** What the control plane reads of an HTTP request besides its input: cookies, the caller's address, the site it is on. */
import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { ControlContext, Cookies, Origin, Viewer } from "./context.ts";
import type { Asking } from "./identify.ts";

export interface HonoBindings {
  readonly Bindings: HttpBindings & { readonly requestId: string };
  Variables: { asking: Asking; viewer: Viewer };
}

/** `https` where the connection, or a proxy that is trusted, says so. */
function siteOf(honoContext: Context<HonoBindings>, context: ControlContext): string {
  const host = honoContext.req.header("host") ?? "localhost";
  const isProxied = context.config.publicUrl?.startsWith("https:") === true;
  return `${isProxied ? "https" : "http"}://${host}`;
}

function cookiesOf(honoContext: Context<HonoBindings>, site: string): Cookies {
  const options = { path: "/", httpOnly: true, sameSite: "Lax", secure: site.startsWith("https:") } as const;
  return {
    get: (name) => getCookie(honoContext, name),
    set: (name, value, maxAge) => setCookie(honoContext, name, value, { ...options, maxAge }),
    clear: (name) => void deleteCookie(honoContext, name, options),
  };
}

/** Everything about a request that identifying its sender needs. */
export function askingOf(honoContext: Context<HonoBindings>, context: ControlContext): Asking {
  const site = siteOf(honoContext, context);
  const from: Origin = {
    ip: honoContext.env.incoming.socket.remoteAddress ?? "",
    userAgent: (honoContext.req.header("user-agent") ?? "").slice(0, 300),
    site,
    requestId: honoContext.env.requestId,
  };
  return {
    method: honoContext.req.method,
    header: (name) => honoContext.req.header(name),
    cookies: cookiesOf(honoContext, site),
    from,
  };
}
