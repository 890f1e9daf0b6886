/**
 * The control plane as one Hono app: every route of the contract with its access rule, input checks and the
 * common error shape. Operators' actions and all changes are written to the audit log before they are done.
 */

import { getRequestListener } from "@hono/node-server";
import { OpenAPIHono, type z } from "@hono/zod-openapi";
import { faultMessage } from "@plaza/contract/api/fault.ts";
import { apiRoutes, type RouteSpec } from "@plaza/contract/api/index.ts";
import { smallBodyBytes } from "@plaza/contract/api/route.ts";
import { consoleErrorBody, wireError } from "@plaza/contract/error-wire.ts";
import { type FieldFault, GatewayError } from "@plaza/contract/errors.ts";
import { message } from "@plaza/contract/messages/message.ts";
import type { Context, MiddlewareHandler } from "hono";
import { HTTPException } from "hono/http-exception";
import { StoreError } from "../store/error.ts";
import { requireAccess } from "./access.ts";
import { beginAudit } from "./audit/audit.ts";
import type { Call, ControlContext, Download, EventStream, Redirect } from "./context.ts";
import { handlers } from "./handlers/index.ts";
import { catalogOf } from "./handlers/plaza/kept.ts";
import { identify, requireOwnPage } from "./identify.ts";
import { isStillAllowed } from "./live/recheck.ts";
import { describeRoute, paramsOf, routesInOrder, serveDocument, statusOf } from "./openapi.ts";
import { createReceiver, type Receiver } from "./receive.ts";
import { askingOf, type HonoBindings, keepBody, requestIdOf } from "./request.ts";
import { createWriteRate, type WriteRate } from "./write-rate.ts";

type AnyHandler = (context: ControlContext, call: Call) => Promise<unknown>;

/** Validation faults of zod in the form's terms. */
function fieldFaults(error: z.core.$ZodError): FieldFault[] {
  return error.issues
    .slice(0, 100)
    .map((issue) => ({ path: issue.path.join("."), message: faultMessage(issue) }));
}

function refuseInput(error: z.core.$ZodError): never {
  const fields = fieldFaults(error);
  const [first] = fields;
  throw new GatewayError("invalid_request", {
    message:
      first === undefined || first.path === ""
        ? first?.message
        : message("form.atField", { path: first.path, fault: first.message }),
    param: first?.path === "" ? undefined : first?.path,
    fields,
  });
}

/** Asks for a piece when the one before was taken. `ahead`: how many are made before they are asked for. */
function streamOf(pieces: AsyncIterable<string>, ahead = 1): ReadableStream<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await iterator.next();
        if (done === true) controller.close();
        else controller.enqueue(encoder.encode(value));
      },
      async cancel() {
        await iterator.return?.();
      },
    },
    { highWaterMark: ahead },
  );
}

const eventHeaders = {
  "content-type": "text/event-stream; charset=utf-8",
  // Proxies must pass events on at once.
  "x-accel-buffering": "no",
};

function answer(honoContext: Context, spec: RouteSpec, value: unknown): Response {
  if (spec.answerType === "redirect") return honoContext.redirect((value as Redirect).location, 302);
  if (spec.answerType === "text/csv") {
    const download = value as Download;
    return honoContext.body(streamOf(download.pieces), 200, {
      "content-type": "text/csv; charset=utf-8",
      "content-disposition": `attachment; filename="${download.fileName}"`,
    });
  }
  if (spec.answerType === "text/event-stream")
    return honoContext.body(streamOf((value as EventStream).events, 0), 200, eventHeaders);
  if (spec.answer === undefined) return honoContext.body(null, 204);
  return honoContext.json(value as object, statusOf(spec) as 200);
}

/** The parsed input. Throws a refusal that names every faulty field. */
function readInput(honoContext: Context, spec: RouteSpec): Pick<Call, "params" | "query" | "body"> {
  const valid = (kind: string): unknown => (honoContext.req as { valid(kind: string): unknown }).valid(kind);
  return {
    params: (paramsOf(spec) === undefined ? {} : valid("param")) as Call["params"],
    query: (spec.query === undefined ? undefined : valid("query")) as Call["query"],
    body: (spec.body === undefined ? undefined : valid("json")) as Call["body"],
  };
}

/** What every call passes before its route. */
interface Entrance {
  readonly receiver: Receiver;
  readonly writeRate: WriteRate;
}

/**
 * Authenticates the caller before the input is parsed, so that refusals reveal nothing about forms to others.
 */
function gateOf(
  context: ControlContext,
  spec: RouteSpec,
  { receiver, writeRate }: Entrance,
): MiddlewareHandler<HonoBindings> {
  const receive = receiver.forRoute(spec.bodyBytesMax ?? smallBodyBytes);
  return async (honoContext, next) => {
    const asking = askingOf(honoContext, context);
    const viewer = await identify(context, asking);
    requireAccess(spec, viewer);
    requireOwnPage(asking, viewer, spec.access === "anyone");
    if (spec.method !== "get") writeRate.admit(asking, viewer);
    const type = honoContext.req.header("content-type") ?? "";
    if (spec.body !== undefined && !/^application\/json\s*(;|$)/i.test(type))
      throw new GatewayError("unsupported_media_type");
    if (spec.body !== undefined) keepBody(honoContext, await receive(honoContext.env.incoming));
    honoContext.set("asking", asking);
    honoContext.set("viewer", viewer);
    await next();
  };
}

/** When former paths became deprecated (RFC 9745: seconds since 1970). */
const deprecatedAt = Date.UTC(2026, 10, 23) / 1_000;

/** Tells a caller of a former path which path to use instead. */
function warnOfFormerPath(honoContext: Context, { path }: RouteSpec): void {
  const successor = `/api${path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(honoContext.req.param(name) ?? ""))}`;
  honoContext.header("deprecation", `@${deprecatedAt}`);
  honoContext.header("link", `<${successor}>; rel="successor-version"`);
}

function addRoute(
  app: OpenAPIHono<HonoBindings>,
  context: ControlContext,
  entrance: Entrance,
  [name, spec]: readonly [string, RouteSpec],
  path = spec.path,
): void {
  const handler = (handlers as unknown as Record<string, AnyHandler>)[name] as AnyHandler;
  const route = { ...describeRoute(name, spec, path), middleware: gateOf(context, spec, entrance) };
  app.openapi(route, (async (honoContext: Context<HonoBindings>) => {
    if (path !== spec.path) warnOfFormerPath(honoContext, spec);
    const viewer = honoContext.get("viewer");
    const asking = honoContext.get("asking");
    const { cookies, from } = asking;
    const input = readInput(honoContext, spec);
    const audit = beginAudit(context, { name, spec, viewer, from, input });
    const call = {
      ...input,
      viewer,
      from,
      cookies,
      url: new URL(honoContext.req.url),
      signal: honoContext.req.raw.signal,
      isStillAllowed: () => isStillAllowed(context, spec, asking, viewer),
      note: audit.note,
      unchanged: audit.unchanged,
    } as unknown as Call;
    const value = await audit.around(() => Promise.resolve(handler(context, call)));
    // Operators see their own change when they look at the plaza next.
    if (spec.access === "operator" && spec.method !== "get") catalogOf.forget(context.store);
    return answer(honoContext, spec, value);
  }) as never);
}

/** The caller's error for a refusal of the store; undefined: an internal error. */
function fromStore(error: StoreError): GatewayError | undefined {
  const { code, messageRef } = error;
  if (code === "not_found") return new GatewayError("not_found", { message: messageRef });
  if (code === "duplicate") return new GatewayError("already_exists");
  if (code === "invalid") return new GatewayError("invalid_request", { message: messageRef });
  const isPassing =
    code === "unavailable" || code === "queue_full" || code === "disk_full" || code === "locked";
  return isPassing ? new GatewayError("ledger_unavailable") : undefined;
}

/** The common error shape. Unexpected errors are logged, and callers do not see their text. */
function refusalOf(thrown: Error, honoContext: Context<HonoBindings>, context: ControlContext): GatewayError {
  if (thrown instanceof GatewayError) return thrown;
  if (thrown instanceof HTTPException)
    return new GatewayError("invalid_request", { message: message("body.notJson") });
  const error = thrown instanceof StoreError ? fromStore(thrown) : undefined;
  if (error === undefined || error.code === "ledger_unavailable")
    context.log.error("internal_error", { request: requestIdOf(honoContext), stack: thrown.stack });
  return error ?? new GatewayError("internal_error");
}

/** For a known path with another method: says which methods it takes. */
function refusePath(path: string): never {
  const asked = path.replace(/^\/api/, "").split("/");
  const allowed = Object.values(apiRoutes as Record<string, RouteSpec>)
    .filter((spec) => {
      const parts = spec.path.split("/");
      return (
        parts.length === asked.length &&
        parts.every((part, index) => part.startsWith("{") || part === asked[index])
      );
    })
    .map(({ method }) => method.toUpperCase());
  if (allowed.length > 0) throw new GatewayError("method_not_allowed", { allow: allowed.join(", ") });
  throw new GatewayError("not_found", { message: message("server.routeUnknown") });
}

/**
 * The control plane as a Node listener. The request id is read from the answer's head, where the listener
 * wrote it.
 */
export function createControlListener(context: ControlContext): ReturnType<typeof getRequestListener> {
  const app = createControlApp(context);
  return getRequestListener((request, env) => app.fetch(request, env as never), {
    overrideGlobalObjects: false,
  });
}

/** Makes the app. Its paths begin with `/api`. */
function createControlApp(context: ControlContext): OpenAPIHono<HonoBindings> {
  const { oidcIssuer, oidcClientId } = context.config;
  if ((oidcIssuer === undefined) !== (oidcClientId === undefined))
    context.log.warn("oidc_not_set", { reason: "oidcIssuer and oidcClientId go together" });
  const app = new OpenAPIHono<HonoBindings>({
    defaultHook: (result) => {
      if (!result.success) refuseInput(result.error);
    },
  }).basePath("/api");
  app.use("*", async (honoContext, next) => {
    await next();
    honoContext.header("cache-control", "no-store");
  });
  const { config: settings, clock, bodies: memory } = context;
  const receiver = createReceiver({ settings, clock, memory });
  const entrance = { receiver, writeRate: createWriteRate(context, settings.apiWritesPerMinute) };
  for (const route of routesInOrder()) {
    addRoute(app, context, entrance, route);
    if (route[1].formerPath !== undefined) addRoute(app, context, entrance, route, route[1].formerPath);
  }
  serveDocument(app, context.version);
  app.notFound((honoContext) => refusePath(honoContext.req.path));
  app.onError((thrown, honoContext) => {
    const refusal = refusalOf(thrown, honoContext, context);
    const wire = wireError(refusal, consoleErrorBody(refusal));
    const headers: Record<string, string> = {
      "content-type": "application/json; charset=utf-8",
      "cache-control": "no-store",
    };
    for (let index = 0; index < wire.headers.length; index += 2) {
      headers[wire.headers[index] as string] = wire.headers[index + 1] as string;
    }
    // The rest of a body that is sent too slowly is not awaited.
    if (wire.status === 408) headers["connection"] = "close";
    return honoContext.body(new Uint8Array(wire.body), wire.status as 400, headers);
  });
  return app;
}
