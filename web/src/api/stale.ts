/**
 * What a change makes stale. Every route of the contract that changes something has an entry, and every path
 * in it is one that the contract reads: a new route, or a path that is gone, does not compile. Knows no page.
 */
import type { ReadRoute, Route } from "./routes.ts";

type PathOf<Name> = Name extends `get ${infer Path}` ? Path : never;
/** The path of a route that reads; it stands for all paths below it, too. */
export type ReadPath = PathOf<ReadRoute>;
/** Routes that change something. */
export type ChangeRoute = Exclude<Route, ReadRoute>;

const keys = ["/keys", "/operator/accounts", "/operator/limits/keys", "/operator/labels"] as const;
const money = ["/balance", "/ledger", "/operator/accounts"] as const;
const people = ["/operator/users", "/operator/accounts", "/members"] as const;
const catalog = [
  "/operator/catalog",
  "/operator/models/{id}/prices",
  "/operator/upstream-states",
  "/operator/health",
  "/plaza",
  "/plaza-statuses",
] as const;

/** By route: the paths whose cached answers are asked for again. */
export const staleAfter: Readonly<Record<ChangeRoute, readonly ReadPath[]>> = {
  "post /session": [],
  "delete /session": [],
  "delete /sessions": ["/sessions"],
  "delete /sessions/{id}": ["/sessions"],
  "patch /profile": [],
  "post /profile/password": ["/sessions"],
  "post /profile/two-factor": [],
  "post /profile/two-factor/confirm": ["/sessions"],
  "post /profile/two-factor/end": [],
  "post /profile/two-factor/recovery-codes": [],
  "post /links/{token}": [],
  "patch /account": ["/balance"],
  "post /redeem": [...money, "/operator/code-batches"],
  "post /keys": keys,
  "patch /keys/{id}": keys,
  "post /keys/{id}/revoke": keys,
  "post /keys/{id}/ephemeral-key": [],
  "post /members/invitations": ["/members/invitations"],
  "delete /members/invitations/{id}": ["/members/invitations"],
  "patch /members/{id}": people,
  "delete /members/{id}": [...people, "/keys"],
  "post /operator/accounts": ["/operator/accounts"],
  "patch /operator/accounts/{id}": ["/operator/accounts", "/balance"],
  "post /operator/accounts/{id}/entries": money,
  "post /operator/accounts/{id}/keys": keys,
  "patch /operator/accounts/{id}/keys/{keyId}": keys,
  "post /operator/accounts/{id}/keys/{keyId}/revoke": keys,
  "post /operator/code-batches": ["/operator/code-batches"],
  "post /operator/code-batches/{id}/void": ["/operator/code-batches"],
  "post /operator/connect": [...catalog, "/operator/offers"],
  "post /operator/connect/check": [],
  "post /operator/ledger-checks": ["/operator/ledger-checks", "/operator/health"],
  "put /operator/limits": [...catalog, "/operator/accounts", "/operator/limits/keys"],
  "post /operator/models": catalog,
  "put /operator/models/{id}": catalog,
  "patch /operator/models/{id}": catalog,
  "delete /operator/models/{id}": catalog,
  "post /operator/tokens": ["/operator/tokens"],
  "delete /operator/tokens/{id}": ["/operator/tokens"],
  "post /operator/upstreams": catalog,
  "put /operator/upstreams/{id}": catalog,
  "delete /operator/upstreams/{id}": catalog,
  "post /operator/upstreams/{id}/test": [
    "/operator/incidents",
    "/operator/health",
    "/operator/upstream-states",
  ],
  "patch /operator/users/{id}": people,
  "post /operator/users/{id}/end-sessions": ["/operator/users"],
  "post /operator/users/{id}/reset-link": ["/operator/users"],
  "post /operator/users/invitations": ["/operator/users"],
  "delete /operator/users/invitations/{id}": ["/operator/users"],
  "put /operator/settings": ["/operator/settings", "/balance", "/operator/accounts"],
};

/** What a call of a model changes. */
export const staleAfterCall: readonly ReadPath[] = ["/balance", "/requests", "/usage", "/keys"];
