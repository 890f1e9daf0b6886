/**
 * The documents of `catalog.ts` as JSON: upstreams, models, and the connect wizard's requests and results.
 * Same as in `plaza.yaml`: amounts are decimal strings of US dollars per million tokens, durations
 * milliseconds, unknown is null.
 */

import { z } from "zod";
import { capabilityNames, catalogStatuses } from "../catalog.ts";
import { formatIds } from "../formats.ts";
import { defaultOperations, operationNames } from "../operations.ts";
import { fault } from "./fault.ts";
import { instant, limits, messageRef, revision } from "./shapes.ts";
import { shownPrice } from "./shapes-prices.ts";

/** Only lengths are limited here; the catalog file's reader checks the rules of each field. */
export const text = z.string(fault("form.text")).max(8_192, fault("form.atMost8192"));
export const shortText = z.string(fault("form.text")).max(1_024, fault("form.atMost1024"));
const number = z.number(fault("form.number"));

/**
 * `file`: changed in plaza.yaml only. `demo`: part of the installation; can be changed and removed, and is
 * replaced by the first file.
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

/** A class without its own rate costs what its fallback does (docs/operate/catalog.md). */
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

/** The source of a price, with its date. `isOld`: more than 60 days ago. */
const priceSource = z.object({ name: z.string(), date: z.string().nullable(), isOld: z.boolean() });

/** Milliseconds; null: the default, or for a deployment the upstream's. */
const timeouts = z.object({
  connectMs: number.nullable(),
  firstByteMs: number.nullable(),
  firstTokenMs: number.nullable(),
  idleMs: number.nullable(),
  totalMs: number.nullable(),
});

/** Whether the upstream's answer is cancelled or read to its end when the client disconnects. */
const disconnectChoice = z.enum(["stop", "finish"]);

/** An upstream without its secrets. */
export const upstreamDocument = z.object({
  id: shortText,
  /** Id of the provider for its protocol; `listProviders` has them as `provider`. */
  provider: shortText,
  preset: shortText.nullable().default(null),
  /** Null: the preset's or the provider's default. */
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
  /** The field's former name; both together are refused. Read until the next version. */
  whenCallerLeaves: disconnectChoice.optional().meta({ deprecated: true }),
});

/** Secrets sent upstream, used in turn. They are never returned. */
export const credentials = z.array(text).max(1_000);

/** Values by name; null keeps the value that is stored under the name. They are never returned. */
export const upstreamHeaders = z.record(z.string().max(200), text.nullable()).meta({
  description: "Headers added to every call to the upstream; null keeps the stored value",
});

export const upstream = z.object({
  id: z.string(),
  provider: z.string(),
  preset: z.string().nullable(),
  baseUrl: z.string(),
  options: z.record(z.string(), z.string()),
  /** Number of credentials. */
  credentials: z.number().int(),
  /** Headers added to every call, by names in lower case; null stands for a value, which is not shown. */
  headers: z.record(z.string(), z.null()),
  /** Why they, or the headers' values, cannot be opened, which new credentials fix; null: they can. */
  credentialsFault: z.string().nullable(),
  timeouts: z.object({
    connectMs: number,
    /** Null: the default, which depends on the model. */
    firstByteMs: number.nullable(),
    firstTokenMs: number,
    idleMs: number,
    totalMs: number,
  }),
  /** Most concurrent calls from one process; null: unlimited. */
  concurrency: z.number().int().nullable(),
  /** Most requests waiting for a permit; null: the default, 100. */
  queue: z.number().int().nullable(),
  affinity: z.enum(["key", "none"]),
  onDisconnect: disconnectChoice,
  /** Public ids of models with a deployment on it. */
  models: z.array(z.string()),
  source,
  revision,
});

const deployment = z.object({
  upstream: shortText,
  /** The model's name at the upstream. */
  model: text,
  priority: number.default(1),
  weight: number.default(1),
  /** What the upstream charges; null: unknown. */
  cost: price.nullable().default(null),
  /** Timers that differ from the upstream's; null: none. */
  timeouts: timeouts.partial().nullable().default(null),
  formats: z
    .array(shortText)
    .max(20)
    .nullable()
    .default(null)
    .meta({
      description: `Wire formats its upstream speaks for this model: ${formatIds.join(", ")}; null = what is known of it`,
    }),
});

const givenOperations = z
  .array(shortText)
  .max(20)
  .default([...defaultOperations])
  .meta({ description: `What it is for: ${operationNames.join(", ")}` });

export const modelDocument = z.object({
  id: shortText,
  /** Null: same as the id. */
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
  /** The date or time when it becomes deprecated: 2027-01-31, 2027-01-31T00:00:00Z. */
  deprecated: shortText.nullable().default(null),
  disabled: z.boolean().optional().meta({
    description:
      "Whether callers neither see nor can call it; calls of it go to its fallbacks. Absent = as it is",
  }),
  /** Null: listed but not served. */
  price: price.nullable().default(null),
  /** Prices that apply from a time on. */
  scheduledPrices: z
    .array(price.extend({ validFrom: shortText }))
    .max(200)
    .default([]),
  deployments: z.array(deployment).max(200),
  limits: limits.partial().default({}),
  /** Public ids of other models, tried in this order. */
  fallbacks: z.array(shortText).max(100).default([]),
  /** Null: no hedging. `afterMs` null: the model's recent 95th percentile. */
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
  /** As entered; `GET /v1/models` adds vision where images are accepted. */
  capabilities: z.array(z.enum(capabilityNames)).nullable(),
  deprecated: instant.nullable(),
  disabled: z.boolean(),
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
      formats: z.array(z.enum(formatIds)).nullable(),
    }),
  ),
  limits,
  fallbacks: z.array(z.string()),
  hedge: z.object({ afterMs: number.nullable() }).nullable(),
  /** As the plaza shows it, which does not show a disabled one. */
  status: z.enum(catalogStatuses),
  /** When this catalog first listed it. */
  createdAt: instant.nullable(),
  source,
  revision,
});

/** The answer to a change. */
export const changed = z.object({ id: z.string(), revision });
export const sentRevision = z.object({ revision });
export const revisionQuery = z.object({ revision: z.coerce.number().int() });

export const service = z.object({
  /** The `service` of `checkConnection` and `connect`. */
  id: z.string(),
  name: z.string(),
  /** Id of the provider for its protocol. */
  provider: z.string(),
  preset: z.string().nullable(),
  /** Default base URL; null: only its operator knows it. */
  baseUrl: z.string().nullable(),
  /**
   * Form of its address, like `https://{resource}.example.com`, when an option or the operator supplies
   * parts.
   */
  baseUrlForm: z.string().nullable(),
  /** Its other known addresses, such as regions. */
  otherBaseUrls: z.array(z.string()),
  /** False for the demo, which has no address. */
  hasAddress: z.boolean(),
  /** True when it requires a credential. A self-hosted server may not. */
  needsCredential: z.boolean(),
  /** Environment variables the vendor's tools read the credential from. */
  keyVariables: z.array(z.string()),
  /** True when it lists its models; otherwise the operator names them. */
  listsModels: z.boolean(),
  isLocal: z.boolean(),
  options: z.array(
    z.object({
      name: z.string(),
      /** Help text. */
      help: z.string(),
      helpMessage: messageRef,
      isRequired: z.boolean(),
    }),
  ),
  /**
   * Source of the address and the variables: a URL or a package with its version, and its date; null: it is
   * part of Plaza.
   */
  source: z.object({ name: z.string(), date: z.string() }).nullable(),
  /**
   * The date (like "2026-09-27") since which the service has ended or no longer has the API Plaza speaks, and
   * what replaces it.
   */
  ended: z.object({ on: z.string(), note: z.string(), noteMessage: messageRef }).nullable(),
  /** One sentence the operator should know before connecting it. */
  note: z.string().nullable(),
  noteMessage: messageRef.nullable(),
});

export const offer = z.object({
  /** As `id` of `listProviders`. */
  service: z.string(),
  name: z.string(),
  baseUrl: z.string().nullable(),
  /** Environment variable that holds a credential; null: a local server that needs none. */
  variable: z.string().nullable(),
  /** Number of models it lists; null: unknown. */
  models: z.number().int().nullable(),
  /** True when an upstream at this address is already connected. */
  isConnected: z.boolean(),
});

/** Which upstream is meant: an existing one (`upstreamId`, with its stored credentials) or a new one. */
export const aim = z.object({
  /** An existing upstream, to find more models or to test it again. */
  upstreamId: shortText.nullable().default(null),
  /** As `id` of `listProviders`; null: derived from the base URL, by default the OpenAI protocol. */
  service: shortText.nullable().default(null),
  baseUrl: text.nullable().default(null),
  credential: text.nullable().default(null),
  /** Instead of a credential: an offer's variable. */
  useEnvironment: shortText.nullable().default(null),
  options: z.record(z.string().max(100), text).default({}),
  /** Headers a new upstream needs in every call, by name; an existing one keeps its own. */
  headers: z.record(z.string().max(200), text).default({}),
});

export const proposal = z.object({
  upstreamModel: z.string(),
  /** The public id it would get. */
  id: z.string(),
  name: z.string(),
  /**
   * `add`: a new model. `deploy`: a further deployment of a model of the console. `present`: already
   * connected. `leave`: this version does not serve its operations, or its id belongs to plaza.yaml; `reason`
   * says why.
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
  /** True when a source says that it is deprecated. */
  isDeprecated: z.boolean(),
  /** Null: unknown; without a price the model is visible but not callable. */
  price: shownPrice.nullable(),
  priceSource: priceSource.nullable(),
  /**
   * What the model's maker charges, by the model's name alone: only an offer, for a model whose price at this
   * upstream is unknown. Null: unknown, or the price is known.
   */
  listPrice: z.object({ price: shownPrice, source: priceSource }).nullable(),
  /** Prices announced for later days (`validFrom`, like 2027-01-01: the start of that day in UTC). */
  laterPrices: z.array(shownPrice.extend({ validFrom: z.string() })),
  /** True when the price was found under another spelling of this name. */
  isOtherSpelling: z.boolean(),
  /** True when callers can call it once it is connected. */
  isPriced: z.boolean(),
});

export const chosen = z.object({
  upstreamModel: text,
  /** An existing model gets only a further deployment. */
  id: shortText,
  name: text.nullable().default(null),
  operations: givenOperations,
  family: text.nullable().default(null),
  context: number.nullable().default(null),
  maxOutput: number.nullable().default(null),
  modalities: modalities.nullable().default(null),
  capabilities: z.array(shortText).max(20).nullable().default(null),
  price: price.nullable().default(null),
  /** Prices that apply from a time on. */
  scheduledPrices: z
    .array(price.extend({ validFrom: shortText }))
    .max(200)
    .default([]),
});

/** An upstream's overall state. */
export const upstreamStanding = z.object({
  id: z.string(),
  /**
   * The worst that applies. `down`: no credential works. `out`: some do not. `troubled`: some deployments are
   * not healthy.
   */
  kind: z.enum(["well", "troubled", "out", "down"]),
  /** Number of those credentials or deployments, each counted once. */
  count: z.number().int(),
  /** Calls in flight in all processes. */
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
