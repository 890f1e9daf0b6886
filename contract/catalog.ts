/**
 * The catalog for store and gateway: upstreams, models, deployments and prices. Mostly types;
 * `server/src/domain/catalog/file.ts` reads them from `plaza.yaml`.
 */
import type { FormatId } from "./formats.ts";
import type { NanoUsd } from "./money.ts";
import type { Operation } from "./operations.ts";

/**
 * Who manages an item: `plaza.yaml`, the console, or neither: a demo item came with the installation, is
 * replaced by the first file, and can be changed and removed in the console.
 */
export type CatalogSource = "file" | "console" | "demo";

/** What the store adds to each item of the catalog. */
export interface Kept {
  readonly source?: CatalogSource | undefined;
  /** Grows with every change, so that two users do not overwrite each other's changes. */
  readonly revision?: number | undefined;
}

/** Timeouts of an upstream in milliseconds (docs/call/streaming.md explains them). */
export interface Timeouts {
  /** TCP and TLS handshake. */
  readonly connectMs: number;
  /**
   * From sending the request to the first byte of a whole JSON answer. Absent: `defaultFirstByteMs`, by the
   * model.
   */
  readonly firstByteMs?: number | undefined;
  /** From sending the request to the first content event of a stream. */
  readonly firstTokenMs: number;
  /** Between two reads of a body that has started. */
  readonly idleMs: number;
  /** The whole attempt. */
  readonly totalMs: number;
}

/** Models may think for minutes without output; P12 promises that three silent minutes do no harm. */
export const defaultTimeouts: Timeouts = {
  connectMs: 5_000,
  firstTokenMs: 240_000,
  idleMs: 240_000,
  totalMs: 900_000,
};

/**
 * How long a whole answer may take to start, by default. Most upstreams send nothing before the last token:
 * four minutes are 8,500 tokens at 128,000 per hour. A reasoning model may take as long as usual clients
 * wait, 10 minutes.
 */
export const defaultFirstByteMs = { ordinary: 240_000, reasoning: 600_000 } as const;

/** In place of a credential: short-lived ones of the machine that Plaza runs on. Not a secret. */
export const workloadIdentity = "workload-identity";

/** A configured provider: its address and its secrets. */
export interface Upstream extends Kept {
  readonly id: string;
  /** Id of the provider for its protocol (`server/src/providers/index.ts`). */
  readonly provider: string;
  /**
   * Base URL including the version segment, without trailing slash; empty for providers without a network.
   */
  readonly baseUrl: string;
  /** Secrets sent upstream, used in turn. Encrypted at rest, never shown. */
  readonly credentials: readonly string[];
  /**
   * Headers added to every call to it, by their names in lower case. Their values are secrets: encrypted at
   * rest, never shown. Absent: none.
   */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The service, where that makes a difference (`server/src/providers/presets/presets.ts`). */
  readonly preset?: string | undefined;
  /**
   * Settings that only its provider has, like a region; defined by the providers
   * (`server/src/providers/index.ts`).
   */
  readonly options?: Readonly<Record<string, string>> | undefined;
  readonly timeouts: Timeouts;
  /**
   * `finish`: its answer is read to the end, for its usage, when the client disconnects. Absent: it is
   * cancelled.
   */
  readonly onDisconnect?: "finish" | undefined;
  /** Most concurrent calls from one process; at least 1. Absent: unlimited. */
  readonly concurrency?: number | undefined;
  /** Most requests that wait for a permit while `concurrency` calls are running. Absent: `defaultQueue`. */
  readonly queue?: number | undefined;
  /**
   * `key` (and absent): requests of a session go to the same deployment while it is healthy. `none`: they are
   * distributed freely.
   */
  readonly affinity?: "key" | "none" | undefined;
}

/** Default number of requests that wait for a permit at an upstream. */
export const defaultQueue = 100;

/** One way to serve a model. */
export interface Deployment {
  readonly upstream: string;
  /** The model's name at the upstream. */
  readonly model: string;
  /** Lower is tried first. */
  readonly priority: number;
  /** Share of traffic among deployments of the same priority; 0: only when nothing else is left. */
  readonly weight: number;
  /**
   * What the upstream charges the operator, computed like a charge. Absent: unknown; never shown to callers.
   */
  readonly cost?: Price | undefined;
  /** Timers of this deployment that differ from its upstream's. */
  readonly timeouts?: Partial<Timeouts> | undefined;
  /**
   * The wire formats the upstream speaks for this model, at least one. Absent = what is known of it.
   */
  readonly formats?: readonly FormatId[] | undefined;
}

/**
 * NanoUsd per million tokens of each class of `Usage`. A class without its own rate costs what another one
 * does: `cachedInput`, `cacheWrite`, `audioInput`, `imageInput` as `input`; `longCacheWrite` as `cacheWrite`;
 * `reasoning`, `audioOutput`, `imageOutput` as `output`.
 */
export interface Rates {
  readonly input: NanoUsd;
  readonly output: NanoUsd;
  readonly cachedInput?: NanoUsd | undefined;
  readonly cacheWrite?: NanoUsd | undefined;
  readonly longCacheWrite?: NanoUsd | undefined;
  readonly reasoning?: NanoUsd | undefined;
  readonly audioInput?: NanoUsd | undefined;
  readonly audioOutput?: NanoUsd | undefined;
  readonly imageInput?: NanoUsd | undefined;
  readonly imageOutput?: NanoUsd | undefined;
}

/**
 * Rates that replace the base rates, for every token of the request, when its whole prompt is larger than
 * this.
 */
export interface PriceTier extends Rates {
  /** A positive whole number of tokens, cached and written ones included. */
  readonly abovePromptTokens: number;
}

/** A model's price. `server/src/domain/money/price.ts` computes charges from it. */
export interface Price extends Rates {
  /** Added once to every charged request. */
  readonly perRequest?: NanoUsd | undefined;
  /** Ascending by `abovePromptTokens`, without duplicates; absent rather than empty. */
  readonly tiers?: readonly PriceTier[] | undefined;
}

/** A price that applies from a time on. */
export interface ScheduledPrice {
  /** Unix milliseconds. */
  readonly validFrom: number;
  readonly price: Price;
}

/** A price as stored; charges refer to its id. */
export interface PriceRow {
  readonly id: number;
  /** Unix milliseconds. */
  readonly validFrom: number;
  /** Undefined: from then on the model has no price and is not served. */
  readonly price: Price | undefined;
}

export interface Modalities {
  readonly input: readonly string[];
  readonly output: readonly string[];
}

/**
 * Usage limits; absent: none. Whole numbers from 0 to 2^53 − 1, where 0 blocks all requests.
 * docs/call/limits.md explains a minute.
 */
export interface Limits {
  readonly requestsPerMinute?: number | undefined;
  readonly tokensPerMinute?: number | undefined;
  /** Concurrent requests. */
  readonly concurrency?: number | undefined;
}

/** A second attempt at another deployment while the first has not started to answer. */
export interface Hedge {
  /**
   * Milliseconds the first attempt may take to its first content. Absent: the model's recent 95th percentile.
   */
  readonly afterMs?: number | undefined;
}

/** What a model supports besides text; `image` among the input modalities also means vision. */
export const capabilityNames = ["tools", "json", "vision", "reasoning"] as const;

export type Capability = (typeof capabilityNames)[number];

/**
 * Whether a model can be called. `degraded`: some deployment is ejected or paused, or too few calls succeed.
 * `down`: no healthy deployment. `unpriced`: listed but not served, because it has no price. `unserved`: this
 * version serves none of its operations.
 */
export const modelStatuses = ["available", "degraded", "down", "unpriced", "unserved"] as const;

export type ModelStatus = (typeof modelStatuses)[number];

/** What an operator sees besides: `disabled` models are neither shown to callers nor served. */
export const catalogStatuses = [...modelStatuses, "disabled"] as const;

export type CatalogStatus = (typeof catalogStatuses)[number];

/** Reads a status from a URL or script of an earlier version, where `down` was `unavailable`. */
export const statusNamed = (name: string): string => (name === "unavailable" ? "down" : name);

/** A public model id and how it is served. Unknown facts are absent, never guessed. */
export interface Model extends Kept {
  readonly id: string;
  readonly name: string;
  /** The vendor as people write it: "OpenAI", "Qwen". */
  readonly family?: string | undefined;
  readonly description?: string | undefined;
  /** Its operations, as `normalOperations` writes them; absent: chat only (`operationsOf`). */
  readonly operations?: readonly Operation[] | undefined;
  /** Context window in tokens. */
  readonly context?: number | undefined;
  /** Most output tokens of one answer. */
  readonly maxOutput?: number | undefined;
  readonly modalities?: Modalities | undefined;
  /** Its known capabilities; absent: unknown; empty: known to have none of them. */
  readonly capabilities?: readonly Capability[] | undefined;
  /** Unix milliseconds when it becomes deprecated; absent: unknown. */
  readonly deprecatedAt?: number | undefined;
  /** True: callers neither see nor can call it, until an operator enables it. Absent: enabled. */
  readonly isDisabled?: true | undefined;
  /** The current price. Absent: not servable; an explicit "0" is a price. */
  readonly price?: Price | undefined;
  /** Later prices, ascending by time, without duplicates; absent rather than empty. */
  readonly scheduledPrices?: readonly ScheduledPrice[] | undefined;
  /** The row in force when the catalog was loaded and all later ones, in order; set by the store. */
  readonly priceRows?: readonly PriceRow[] | undefined;
  readonly deployments: readonly Deployment[];
  /** For all callers together; absent: none. */
  readonly limits?: Limits | undefined;
  /**
   * Public ids of other models, tried in this order when every deployment failed. Contains no loop; absent
   * rather than empty.
   */
  readonly fallbacks?: readonly string[] | undefined;
  /** Absent: no hedging. */
  readonly hedge?: Hedge | undefined;
  /** Unix milliseconds when this catalog first listed the model; set by the store. */
  readonly createdAt?: number | undefined;
}

/** Everything the gateway serves, as one document. */
export interface Catalog {
  /** Who manages the limits, and their revision; set by the store. */
  readonly keptLimits?: Kept | undefined;
  readonly upstreams: readonly Upstream[];
  readonly models: readonly Model[];
  /** Default for accounts without their own. */
  readonly limits: Limits;
  /** For the whole installation; absent: none. */
  readonly installation?: Limits | undefined;
}
