/**
 * The routes of the control plane as types: `"get /keys/{id}"` finds what to send and what comes back.
 * Types only, so that no schema is bundled.
 */
import type { AnswerOf, ApiRoutes, RouteSpec, Sending } from "@plaza/contract/api/index.ts";

type Specs = ApiRoutes[keyof ApiRoutes] & RouteSpec;
type NameOf<Spec> = Spec extends { method: infer Method extends string; path: infer Path extends string }
  ? `${Method} ${Path}`
  : never;

/** Method and path of a route, as in `"get /keys/{id}"`. */
export type Route = NameOf<Specs>;
/** Routes that only read. */
export type ReadRoute = Extract<Route, `get ${string}`>;

type SpecOf<Name extends Route, Spec = Specs> = Spec extends RouteSpec
  ? NameOf<Spec> extends Name
    ? Spec
    : never
  : never;

type Part<Name extends string, Value> = [Value] extends [undefined]
  ? unknown
  : Record<string, never> extends Value
    ? { readonly [Key in Name]?: Value | undefined }
    : { readonly [Key in Name]: Value };

type PartsOf<Sent> = Sent extends { params: infer Params; query: infer Query; body: infer Body }
  ? (keyof Params extends never ? unknown : { readonly params: Params }) &
      Part<"query", Query> &
      Part<"body", Body>
  : never;

/** What a route is given: `params`, `query`, `body`, each only where the route has it. */
export type SentTo<Name extends Route> = PartsOf<Sending<SpecOf<Name>>>;
/** What a route answers. */
export type Answer<Name extends Route> = AnswerOf<SpecOf<Name>>;
/** Optional when the route takes no input. */
export type SentArgs<Name extends Route> =
  Record<string, never> extends SentTo<Name> ? [sent?: SentTo<Name>] : [sent: SentTo<Name>];
