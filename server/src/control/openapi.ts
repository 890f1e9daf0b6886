/** The routes of the contract as Hono and OpenAPI describe them. Calls nothing. */
import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import { apiRoutes, type RouteSpec } from "@plaza/contract/api/index.ts";
import { sessionCookie } from "./auth/sessions.ts";
import type { HonoBindings } from "./request.ts";
import { upstreamsDescribed } from "./upstreams-described.ts";

const partNames = (path: string): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);

/** The path parameters; undefined when there are none. */
export function paramsOf(spec: RouteSpec): z.ZodObject | undefined {
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
      id: z.string().optional(),
      params: z.record(z.string(), z.unknown()).optional(),
      fields: z
        .array(
          z.object({
            path: z.string(),
            message: z.string(),
            id: z.string().optional(),
            params: z.record(z.string(), z.unknown()).optional(),
          }),
        )
        .optional(),
    }),
  })
  .meta({ id: "Error" });

const json = (schema: z.ZodType) => ({ "application/json": { schema } });

/** A route's successful answer, for the OpenAPI document. */
function successOf({ answer, answerType }: RouteSpec) {
  if (answerType === "redirect") return { description: "The browser is sent elsewhere." };
  if (answerType === "text/event-stream" && answer !== undefined)
    return {
      description: "Server-sent events; the data of each is JSON.",
      content: { [answerType]: { schema: answer } },
    };
  if (answerType !== undefined)
    return { description: "A download.", content: { [answerType]: { schema: z.string() } } };
  if (answer === undefined) return { description: "Done." };
  return { description: "The answer.", content: json(answer) };
}

/** How a route identifies its caller, for the OpenAPI document. */
function securityOf({ access, scope }: RouteSpec): Record<string, string[]>[] {
  if (access === "anyone") return [];
  return scope === undefined ? [{ session: [] }] : [{ session: [] }, { operatorToken: [scope] }];
}

/** Describes a route to Hono, and to the OpenAPI document unless `path` is its former path. */
export function describeRoute(name: string, spec: RouteSpec, path = spec.path) {
  const params = paramsOf(spec);
  const success = successOf(spec);
  return createRoute({
    security: securityOf(spec),
    operationId: name,
    method: spec.method,
    path,
    hide: path !== spec.path,
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

export function statusOf(spec: RouteSpec): number {
  if (spec.answerType === "redirect") return 302;
  return spec.status ?? (spec.answer === undefined && spec.answerType === undefined ? 204 : 200);
}

/** Sorts path parameters after all words, so that `/members/invitations` is not taken for a member's id. */
const pathOrder = (path: string): string => path.replace(/\{\w+\}/g, "\uffff");

/** All routes, those with words before those with parameters. */
export function routesInOrder(): [string, RouteSpec][] {
  const entries = Object.entries(apiRoutes) as [string, RouteSpec][];
  return entries.sort(([, a], [, b]) => (pathOrder(a.path) < pathOrder(b.path) ? -1 : 1));
}

const info = (version: string) => ({
  openapi: "3.1.0",
  info: {
    title: "Plaza control plane",
    version,
    description:
      "What the console calls. Sign in with a session, or send an operator token as a bearer token.",
  },
});

/** Adds to an app's document what is not a route of it, and serves the document. */
export function serveDocument(app: OpenAPIHono<HonoBindings>, version: string): void {
  registerOthers(app);
  app.doc31("/openapi.json", info(version));
}

/** Schemes of authentication, and the route that is served outside the control plane. */
function registerOthers({ openAPIRegistry: registry }: OpenAPIHono<HonoBindings>): void {
  registry.registerComponent("securitySchemes", "session", {
    type: "apiKey",
    in: "cookie",
    name: sessionCookie,
    description: "Changes also need the header x-plaza-csrf with the value GET /api/session gives.",
  });
  registry.registerComponent("securitySchemes", "operatorToken", { type: "http", scheme: "bearer" });
  registry.registerPath(upstreamsDescribed);
}

/** The document of a version of Plaza, as `GET /api/openapi.json` gives it. */
export function openApiDocument(version: string): object {
  const app = new OpenAPIHono<HonoBindings>().basePath("/api");
  for (const [name, spec] of routesInOrder()) app.openapi(describeRoute(name, spec), (() => {}) as never);
  registerOthers(app);
  return app.getOpenAPI31Document(info(version));
}
