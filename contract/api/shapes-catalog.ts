/**
 * The documents of `catalog.ts`: upstreams, models and what the connect wizard asks and finds, as JSON.
 * They are those of `plaza.yaml`: an amount is a decimal string of US dollars per million tokens, a
 * duration milliseconds, unknown null.
 */
import { z } from "zod";
import { capabilityNames, modelStatuses } from "../catalog.ts";
import { defaultOperations, operationNames } from "../operations.ts";
import { fault } from "./fault.ts";
import { instant, limits, messageRef, revision } from "./shapes.ts";
import { shownPrice } from "./shapes-prices.ts";

/**
 * The rules of each field are those of the catalog file and are checked by its reader; here are only bounds.
 */
export const text = z.string(fault("form.text")).max(8_192, fault("form.atMost8192"));
export const shortText = z.string(fault("form.text")).max(1_024, fault("form.atMost1024"));
const number = z.number(fault("form.number"));

/**
 * `file`: changed in plaza.yaml only. `demo`: came with the installation; can be changed
 * and removed, goes with the first file.
 */
export const source = z.enum(["file", "console", "demo"]);

const modalities = z.object({ input: z.array(shortText).max(20), output: z.array(shortText).max(20) });

const amount = z.string(fault("form.price")).max(100, fault("form.amountTooLong")).meta({
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

/** A class without a rate of its own costs what its fallback does (docs/operate/catalog.md). */
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

/** Who says what it costs, and the day that is of; `isOld`: it is older than 60 days. */
const priceSource = z.object({ name: z.string(), date: z.string().nullable(), isOld: z.boolean() });

/** Milliseconds; null = the default, or, of a deployment, the upstream's. */
const timeouts = z.object({
  connectMs: number.nullable(),
  firstByteMs: number.nullable(),
  firstTokenMs: number.nullable(),
  idleMs: number.nullable(),
  totalMs: number.nullable(),
});

/** Whether the upstream's work is cancelled or read to its end after the client disconnected. */
const disconnectChoice = z.enum(["stop", "finish"]);

/** What an upstream is, but for its secrets. */
export const upstreamDocument = z.object({
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
  /** Absent: `stop`. */
  onDisconnect: disconnectChoice.optional(),
  /** Its name before; refused beside the new one. Read until the next version. */
  whenCallerLeaves: disconnectChoice.optional().meta({ deprecated: true }),
});

/** Secrets we present, used in turn. They are never given out again. */
export const credentials = z.array(text).max(1_000);

export const upstream = z.object({
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
    /** null = the default, by the model. */
    firstByteMs: number.nullable(),
    firstTokenMs: number,
    idleMs: number,
    totalMs: number,
  }),
  /** Maximum concurrent calls from one process; null = unbounded. */
  concurrency: z.number().int().nullable(),
  /** Most requests that wait for a permit; null = the default, 100. */
  queue: z.number().int().nullable(),
  affinity: z.enum(["key", "none"]),
  onDisconnect: disconnectChoice,
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

const givenOperations = z
  .array(shortText)
  .max(20)
  .default([...defaultOperations])
  .meta({ description: `What it is for: ${operationNames.join(", ")}` });

export const modelDocument = z.object({
  id: shortText,
  /** null: the id. */
  name: text.nullable().default(null),
  description: z.string(fault("form.text")).max(20_000, fault("form.atMost20000")).nullable().default(null),
  operations: givenOperations,
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

export const model = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  operations: z.array(z.enum(operationNames)),
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
  /** As the plaza shows it. */
  status: z.enum(modelStatuses),
  /** When this catalog first listed it. */
  createdAt: instant.nullable(),
  source,
  revision,
});

/** What a change answers with. */
export const changed = z.object({ id: z.string(), revision });
export const sentRevision = z.object({ revision });
export const revisionQuery = z.object({ revision: z.coerce.number().int() });

export const service = z.object({
  /** What `checkConnection` and `connect` take as `service`. */
  id: z.string(),
  name: z.string(),
  /** Id of the protocol it speaks. */
  provider: z.string(),
  preset: z.string().nullable(),
  /** Default address; null = only its operator knows it. */
  baseUrl: z.string().nullable(),
  /**
   * How its address looks, like `https://{resource}.example.com`, where it
   * is told by an option or its operator.
   */
  baseUrlForm: z.string().nullable(),
  /** Other addresses it is known to have: other regions. */
  otherBaseUrls: z.array(z.string()),
  /** True when it has an address. The demo has none. */
  hasAddress: z.boolean(),
  /** True when it requires a credential. A self-hosted server may not. */
  needsCredential: z.boolean(),
  /** Environment variables its own tools read the credential from. */
  keyVariables: z.array(z.string()),
  /** True when it lists its models. Otherwise the operator names them. */
  listsModels: z.boolean(),
  isLocal: z.boolean(),
  options: z.array(
    z.object({
      name: z.string(),
      /** A sentence for people. */
      help: z.string(),
      helpMessage: messageRef,
      isRequired: z.boolean(),
    }),
  ),
  /**
   * Where the address and the variables are from: a page, or a package and its version, and of
   * which day; null = it is a part of Plaza.
   */
  source: z.object({ name: z.string(), date: z.string() }).nullable(),
  /**
   * The day (like "2026-09-27") from when on the service is no more, or no more what
   * Plaza speaks, and what there is now.
   */
  ended: z.object({ on: z.string(), note: z.string(), noteMessage: messageRef }).nullable(),
  /** A sentence to know before connecting it. */
  note: z.string().nullable(),
  noteMessage: messageRef.nullable(),
});

export const offer = z.object({
  /** As `id` of `listProviders`. */
  service: z.string(),
  name: z.string(),
  baseUrl: z.string().nullable(),
  /**
   * Name of the environment variable that holds a credential; null = a
   * server on this machine that needs none.
   */
  variable: z.string().nullable(),
  /** How many models it lists; null = not asked. */
  models: z.number().int().nullable(),
  /** True when an upstream at this address is already connected. */
  isConnected: z.boolean(),
});

/** Which upstream is meant: one there is (`upstreamId`, with its stored credentials), or a new one. */
export const aim = z.object({
  /** An upstream of the catalog, to find more models at it or to try it again. */
  upstreamId: shortText.nullable().default(null),
  /**
   * As `id` of `listProviders`; null: told by the base URL, the OpenAI protocol where nobody is known there.
   */
  service: shortText.nullable().default(null),
  baseUrl: text.nullable().default(null),
  credential: text.nullable().default(null),
  /** Instead of a credential: the variable of an offer. */
  useEnvironment: shortText.nullable().default(null),
  options: z.record(z.string().max(100), text).default({}),
});

export const proposal = z.object({
  upstreamModel: z.string(),
  /** The public id it would get. */
  id: z.string(),
  name: z.string(),
  /**
   * `add`: a new model. `deploy`: one more deployment of a model of the console.
   * `present`: connected already. `leave`: for nothing this version serves, or its id is a
   * model's of plaza.yaml; `reason` says why.
   */
  action: z.enum(["add", "deploy", "present", "leave"]),
  reason: z.string().nullable(),
  reasonMessage: messageRef.nullable(),
  operations: z.array(z.enum(operationNames)),
  family: z.string().nullable(),
  context: z.number().int().nullable(),
  maxOutput: z.number().int().nullable(),
  modalities: modalities.nullable(),
  capabilities: z.array(z.enum(capabilityNames)).nullable(),
  /** A source says that it is on its way out. */
  isDeprecated: z.boolean(),
  /** null: unknown; without a price the model is visible, not callable. */
  price: shownPrice.nullable(),
  priceSource: priceSource.nullable(),
  /** Prices announced for later days (`validFrom`, like 2027-01-01; its first moment in UTC). */
  laterPrices: z.array(shownPrice.extend({ validFrom: z.string() })),
  /** The price is of another spelling of this name. */
  isOtherSpelling: z.boolean(),
  /** True when callers can call it once it is connected. */
  isPriced: z.boolean(),
});

export const chosen = z.object({
  upstreamModel: text,
  /** One there is already gets one more deployment, and nothing else of this. */
  id: shortText,
  name: text.nullable().default(null),
  operations: givenOperations,
  family: text.nullable().default(null),
  context: number.nullable().default(null),
  maxOutput: number.nullable().default(null),
  modalities: modalities.nullable().default(null),
  capabilities: z.array(shortText).max(20).nullable().default(null),
  price: price.nullable().default(null),
  /** Prices that take over at a time. */
  scheduledPrices: z
    .array(price.extend({ validFrom: shortText }))
    .max(200)
    .default([]),
});

/** How an upstream is doing, in a word. */
export const upstreamStanding = z.object({
  id: z.string(),
  /**
   * `down`: no credential of it works. `out`: some do not. `troubled`: some deployments are
   * not healthy. The worst that is true.
   */
  kind: z.enum(["well", "troubled", "out", "down"]),
  /** Of those credentials or deployments, each once however many processes see it. */
  count: z.number().int(),
  /** Calls under way, of all processes. */
  inFlight: number,
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
