/**
 * The control plane as one Hono app: every route of the contract behind its rule of access, with its input checked and its errors
 * in the one shape. Operators' acts, and everybody's changes, are written into the audit log before they are done.
 */
import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import { apiRoutes, type RouteSpec } from "@plaza/contract/api/index.ts";
import { toGatewayError, wireError } from "@plaza/contract/error-wire.ts";
import { type FieldFault, GatewayError } from "@plaza/contract/errors.ts";
import type { Context } from "hono";
import { bodyLimit } from "hono/body-limit";
import { requireAccess } from "./access.ts";
import { beginAudit } from "./audit.ts";
import type { Call, ControlContext, Download, Redirect } from "./context.ts";
import { handlers } from "./handlers/index.ts";
import { identify } from "./identify.ts";
import { askingOf, type HonoBindings } from "./request.ts";

/** A form with a picture of nothing is not this long; the largest is a catalog of thousands of models. */
const bodyBytesMax = 4 * 1024 * 1024;

type AnyHandler = (context: ControlContext, call: Call) => Promise<unknown>;

/** Faults zod found, as a form shows them. */
function fieldFaults(error: z.core.$ZodError): FieldFault[] {
  return error.issues.slice(0, 100).map(({ path, message }) => ({ path: path.join("."), message }));
}

function refuseInput(error: z.core.$ZodError): never {
  const fields = fieldFaults(error);
  const [first] = fields;
  const where = first === undefined || first.path === "" ? "" : `${first.path}: `;
  throw new GatewayError("invalid_request", {
    message: first === undefined ? undefined : `${where}${first.message}`,
    param: first?.path === "" ? undefined : first?.path,
    fields,
  });
}

const partNames = (path: string): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);

function paramsOf(spec: RouteSpec): z.ZodObject | undefined {
  if (spec.params !== undefined) return spec.params;
  const names = partNames(spec.path);
  if (names.length === 0) return undefined;
  return z.object(Object.fromEntries(names.map((name) => [name, z.string().min(1).max(300)])));
}

const errorSchema = z
  .object({
    error: z.object({
      code: z.string(),
      message: z.string(),
      type: z.string(),
      param: z.string().nullable(),
      fields: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
    }),
  })
  .meta({ id: "Error" });

/** How a route is described to Hono and in the OpenAPI document. */
function honoRoute(name: string, spec: RouteSpec) {
  const params = paramsOf(spec);
  const json = (schema: z.ZodType) => ({ "application/json": { schema } });
  const success =
    spec.answer === undefined
      ? { description: "Done." }
      : { description: "The answer.", content: json(spec.answer) };
  return createRoute({
    operationId: name,
    method: spec.method,
    path: spec.path,
    summary: spec.summary,
    description: `For: ${spec.access}${spec.scope === undefined ? "" : ` (token scope ${spec.scope})`}.`,
    request: {
      ...(params === undefined ? {} : { params }),
      ...(spec.query === undefined ? {} : { query: spec.query }),
      ...(spec.body === undefined ? {} : { body: { content: json(spec.body), required: true } }),
    },
    responses: {
      [statusOf(spec)]: success,
      default: { description: "Refused.", content: json(errorSchema) },
    },
  });
}

function statusOf(spec: RouteSpec): number {
  if (spec.answerType === "redirect") return 302;
  return spec.status ?? (spec.answer === undefined && spec.answerType === undefined ? 204 : 200);
}

function csvStream({ pieces }: Download): ReadableStream<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done === true) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}

function answer(honoContext: Context, spec: RouteSpec, value: unknown): Response {
  if (spec.answerType === "redirect") return honoContext.redirect((value as Redirect).location, 302);
  if (spec.answerType === "text/csv") {
    const download = value as Download;
    return honoContext.body(csvStream(download), 200, {
      "content-type": "text/csv; charset=utf-8",
      "content-disposition": `attachment; filename="${download.fileName}"`,
    });
  }
  if (spec.answer === undefined) return honoContext.body(null, 204);
  return honoContext.json(value as object, statusOf(spec) as 200);
}

/** The parsed input, or a refusal that names every field. */
function readInput(honoContext: Context, spec: RouteSpec): Pick<Call, "params" | "query" | "body"> {
  const valid = (kind: string): unknown => (honoContext.req as { valid(kind: string): unknown }).valid(kind);
  return {
    params: (paramsOf(spec) === undefined ? {} : valid("param")) as Call["params"],
    query: (spec.query === undefined ? undefined : valid("query")) as Call["query"],
    body: (spec.body === undefined ? undefined : valid("json")) as Call["body"],
  };
}

function addRoute(
  app: OpenAPIHono<HonoBindings>,
  context: ControlContext,
  name: string,
  spec: RouteSpec,
): void {
  const route = honoRoute(name, spec);
  const handler = (handlers as unknown as Record<string, AnyHandler>)[name] as AnyHandler;
  // Who is asking is found out before what is asked is read: nobody learns what a form looks like from its refusals.
  app.use(route.getRoutingPath(), async (honoContext, next) => {
    if (honoContext.req.method.toLowerCase() !== spec.method) return next();
    const asking = askingOf(honoContext, context);
    const viewer = await identify(context, asking);
    requireAccess(spec, viewer);
    const type = honoContext.req.header("content-type") ?? "";
    if (spec.body !== undefined && !/^application\/json\b/i.test(type))
      throw new GatewayError("unsupported_media_type");
    honoContext.set("asking", asking);
    honoContext.set("viewer", viewer);
    await next();
  });
  app.openapi(route, (async (honoContext: Context<HonoBindings>) => {
    const viewer = honoContext.get("viewer");
    const { cookies, from } = honoContext.get("asking");
    const audit = beginAudit(context, { name, spec, viewer, from });
    const call = {
      ...readInput(honoContext, spec),
      viewer,
      from,
      cookies,
      url: new URL(honoContext.req.url),
      note: audit.note,
    } as unknown as Call;
    const value = await audit.around(() => Promise.resolve(handler(context, call)), call);
    return answer(honoContext, spec, value);
  }) as never);
}

/** Makes the app. Its paths begin with `/api`. */
export function createControlApp(context: ControlContext): OpenAPIHono<HonoBindings> {
  const app = new OpenAPIHono<HonoBindings>({
    defaultHook: (result) => {
      if (!result.success) refuseInput(result.error);
    },
  }).basePath("/api");
  app.use("*", async (honoContext, next) => {
    await next();
    honoContext.header("cache-control", "no-store");
  });
  app.use(
    "*",
    bodyLimit({
      maxSize: bodyBytesMax,
      onError: () => {
        throw new GatewayError("request_too_large");
      },
    }),
  );
  for (const [name, spec] of Object.entries(apiRoutes) as [string, RouteSpec][])
    addRoute(app, context, name, spec);
  app.doc31("/openapi.json", {
    openapi: "3.1.0",
    info: {
      title: "Plaza control plane",
      version: context.version,
      description:
        "What the console calls. Sign in with a session, or send an operator token as a bearer token.",
    },
  });
  app.notFound(() => {
    throw new GatewayError("not_found", { message: "There is no such route; /api/openapi.json lists them." });
  });
  app.onError((thrown, honoContext) => {
    const isJsonFault = thrown instanceof Error && thrown.name === "HTTPException";
    const error = isJsonFault
      ? new GatewayError("invalid_request", { message: "The body is not valid JSON." })
      : toGatewayError(thrown);
    if (error !== thrown && !isJsonFault) {
      const { requestId } = askingOf(honoContext, context).from;
      context.log.error("internal_error", { request: requestId, stack: thrown.stack });
    }
    const wire = wireError(error);
    const headers: Record<string, string> = {
      "content-type": "application/json; charset=utf-8",
      "cache-control": "no-store",
    };
    for (let index = 0; index < wire.headers.length; index += 2) {
      headers[wire.headers[index] as string] = wire.headers[index + 1] as string;
    }
    return honoContext.body(new Uint8Array(wire.body), wire.status as 400, headers);
  });
  return app;
}
