/**
 * What a path of the control plane is, described once: the server mounts it, the OpenAPI document
 * lists it, the console calls it, and the census of rights (P24) tries it in every role. A route cannot
 * be written without saying whose it is.
 */
import type { z } from "zod";

/**
 * Whose a route is. `anyone`: no sign-in. `user`: any signed-in user, about themselves. `member`:
 * members and owners of an account, about that account. `owner`: its owners only. `operator`: who runs
 * the installation, by session or token.
 */
export type Access = "anyone" | "user" | "member" | "owner" | "operator";

/**
 * What an operator token may be for; the first part of a scope is an area, the second what may be done there.
 */
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

/** Longest body of a route that does not say: no form with a few fields is longer. */
export const smallBodyBytes = 16 * 1024;

/** Longest body of a document: a model, an upstream with its credentials, a key with a list of models. */
export const documentBytes = 512 * 1024;

type Method = "get" | "post" | "put" | "patch" | "delete";

/**
 * One path and method. Schemas are of JSON: amounts are decimal strings of US dollars, times ISO 8601 in UTC.
 */
export interface RouteSpec {
  readonly method: Method;
  /** Below `/api`, parts in braces: `/keys/{id}`. */
  readonly path: string;
  /** Its path before, still answered for one version, with a `deprecation` header. */
  readonly formerPath?: string | undefined;
  readonly access: Access;
  /** What an operator token needs for it; absent: no token may. Only of operators' routes. */
  readonly scope?: TokenScope | undefined;
  /** One line for the OpenAPI document. */
  readonly summary: string;
  /** Absent: one text for every part in braces. */
  readonly params?: z.ZodObject | undefined;
  readonly query?: z.ZodObject | undefined;
  readonly body?: z.ZodType | undefined;
  /** Longest body in bytes, where a page or program sends more than `smallBodyBytes`. */
  readonly bodyBytesMax?: number | undefined;
  /** Absent: the answer has no body (204), or, with `answerType`, is not JSON. */
  readonly answer?: z.ZodType | undefined;
  /** Of an answer that is not JSON: a download, or `redirect` for a browser that is sent elsewhere. */
  readonly answerType?: "text/csv" | "redirect" | undefined;
  /** HTTP status of the answer where it is not 200 or 204. */
  readonly status?: 201 | 202 | undefined;
  /**
   * How the audit log names what a change is about, before anything is known of it: texts with parts of the
   * path or fields of the body in braces, the first that is complete. Absent: the last id of the path.
   */
  readonly subject?: string | readonly string[] | undefined;
  /** `false`: a change that is not written into the audit log, and why is said beside it. */
  readonly isAudited?: false | undefined;
}

/** Keeps the literal types of a set of routes while checking them. */
export function routes<const Routes extends Record<string, RouteSpec>>(specs: Routes): Routes {
  return specs;
}

type Read<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;
type Sent<Schema> = Schema extends z.ZodType ? z.input<Schema> : undefined;

/** The parts in braces of a path. */
type PathParts<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParts<Rest>
  : never;

/** A route's parameters, texts unless it says otherwise. */
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

/** What a route answers with; undefined where there is no body. */
export type AnswerOf<Spec extends RouteSpec> = Read<Spec["answer"]>;
