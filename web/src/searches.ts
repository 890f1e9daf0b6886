/**
 * What each page reads from its address, as schemas: a wrong value counts as none, other names stay. Loaded
 * late, since a first page without a query needs none of it.
 */
import { operationNames } from "@plaza/contract/operations.ts";
import * as z from "zod/mini";
import { periodNames } from "./features/usage/period.ts";

const orNone = <Schema extends z.ZodMiniType>(schema: Schema) => z.catch(z.optional(schema), undefined);
/** A name that stands twice in an address has two values. */
const given = z.union([z.string(), z.array(z.string())]);
const firstText = z.pipe(
  given,
  z.transform((value) => (Array.isArray(value) ? (value[0] ?? "") : value)),
);

const text = orNone(firstText);
const one = <const Value extends string>(...values: readonly Value[]) =>
  orNone(z.pipe(firstText, z.enum(values)));
const list = orNone(
  z.pipe(
    given,
    z.transform((value): readonly string[] => (Array.isArray(value) ? value : [value])),
  ),
);
/** Of a list the known values. */
const some = (...values: readonly string[]) =>
  orNone(
    z.pipe(
      list,
      z.transform((value): readonly string[] => values.filter((one) => value?.includes(one))),
    ),
  );

/** The same where pages pass it on as text. */
const known = (values: readonly string[]) =>
  orNone(z.pipe(firstText, z.string().check(z.refine((value) => values.includes(value)))));

const on = one("1");
const period = { period: known(periodNames), from: text, to: text, zone: text };
const figures = {
  ...period,
  model: list,
  key: list,
  project: list,
  tag: list,
  operation: some(...operationNames),
};
const requests = { ...figures, state: list, error: text, id: text, sort: text };
const usage = { ...figures, measure: text, split: text, view: text, sort: text };
const explorer = { ...usage, account: list, member: list, by: text, grain: one("hour", "day") };
const ledger = { ...period, kind: list };

/** By the route's path. */
const searches = {
  "/": z.looseObject(period),
  "/models": z.looseObject({
    ...{ q: text, maker: list, operation: some(...operationNames), family: list, in: list, out: list },
    ...{ can: list, price: list, every: list, context: text, maxin: text, maxout: text, status: list },
    ...{ available: on, current: on, measured: on, sort: text, view: one("table", "chart") },
    ...{ x: text, y: text, compare: list },
  }),
  "/models/$model": z.looseObject({ tab: text, lang: text, variant: text, with: text }),
  "/compare": z.looseObject({ model: list, differences: on }),
  "/playground": z.looseObject({ model: list, key: text, stream: one("0", "1"), replay: text }),
  "/keys": z.looseObject({
    ...{ q: text, status: some("active", "disabled", "expired", "revoked"), new: on, sort: text },
    ...{ project: list, tag: list },
  }),
  "/usage": z.looseObject(usage),
  "/usage/explore": z.looseObject(explorer),
  "/requests": z.looseObject(requests),
  "/billing": z.looseObject({ ...ledger, ledger: one("days") }),
  "/members": z.looseObject({
    ...{ tab: one("people", "invitations", "audit"), new: on, actor: text, action: list, sort: text },
  }),
  "/operator/health": z.looseObject({ deployments: text, deployment: text, credential: text }),
  "/operator/live": z.looseObject({ wall: on }),
  "/operator/models": z.looseObject({
    ...{ q: text, source: list, status: list, upstream: list, operation: some(...operationNames) },
    ...{ sort: text, view: one("new"), edit: one("prices") },
  }),
  "/operator/models/$id": z.looseObject({ view: one("history"), stop: on }),
  "/operator/upstreams": z.looseObject({ view: one("connect"), sort: text }),
  "/operator/upstreams/$id": z.looseObject({ view: one("settings", "more") }),
  "/operator/accounts": z.looseObject({
    ...{ q: text, status: some("active", "suspended", "closed"), new: on, sort: text },
  }),
  "/operator/accounts/$id": z.looseObject({
    ...{ ...ledger, view: one("ledger", "keys"), topup: on },
    ...{ key: text, project: list, tag: list },
  }),
  "/operator/users": z.looseObject({
    ...{ q: text, status: one("active", "disabled"), rights: one("operators", "others") },
    ...{ view: one("invite"), account: text, sort: text },
  }),
  "/operator/limits": z.looseObject({ q: text, modelSort: text, accountSort: text, keySort: text }),
  "/operator/codes": z.looseObject({ new: on, sort: text }),
  "/operator/requests": z.looseObject({ ...requests, account: list }),
  "/operator/usage": z.looseObject({ ...usage, account: list }),
  "/operator/usage/explore": z.looseObject(explorer),
  "/operator/audit": z.looseObject({ ...period, actor: text, action: list, account: text }),
  "/operator/settings": z.looseObject({ view: one("boot", "tokens"), q: text, set: one("given") }),
  "/start": z.looseObject({ step: one("connect", "call"), model: text }),
  "/sign-in": z.looseObject({ back: text, oidc: text }),
};

type Searches = typeof searches;
/** A page that reads something. */
export type SearchedPath = keyof Searches;
/** What can stand in a page's address. */
export type SearchOf<Path extends SearchedPath> = {
  readonly [Name in keyof Searches[Path]["shape"]]?: z.output<Searches[Path]["shape"][Name]>;
};

/** The search of an address, with wrong values as undefined. */
export function checkedSearch(
  path: string,
  search: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const schema: z.ZodMiniType<Record<string, unknown>> | undefined = Object.hasOwn(searches, path)
    ? searches[path as SearchedPath]
    : undefined;
  return schema === undefined ? search : schema.parse(search);
}
