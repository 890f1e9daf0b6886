/**
 * The description of a control plane path: the server mounts it, the OpenAPI document lists it, the console
 * calls it, and the census of rights (P24) tries it in every role. Every route must declare who may call it.
 */
import type { z } from "zod";
import type { FieldFault } from "../errors.ts";

/**
 * Who may call a route. `anyone`: no sign-in. `user`: any signed-in user, about themselves. `member`: members
 * and owners of an account, about that account. `owner`: owners only. `operator`: operators, by session or
 * token.
 */
export type Access = "anyone" | "user" | "member" | "owner" | "operator";

/** The scopes of operator tokens: an area, then what is allowed in it. */
export const tokenScopes = [
  "accounts:read",
  "accounts:write",
  "catalog:read",
  "catalog:write",
  "usage:read",
  "health:read",
  "installation:write",
] as const;

export type TokenScope = (typeof tokenScopes)[number];

/** Default limit of a route's body in bytes; enough for any form with a few fields. */
export const smallBodyBytes = 16 * 1024;

/** Limit for a document's body: a model, an upstream with its credentials, a key with a list of models. */
export const documentBytes = 512 * 1024;

type Method = "get" | "post" | "put" | "patch" | "delete";

/**
 * One path and method. Schemas describe JSON: amounts are decimal strings of US dollars, times ISO 8601 in
 * UTC.
 */
export interface RouteSpec {
  readonly method: Method;
  /** Below `/api`, with parameters in braces: `/keys/{id}`. */
  readonly path: string;
  /** Its former path, still served for one version, with a `deprecation` header. */
  readonly formerPath?: string | undefined;
  readonly access: Access;
  /** The scope an operator token needs; absent: tokens are not allowed. Only for operators' routes. */
  readonly scope?: TokenScope | undefined;
  /** One line for the OpenAPI document. */
  readonly summary: string;
  /** Absent: every path parameter is a string. */
  readonly params?: z.ZodObject | undefined;
  readonly query?: z.ZodObject | undefined;
  readonly body?: z.ZodType | undefined;
  /**
   * What is wrong with a body of the right shape, as far as the body shows it. Forms ask before they send it.
   * The server does not: its handler checks the same, and what only the server knows.
   */
  readonly rules?: ((body: never) => readonly FieldFault[]) | undefined;
  /** Limit of the body in bytes, if above `smallBodyBytes`. */
  readonly bodyBytesMax?: number | undefined;
  /**
   * Absent: the answer has no body (204), or, with `answerType`, is not JSON. Of an event stream: what each
   * event's data holds.
   */
  readonly answer?: z.ZodType | undefined;
  /** For an answer that is not one JSON: a download, a stream of events, or `redirect` for browsers. */
  readonly answerType?: "text/csv" | "text/event-stream" | "redirect" | undefined;
  /** HTTP status of the answer if it is not 200 or 204. */
  readonly status?: 201 | 202 | undefined;
  /**
   * How the audit log names the subject of a change before anything is read: templates with path parameters
   * or body fields in braces; the first complete one is used. Absent: the path's last id.
   */
  readonly subject?: string | readonly string[] | undefined;
  /** `false`: a change that is not written to the audit log; the reason is in a comment beside it. */
  readonly isAudited?: false | undefined;
}

/** Checks a set of routes and keeps their literal types. */
export function routes<const Routes extends Record<string, RouteSpec>>(specs: Routes): Routes {
  return specs;
}

type Read<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;
type Sent<Schema> = Schema extends z.ZodType ? z.input<Schema> : undefined;

/** The names of a path's parameters. */
type PathParts<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParts<Rest>
  : never;

/** A route's parameters; strings by default. */
export type ParamsOf<Spec extends RouteSpec> = Spec extends { params: z.ZodObject }
  ? Read<Spec["params"]>
  : { readonly [Name in PathParts<Spec["path"]>]: string };

/** What a handler gets. */
export interface Input<Spec extends RouteSpec> {
  readonly params: ParamsOf<Spec>;
  readonly query: Read<Spec["query"]>;
  readonly body: Read<Spec["body"]>;
}

/** What a caller passes. */
export interface Sending<Spec extends RouteSpec> {
  readonly params: ParamsOf<Spec>;
  readonly query: Sent<Spec["query"]>;
  readonly body: Sent<Spec["body"]>;
}

/** A route's answer; undefined when it has no body. */
export type AnswerOf<Spec extends RouteSpec> = Read<Spec["answer"]>;
