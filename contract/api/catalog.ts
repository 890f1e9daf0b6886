/**
 * Upstreams, models, prices and limits, as the operator connects and changes them. Documents are those of `plaza.yaml` in JSON:
 * an amount is a decimal string of US dollars per million tokens, a duration milliseconds, unknown null. A change sends the whole
 * document with the `revision` it was read with.
 */
import { z } from "zod";
import { capabilityNames } from "../catalog.ts";
import { routes } from "./route.ts";
import { instant, limits, revision } from "./shapes.ts";
import { shownPrice } from "./shapes-prices.ts";

/** The rules of each field are those of the catalog file and are checked by its reader; here are only bounds. */
const text = z.string("Write a text.").max(8_192, "At most 8,192 characters.");
const shortText = z.string("Write a text.").max(1_024, "At most 1,024 characters.");
const number = z.number("Write a number.");

/** `file`: changed in plaza.yaml only. `demo`: came with the installation; can be changed and removed, goes with the first file. */
const source = z.enum(["file", "console", "demo"]);

const modalities = z.object({ input: z.array(shortText).max(20), output: z.array(shortText).max(20) });

const amount = z
  .string('Write US dollars per million tokens, like "0.25".')
  .max(100, "An amount is not this long.")
  .meta({
    description: "US dollars per million tokens, a decimal string",
    example: "0.25",
  });

const otherRates = {
  cachedInput: amount.optional(),
  cacheWrite: amount.optional(),
  longCacheWrite: amount.optional(),
  reasoning: amount.optional(),
  audioInput: amount.optional(),
  audioOutput: amount.optional(),
  imageInput: amount.optional(),
  imageOutput: amount.optional(),
};

/** A class without a rate of its own costs what its fallback does (docs/catalog.md). */
const price = z.object({
  input: amount,
  output: amount,
  ...otherRates,
  perRequest: shortText.optional().meta({ description: "US dollars per request" }),
  tiers: z
    .array(z.object({ abovePromptTokens: number, input: amount, output: amount, ...otherRates }))
    .max(100)
    .optional(),
});

/** Who says what it costs, and the day that is of. */
const priceSource = z.object({ name: z.string(), date: z.string().nullable() });

/** Milliseconds; null = the default, or, of a deployment, the upstream's. */
const timeouts = z.object({
  connectMs: number.nullable(),
  firstTokenMs: number.nullable(),
  idleMs: number.nullable(),
  totalMs: number.nullable(),
});

/** What an upstream is, but for its secrets. */
const upstreamDocument = z.object({
  id: shortText,
  /** Id of the protocol it speaks; `listProviders` has them as `provider`. */
  provider: shortText,
  preset: shortText.nullable().default(null),
  /** null: the preset's or the provider's own address. */
  baseUrl: text.nullable().default(null),
  options: z.record(z.string().max(100), text).default({}),
  timeouts: timeouts
    .partial()
    .default({})
    .meta({ description: "Milliseconds; null or absent = the default" }),
  concurrency: number.nullable().default(null),
  queue: number.nullable().default(null),
  affinity: z.enum(["key", "none"]).default("key"),
  whenCallerLeaves: z.enum(["stop", "finish"]).default("stop"),
});

/** Secrets we present, used in turn. They are never given out again. */
const credentials = z.array(text).max(1_000);

const upstream = z.object({
  id: z.string(),
  provider: z.string(),
  preset: z.string().nullable(),
  baseUrl: z.string(),
  options: z.record(z.string(), z.string()),
  /** How many there are. */
  credentials: z.number().int(),
  /** Why they cannot be opened, which a change with new credentials mends; null = they can. */
  credentialsFault: z.string().nullable(),
  timeouts: z.object({
    connectMs: number,
    firstTokenMs: number,
    idleMs: number,
    totalMs: number,
  }),
  /** Most calls at once from one process; null = unbounded. */
  concurrency: z.number().int().nullable(),
  /** Most requests that wait for a place; null = the default, 100. */
  queue: z.number().int().nullable(),
  affinity: z.enum(["key", "none"]),
  whenCallerLeaves: z.enum(["stop", "finish"]),
  /** Public ids of the models that have a deployment on it. */
  models: z.array(z.string()),
  source,
  revision,
});

const deployment = z.object({
  upstream: shortText,
  /** The model's name there. */
  model: text,
  priority: number.default(1),
  weight: number.default(1),
  /** What the upstream bills; null = unknown. */
  cost: price.nullable().default(null),
  /** Timers that differ from the upstream's; null = none. */
  timeouts: timeouts.partial().nullable().default(null),
});

const modelDocument = z.object({
  id: shortText,
  /** null: the id. */
  name: text.nullable().default(null),
  description: z.string("Write a text.").max(20_000, "At most 20,000 characters.").nullable().default(null),
  family: text.nullable().default(null),
  context: number.nullable().default(null),
  maxOutput: number.nullable().default(null),
  modalities: modalities.nullable().default(null),
  capabilities: z
    .array(shortText)
    .max(20)
    .nullable()
    .default(null)
    .meta({
      description: `What it can do: ${capabilityNames.join(", ")}; null = unknown, empty = none of them`,
    }),
  /** A date or a time from when on it is not to be relied on: 2027-01-31, 2027-01-31T00:00:00Z. */
  deprecated: shortText.nullable().default(null),
  /** null: listed, not served. */
  price: price.nullable().default(null),
  /** Prices that take over at a time. */
  scheduledPrices: z
    .array(price.extend({ validFrom: shortText }))
    .max(200)
    .default([]),
  deployments: z.array(deployment).max(200),
  limits: limits.partial().default({}),
  /** Public ids of other models, tried in this order. */
  fallbacks: z.array(shortText).max(100).default([]),
  /** null: never a second attempt beside the first. `afterMs` null: the model's 95th percentile of late. */
  hedge: z.object({ afterMs: number.nullable() }).nullable().default(null),
});

const model = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  family: z.string().nullable(),
  context: z.number().int().nullable(),
  maxOutput: z.number().int().nullable(),
  modalities: modalities.nullable(),
  /** As somebody said; what `GET /v1/models` shows has vision where images are taken, too. */
  capabilities: z.array(z.enum(capabilityNames)).nullable(),
  deprecated: instant.nullable(),
  price: shownPrice.nullable(),
  scheduledPrices: z.array(shownPrice.extend({ validFrom: instant })),
  deployments: z.array(
    z.object({
      upstream: z.string(),
      model: z.string(),
      priority: number,
      weight: number,
      cost: shownPrice.nullable(),
      timeouts: timeouts.nullable(),
    }),
  ),
  limits,
  fallbacks: z.array(z.string()),
  hedge: z.object({ afterMs: number.nullable() }).nullable(),
  /** `unpriced`: listed but not served. `unavailable`: it has no deployment. */
  status: z.enum(["available", "unpriced", "unavailable"]),
  /** When this catalog first listed it. */
  createdAt: instant.nullable(),
  source,
  revision,
});

/** What a change answers with. */
const changed = z.object({ id: z.string(), revision });
const sentRevision = z.object({ revision });
const revisionQuery = z.object({ revision: z.coerce.number().int() });

const service = z.object({
  /** What `checkConnection` and `connect` take as `service`. */
  id: z.string(),
  name: z.string(),
  /** Id of the protocol it speaks. */
  provider: z.string(),
  preset: z.string().nullable(),
  /** Where it is when nobody says; null = only its operator knows. */
  baseUrl: z.string().nullable(),
  /** How its address looks, like `https://{resource}.example.com`, where it is told by an option or its operator. */
  baseUrlForm: z.string().nullable(),
  /** Other addresses it is known to have: other regions. */
  otherBaseUrls: z.array(z.string()),
  /** Does it have an address at all? The demo has none. */
  hasAddress: z.boolean(),
  /** Does it want a credential? A server of one's own may do without. */
  needsCredential: z.boolean(),
  /** Environment variables its own tools read the credential from. */
  keyVariables: z.array(z.string()),
  /** Can it be asked for its models? Where not, they are named by hand. */
  listsModels: z.boolean(),
  isLocal: z.boolean(),
  options: z.array(
    z.object({
      name: z.string(),
      /** A sentence for people. */
      help: z.string(),
      isRequired: z.boolean(),
    }),
  ),
});

const offer = z.object({
  /** As `id` of `listProviders`. */
  service: z.string(),
  name: z.string(),
  baseUrl: z.string().nullable(),
  /** Name of the environment variable that holds a credential; null = a server on this machine that needs none. */
  variable: z.string().nullable(),
  /** How many models it lists; null = not asked. */
  models: z.number().int().nullable(),
  /** Is an upstream at this address connected already? */
  isConnected: z.boolean(),
});

/** Which upstream is meant: one there is (`upstreamId`, with its stored credentials), or a new one. */
const aim = z.object({
  /** An upstream of the catalog, to find more models at it or to try it again. */
  upstreamId: shortText.nullable().default(null),
  /** As `id` of `listProviders`; null: told by the base URL, the OpenAI protocol where nobody is known there. */
  service: shortText.nullable().default(null),
  baseUrl: text.nullable().default(null),
  credential: text.nullable().default(null),
  /** Instead of a credential: the variable of an offer. */
  useEnvironment: shortText.nullable().default(null),
  options: z.record(z.string().max(100), text).default({}),
});

const proposal = z.object({
  upstreamModel: z.string(),
  /** The public id it would get. */
  id: z.string(),
  name: z.string(),
  /**
   * `add`: a new model. `deploy`: one more deployment of a model of the console. `present`: connected already. `leave`: no chat model, or
   * its id is a model's of plaza.yaml; `reason` says why.
   */
  action: z.enum(["add", "deploy", "present", "leave"]),
  reason: z.string().nullable(),
  family: z.string().nullable(),
  context: z.number().int().nullable(),
  maxOutput: z.number().int().nullable(),
  modalities: modalities.nullable(),
  capabilities: z.array(z.enum(capabilityNames)).nullable(),
  /** A source says that it is on its way out. */
  isDeprecated: z.boolean(),
  /** null: nobody knows; without one it is listed, not served. */
  price: shownPrice.nullable(),
  priceSource: priceSource.nullable(),
  /** The price is of another spelling of this name. */
  isOtherSpelling: z.boolean(),
  /** May it be called once it is connected? */
  isPriced: z.boolean(),
});

const chosen = z.object({
  upstreamModel: text,
  /** One there is already gets one more deployment, and nothing else of this. */
  id: shortText,
  name: text.nullable().default(null),
  family: text.nullable().default(null),
  context: number.nullable().default(null),
  maxOutput: number.nullable().default(null),
  modalities: modalities.nullable().default(null),
  capabilities: z.array(shortText).max(20).nullable().default(null),
  price: price.nullable().default(null),
});

const lastFault = z.object({ kind: z.string(), status: z.number().int().nullable(), at: instant });

const upstreamState = z.object({
  id: z.string(),
  provider: z.string(),
  inFlight: number,
  concurrency: number.nullable(),
  credentials: z.array(
    z.object({
      /** Place in the upstream's list, from 1. */
      number: z.number().int(),
      state: z.enum(["active", "resting", "out"]),
      untilAt: instant.nullable(),
      lastFault: lastFault.nullable(),
    }),
  ),
  deployments: z.array(
    z.object({
      model: z.string(),
      upstreamModel: z.string(),
      priority: number,
      weight: number,
      weightNow: number,
      state: z.enum(["healthy", "resting", "ejected", "probing", "returning"]),
      untilAt: instant.nullable(),
      lastFault: lastFault.nullable(),
      inFlight: number,
      firstTokenMs: number.nullable(),
      p95FirstTokenMs: number.nullable(),
    }),
  ),
});

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
      /** Of every account without its own. */
      limits,
      /** Of the whole installation together. */
      installation: limits,
      /** `file`: the limits stand in plaza.yaml. */
      limitsSource: source,
      /** Of the limits; upstreams and models have their own. */
      revision,
    }),
  },
  createUpstream: {
    ...writes,
    method: "post",
    path: "/operator/upstreams",
    summary: "Add an upstream",
    body: upstreamDocument.extend({ credentials: credentials.default([]) }),
    answer: changed,
    status: 201,
  },
  changeUpstream: {
    ...writes,
    method: "put",
    path: "/operator/upstreams/{id}",
    summary:
      "Replace an upstream; without `credentials` it keeps those it has, while it stays at its address",
    body: upstreamDocument
      .omit({ id: true })
      .extend({ credentials: credentials.optional(), ...sentRevision.shape }),
    answer: changed,
  },
  removeUpstream: {
    ...writes,
    method: "delete",
    path: "/operator/upstreams/{id}",
    summary: "Remove an upstream that no model uses",
    query: revisionQuery,
  },
  createModel: {
    ...writes,
    method: "post",
    path: "/operator/models",
    summary: "Add a model",
    body: modelDocument,
    answer: changed,
    status: 201,
  },
  changeModel: {
    ...writes,
    method: "put",
    path: "/operator/models/{id}",
    summary: "Replace a model; another price applies from now on",
    body: modelDocument.omit({ id: true }).extend(sentRevision.shape),
    answer: changed,
  },
  removeModel: {
    ...writes,
    method: "delete",
    path: "/operator/models/{id}",
    summary: "Remove a model that no other falls back to; its prices stay in the history",
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
          /** What a request's charge refers to. */
          id: z.number().int(),
          validFrom: instant,
          /** null: from then on it has no price. */
          price: shownPrice.nullable(),
          /** `overruled`: a row written later begins at the same time. */
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
    body: aim.extend({
      /** Names of models at the upstream, for one that has no list; null = ask. */
      models: z.array(text).max(2_000).nullable().default(null),
    }),
    answer: z.object({
      upstream: z.object({
        /** A name that is free, or the upstream's own. */
        id: z.string(),
        provider: z.string(),
        preset: z.string().nullable(),
        /** The one of its addresses that answered. */
        baseUrl: z.string(),
        options: z.record(z.string(), z.string()),
        /** It is one of the catalog (`upstreamId`): `connect` adds models to it. */
        isThere: z.boolean(),
        /** Another upstream of the catalog at the same address; null = none. */
        sameAs: z.string().nullable(),
      }),
      /** Did it see the credential? Some cannot be shown one without a call that costs something. */
      isChecked: z.boolean(),
      /** It has no list of models: name them. */
      hasNoList: z.boolean(),
      /** It listed more than is read. */
      isCut: z.boolean(),
      models: z.array(proposal),
    }),
  },
  connect: {
    ...writes,
    method: "post",
    path: "/operator/connect",
    summary: "Add an upstream, or more models of one, in one step",
    body: aim.extend({
      /** The new upstream's name; ignored with `upstreamId`. */
      id: shortText.nullable().default(null),
      models: z.array(chosen).max(10_000),
    }),
    answer: z.object({
      upstream: z.string(),
      /** Public ids of new models, and of those that got one more deployment. */
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
    summary: "How upstreams are doing, as every serving process sees them",
    answer: z.object({
      processes: z.array(z.object({ process: z.string(), at: instant, upstreams: z.array(upstreamState) })),
    }),
  },
});

export type PriceDocument = z.output<typeof price>;
export type UpstreamDocument = z.output<typeof upstreamDocument>;
export type ModelDocument = z.output<typeof modelDocument>;
export type ShownUpstreamDocument = z.output<typeof upstream>;
export type ShownModelDocument = z.output<typeof model>;
export type ServiceDocument = z.output<typeof service>;
export type OfferDocument = z.output<typeof offer>;
export type AimDocument = z.output<typeof aim>;
export type ProposalDocument = z.output<typeof proposal>;
export type ChosenDocument = z.output<typeof chosen>;
