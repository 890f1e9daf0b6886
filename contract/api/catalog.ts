/**
 * Upstreams, models, prices and limits as the operator connects and changes them. A change sends the whole
 * document with the `revision` it was read with.
 */
import { z } from "zod";
import { modelFaults, upstreamFaults } from "./catalog-rules.ts";
import { documentBytes, routes } from "./route.ts";
import { instant, limits, revision } from "./shapes.ts";
import {
  aim,
  changed,
  chosen,
  credentials,
  model,
  modelDocument,
  offer,
  proposal,
  revisionQuery,
  sentRevision,
  service,
  shortText,
  source,
  text,
  upstream,
  upstreamDocument,
  upstreamHeaders,
  upstreamStanding,
} from "./shapes-catalog.ts";
import { shownPrice } from "./shapes-prices.ts";

export type {
  AimDocument,
  ChosenDocument,
  ModelDocument,
  OfferDocument,
  PriceDocument,
  ProposalDocument,
  ServiceDocument,
  ShownModelDocument,
  ShownUpstreamDocument,
  UpstreamDocument,
} from "./shapes-catalog.ts";

const reads = { access: "operator", scope: "catalog:read" } as const;
const writes = { access: "operator", scope: "catalog:write" } as const;

export const catalogRoutes = routes({
  listCatalog: {
    ...reads,
    method: "get",
    path: "/operator/catalog",
    summary: "Every upstream, model and limit of the catalog, without secrets",
    answer: z.object({
      upstreams: z.array(upstream),
      models: z.array(model),
      /** Default for accounts without their own. */
      limits,
      /** For the whole installation. */
      installation: limits,
      /** `file`: plaza.yaml sets the limits. */
      limitsSource: source,
      /** Revision of the limits; upstreams and models have their own. */
      revision,
    }),
  },
  createUpstream: {
    ...writes,
    method: "post",
    path: "/operator/upstreams",
    summary: "Add an upstream",
    subject: "upstream {id}",
    bodyBytesMax: documentBytes,
    body: upstreamDocument.extend({
      credentials: credentials.default([]),
      headers: upstreamHeaders.default({}),
    }),
    rules: upstreamFaults,
    answer: changed,
    status: 201,
  },
  changeUpstream: {
    ...writes,
    method: "put",
    path: "/operator/upstreams/{id}",
    summary:
      "Replace an upstream; without `credentials` or `headers` it keeps those it has, while it stays at its address",
    subject: "upstream {id}",
    bodyBytesMax: documentBytes,
    body: upstreamDocument.omit({ id: true }).extend({
      credentials: credentials.optional(),
      headers: upstreamHeaders.optional(),
      ...sentRevision.shape,
    }),
    rules: upstreamFaults,
    answer: changed,
  },
  removeUpstream: {
    ...writes,
    method: "delete",
    path: "/operator/upstreams/{id}",
    summary: "Remove an upstream that no model uses",
    subject: "upstream {id}",
    query: revisionQuery,
  },
  createModel: {
    ...writes,
    method: "post",
    path: "/operator/models",
    summary: "Add a model",
    subject: "model {id}",
    bodyBytesMax: documentBytes,
    body: modelDocument,
    rules: modelFaults,
    answer: changed,
    status: 201,
  },
  changeModel: {
    ...writes,
    method: "put",
    path: "/operator/models/{id}",
    summary: "Replace a model; another price applies from now on",
    subject: "model {id}",
    bodyBytesMax: documentBytes,
    body: modelDocument.omit({ id: true }).extend(sentRevision.shape),
    rules: modelFaults,
    answer: changed,
  },
  changeModelState: {
    ...writes,
    method: "patch",
    path: "/operator/models/{id}",
    summary:
      "Disable a model, or enable it again; acts within a second. Calls of a disabled model go to its fallbacks, or are refused; running calls finish",
    subject: "model {id}",
    body: z.object({ disabled: z.boolean(), revision }),
    answer: changed,
  },
  removeModel: {
    ...writes,
    method: "delete",
    path: "/operator/models/{id}",
    summary: "Remove a model that no other falls back to; its prices stay in the history",
    subject: "model {id}",
    query: revisionQuery,
  },
  listPrices: {
    ...reads,
    method: "get",
    path: "/operator/models/{id}/prices",
    summary: "What a model cost, costs and will cost, the newest row first",
    answer: z.object({
      prices: z.array(
        z.object({
          /** The id a request's charge refers to. */
          id: z.number().int(),
          validFrom: instant,
          /** Null: it has no price from then on. */
          price: shownPrice.nullable(),
          /** `overruled`: a later row has the same start. */
          state: z.enum(["past", "current", "scheduled", "overruled"]),
        }),
      ),
    }),
  },
  changeLimits: {
    ...writes,
    method: "put",
    path: "/operator/limits",
    summary: "Replace the defaults of accounts and what the installation may use; null = no limit",
    subject: "limits",
    body: z.object({ limits, installation: limits, revision }),
    answer: z.object({ revision }),
  },
  listProviders: {
    ...reads,
    method: "get",
    path: "/operator/providers",
    summary: "Services and protocols an upstream can be, for the connect wizard",
    answer: z.object({ services: z.array(service) }),
  },
  listOffers: {
    ...reads,
    method: "get",
    path: "/operator/offers",
    summary: "What could be connected right away: credentials in the environment, servers on this machine",
    answer: z.object({ offers: z.array(offer) }),
  },
  checkConnection: {
    ...writes,
    method: "post",
    path: "/operator/connect/check",
    summary: "Ask an upstream for its models, which checks the credential; writes nothing",
    subject: ["upstream {upstreamId}", "{service}"],
    bodyBytesMax: documentBytes,
    body: aim.extend({
      /** Names of models at an upstream without a list; null: read the list. */
      models: z.array(text).max(2_000).nullable().default(null),
    }),
    answer: z.object({
      upstream: z.object({
        /** A free id, or the existing upstream's id. */
        id: z.string(),
        provider: z.string(),
        preset: z.string().nullable(),
        /** The base URL that answered. */
        baseUrl: z.string(),
        options: z.record(z.string(), z.string()),
        /** True for an existing upstream (`upstreamId`): `connect` adds models to it. */
        isThere: z.boolean(),
        /** Another upstream of the catalog with the same base URL; null: none. */
        sameAs: z.string().nullable(),
      }),
      /** True when the credential was checked; some upstreams have no free call to check it. */
      isChecked: z.boolean(),
      /** True when it has no list of models, so they must be named. */
      hasNoList: z.boolean(),
      /** True when it listed more than was read. */
      isCut: z.boolean(),
      models: z.array(proposal),
    }),
  },
  connect: {
    ...writes,
    method: "post",
    path: "/operator/connect",
    summary: "Add an upstream, or more models of one, in one step",
    subject: ["upstream {upstreamId}", "upstream {id}", "{service}"],
    // A request may contain thousands of models, each with facts and prices.
    bodyBytesMax: 4 * documentBytes,
    body: aim.extend({
      /** The new upstream's id; ignored with `upstreamId`. */
      id: shortText.nullable().default(null),
      models: z.array(chosen).max(10_000),
    }),
    answer: z.object({
      upstream: z.string(),
      /** Public ids of new models, and of models with a further deployment. */
      added: z.array(z.string()),
      joined: z.array(z.string()),
    }),
    status: 201,
  },
  listUpstreamStates: {
    access: "operator",
    scope: "health:read",
    method: "get",
    path: "/operator/upstream-states",
    summary: "How each upstream is doing, in a word; those no process speaks of are not there",
    answer: z.object({ upstreams: z.array(upstreamStanding) }),
  },
});
